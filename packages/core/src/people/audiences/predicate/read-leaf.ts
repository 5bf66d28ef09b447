import { compact } from '../../../foundation/compact.ts';
import { isUuid } from '../../../foundation/ids.ts';
import { cleanId, isObject } from '../../../foundation/json.ts';
import { isTimeZone } from '../../../foundation/time-zones.ts';
import { readTest } from './read-test.ts';
import { readSpan } from './read-value.ts';
import type { Path, Reading } from './reading.ts';
import { type EventLeaf, isUserField, type Leaf, type MemberLeaf, type ValueTest, type WhereTest } from './types.ts';

/** Maximum characters of a trait's or event's name. Source: contract, Ingest and profiles. */
export const MAX_NAME = 128;
/** Maximum characters and names of a path. Chosen: above any real path. */
export const MAX_PATH = 256;
export const MAX_PATH_NAMES = 10;
/** Maximum of a count. Chosen: bounds the newest times read for a window. */
export const MAX_COUNT = 1_000;

type Input = Readonly<Record<string, unknown>>;
const TEST_KEYS = ['op', 'value', 'caseSensitive', 'timezone'] as const;

const nameOf = (from: Reading, input: unknown, path: Path): string | null => {
  if (typeof input !== 'string') return from.refuse(path, 'must be text');
  const clean = cleanId(input);
  if (clean === null) return from.refuse(path, 'must not contain the character U+0000');
  if ([...clean].length > MAX_NAME) return from.refuse(path, `must have at most ${MAX_NAME} characters`);
  return clean;
};

const traitLeaf = (from: Reading, input: Input, path: Path): Leaf | null => {
  from.onlyKeys(input, ['trait', ...TEST_KEYS], path);
  const trait = nameOf(from, input['trait'], [...path, 'trait']);
  const isBuiltIn = trait?.startsWith('user.') ?? false;
  const field = isBuiltIn ? (trait ?? '').slice('user.'.length) : null;
  if (field !== null && !isUserField(field)) return from.refuse([...path, 'trait'], 'unknown built-in field');
  const test = readTest(from, input, path, field !== null && isUserField(field) ? field : null);
  return trait === null || test === null ? null : { trait, ...test };
};

const RELATIVE: ReadonlySet<string> = new Set(['within_last', 'within_next', 'older_than']);
const PATH_ROOTS = ['event', 'user', 'trait', 'steps'] as const;

const namesIn = (from: Reading, input: unknown, path: Path): readonly string[] | null => {
  if (typeof input !== 'string' || input === '') return from.refuse(path, 'must be text');
  const clean = cleanId(input);
  if (clean === null) return from.refuse(path, 'must not contain the character U+0000');
  const names = clean.split('.');
  if (clean.length > MAX_PATH || names.length > MAX_PATH_NAMES)
    return from.refuse(path, `must have at most ${MAX_PATH} characters and ${MAX_PATH_NAMES} names`);
  return names.includes('') ? from.refuse(path, 'must have a name between its dots') : names;
};

const pathLeaf = (from: Reading, input: Input, path: Path): Leaf | null => {
  from.onlyKeys(input, ['path', ...TEST_KEYS], path);
  const at = [...path, 'path'];
  const names = namesIn(from, input['path'], at);
  if (names === null) return null;
  const [root = '', field = ''] = names;
  if (!PATH_ROOTS.some((known) => known === root) || names.length < 2)
    return from.refuse(at, 'must be event.<property>, user.<field>, trait.<name> or steps.<saveAs>.<field>');
  if (root === 'user' && (names.length > 2 || !isUserField(field))) return from.refuse(at, 'unknown built-in field');
  const test = readTest(from, input, path, root === 'user' && isUserField(field) ? field : null);
  return test === null ? null : { path: names.join('.'), ...test };
};

const whereOf = (from: Reading, input: unknown, path: Path): readonly WhereTest[] | null => {
  if (!Array.isArray(input) || input.length === 0) return from.refuse(path, 'must be a list with at least one item');
  const read: WhereTest[] = [];
  for (const [index, one] of input.entries()) {
    const at = [...path, index];
    from.count(at);
    if (from.isOver()) return null;
    if (!isObject(one)) return from.refuse(at, 'must be { path, op, value }');
    from.onlyKeys(one, ['path', ...TEST_KEYS], at);
    const names = namesIn(from, one['path'], [...at, 'path']);
    const test: ValueTest | null = readTest(from, one, at, null);
    if (names === null || test === null) return null;
    if ('timezone' in test && !isTimeZone(test.timezone ?? ''))
      return from.refuse([...at, 'timezone'], 'must be an IANA time zone: an event belongs to no run');
    if (RELATIVE.has(test.op))
      return from.refuse([...at, 'op'], 'compares with the moment, which an event does not know');
    // Safe: relative operators were refused.
    read.push({ path: names.join('.'), ...test } as WhereTest);
  }
  return read;
};

const countOf = (from: Reading, input: unknown, path: Path): EventLeaf['count'] | null => {
  if (!isObject(input)) return from.refuse(path, 'must be { gte, lte }, or one of them');
  from.onlyKeys(input, ['gte', 'lte'], path);
  const { gte, lte } = input;
  const isCount = (value: unknown): value is number | undefined =>
    value === undefined || (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_COUNT);
  if (!isCount(gte)) return from.refuse([...path, 'gte'], `must be a whole number from 0 to ${MAX_COUNT}`);
  if (!isCount(lte)) return from.refuse([...path, 'lte'], `must be a whole number from 0 to ${MAX_COUNT}`);
  if (gte === undefined && lte === undefined) return from.refuse(path, 'must have gte, lte or both');
  if (lte !== undefined && lte < (gte ?? 1))
    return from.refuse([...path, 'lte'], 'must be at least gte, which is 1 if left out');
  return { ...compact({ gte, lte }) };
};

const eventLeaf = (from: Reading, input: Input, path: Path): EventLeaf | null => {
  from.onlyKeys(input, ['event', 'op', 'count', 'within', 'where'], path);
  const event = nameOf(from, input['event'], [...path, 'event']);
  if (event === '') return from.refuse([...path, 'event'], 'must not be empty');
  const { op } = input;
  if (op !== 'performed' && op !== 'not_performed')
    return from.refuse([...path, 'op'], 'must be performed or not_performed');
  const parts = {
    ...(input['count'] === undefined ? {} : { count: countOf(from, input['count'], [...path, 'count']) }),
    ...(input['within'] === undefined ? {} : { within: readSpan(from, input['within'], [...path, 'within']) }),
    ...(input['where'] === undefined ? {} : { where: whereOf(from, input['where'], [...path, 'where']) }),
  };
  if (event === null || Object.values(parts).includes(null)) return null;
  // Safe: no part is null.
  return { event, op, ...parts } as EventLeaf;
};

const memberLeaf = (from: Reading, input: Input, path: Path): MemberLeaf | null => {
  from.onlyKeys(input, ['audience', 'op'], path);
  const { audience, op } = input;
  if (op !== 'in' && op !== 'not_in') return from.refuse([...path, 'op'], 'must be in or not_in');
  if (typeof audience !== 'string' || !isUuid(audience)) return from.refuse([...path, 'audience'], 'must be a UUID');
  return { audience: audience.toLowerCase(), op };
};

const READERS = { trait: traitLeaf, event: eventLeaf, audience: memberLeaf, path: pathLeaf } as const;

/** Reads one leaf, by its subject. Throws nothing. */
export const readLeaf = (from: Reading, input: Input, path: Path): Leaf | null => {
  const subjects = (['trait', 'event', 'audience', ...(from.hasPaths ? (['path'] as const) : [])] as const).filter(
    (name) => Object.hasOwn(input, name),
  );
  const [subject] = subjects;
  if (subject === undefined || subjects.length > 1)
    return from.refuse(
      path,
      `must have one of all, any, not, trait, event${from.hasPaths ? ', audience and path' : ' and audience'}`,
    );
  return READERS[subject](from, input, path);
};
