import {
  readCase,
  readDate,
  readNumber,
  readRange,
  readScalar,
  readScalars,
  readSpan,
  readText,
  readVersion,
  readZone,
} from './read-value.ts';
import type { Path, Reading } from './reading.ts';
import { type Op, USER_FIELDS, type UserField, type ValueTest } from './types.ts';
import { capitalsOf, fold } from './values.ts';

type Input = Readonly<Record<string, unknown>>;
type Read = (from: Reading, input: unknown, path: Path) => unknown;

/** Reader of each operator's value; null: the operator has none. */
const VALUES: Readonly<Record<Op, Read | null>> = {
  set: null,
  not_set: null,
  eq: readScalar,
  neq: readScalar,
  in: readScalars,
  not_in: readScalars,
  gt: readNumber,
  gte: readNumber,
  lt: readNumber,
  lte: readNumber,
  between: readRange,
  contains: readText,
  not_contains: readText,
  starts_with: readText,
  ends_with: readText,
  includes: readScalar,
  not_includes: readScalar,
  includes_any: readScalars,
  includes_all: readScalars,
  before: readDate,
  after: readDate,
  within_last: readSpan,
  within_next: readSpan,
  older_than: readSpan,
  ver_eq: readVersion,
  ver_gt: readVersion,
  ver_gte: readVersion,
  ver_lt: readVersion,
  ver_lte: readVersion,
};

const PRESENCE: readonly Op[] = ['set', 'not_set'];
const STRINGS: readonly Op[] = ['contains', 'not_contains', 'starts_with', 'ends_with'];
const EQUALITY: readonly Op[] = ['eq', 'neq', 'in', 'not_in'];
const DATES: readonly Op[] = ['before', 'after', 'within_last', 'within_next', 'older_than'];
const OF_FIELD = { text: [...PRESENCE, ...EQUALITY, ...STRINGS], time: [...PRESENCE, ...DATES] } as const;

/**
 * Maximum different letters with capitals, which a database has to replace one by one. Chosen: far more than a name
 * has.
 */
const MAX_LETTERS = 64;
const hasManyLetters = (text: string): boolean =>
  [...new Set(fold(text))].filter((letter) => capitalsOf(letter).length > 0).length > MAX_LETTERS;

const isOp = (value: unknown): value is Op => typeof value === 'string' && Object.hasOwn(VALUES, value);

/**
 * Reads the operator and value of a leaf.
 *
 * @param field the built-in field under test, whose type is known; null: a value of any type
 */
export const readTest = (from: Reading, input: Input, path: Path, field: UserField | null): ValueTest | null => {
  const { op } = input;
  const known = field === null ? null : OF_FIELD[USER_FIELDS[field]];
  if (!isOp(op) || (known !== null && !known.includes(op)))
    return from.refuse([...path, 'op'], `must be one of ${(known ?? Object.keys(VALUES)).join(', ')}`);
  const sensitive = readCase(from, input['caseSensitive'], STRINGS.includes(op), [...path, 'caseSensitive']);
  const zone = readZone(from, input['timezone'], DATES.includes(op), [...path, 'timezone']);
  const read = VALUES[op];
  if (read === null) {
    if (input['value'] !== undefined) return from.refuse([...path, 'value'], `${op} takes no value`);
    // Safe: an operator without a value is a complete test.
    return { op } as ValueTest;
  }
  const at = [...path, 'value'];
  const value = read(from, input['value'], at);
  if (typeof value === 'string' && STRINGS.includes(op) && sensitive.caseSensitive !== true && hasManyLetters(value))
    return from.refuse(
      at,
      `must have at most ${MAX_LETTERS} different letters beyond ASCII, unless caseSensitive is true`,
    );
  // Safe: the operator's own reader returned the value.
  return value === null ? null : ({ op, value, ...sensitive, ...zone } as ValueTest);
};
