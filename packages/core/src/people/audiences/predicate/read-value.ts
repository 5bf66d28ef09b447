import { isObject } from '../../../foundation/json.ts';
import { isTimeZone } from '../../../foundation/time-zones.ts';
import type { Path, Reading } from './reading.ts';
import { type Scalar, type Span, spanMs, UNIT_MS } from './types.ts';
import { dateOf, versionOf } from './values.ts';

/** Maximum values of a list. Source: contract, Audiences. */
export const MAX_VALUES = 1_000;
/** Maximum characters of a time zone. Chosen: twice the longest name. */
export const MAX_ZONE = 64;
/** Maximum characters of a compared value. Chosen: above any real value. */
export const MAX_TEXT = 1_024;
/** Maximum span, in days. Chosen: a hundred years, so that both databases can store every resulting time. */
export const MAX_SPAN_DAYS = 36_500;

// Normalized like stored client text, otherwise it could never be equal.
const clean = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');

const isShort = (text: string): boolean => text.length <= MAX_TEXT;

export const readScalar = (from: Reading, input: unknown, path: Path): Scalar | null => {
  if (typeof input === 'boolean') return input;
  // Adding 0 turns -0 into 0, as stored numbers have no sign of zero.
  if (typeof input === 'number' && Number.isFinite(input)) return input + 0;
  if (typeof input === 'string')
    return isShort(input) ? clean(input) : from.refuse(path, `must have at most ${MAX_TEXT} characters`);
  return from.refuse(path, 'must be a text, a number, true or false');
};

export const readScalars = (from: Reading, input: unknown, path: Path): readonly Scalar[] | null => {
  if (!Array.isArray(input) || input.length === 0 || input.length > MAX_VALUES)
    return from.refuse(path, `must be a list of 1 to ${MAX_VALUES} values`);
  const read: Scalar[] = [];
  for (const [index, one] of input.entries()) {
    const value = readScalar(from, one, [...path, index]);
    if (value === null) return null;
    read.push(value);
  }
  return [...new Set(read)];
};

export const readNumber = (from: Reading, input: unknown, path: Path): number | null =>
  typeof input === 'number' && Number.isFinite(input) ? input + 0 : from.refuse(path, 'must be a number');

export const readRange = (from: Reading, input: unknown, path: Path): readonly [number, number] | null => {
  if (!Array.isArray(input) || input.length !== 2) return from.refuse(path, 'must be a list of two numbers');
  const [least, most] = [readNumber(from, input[0], [...path, 0]), readNumber(from, input[1], [...path, 1])];
  if (least === null || most === null) return null;
  return least <= most ? [least, most] : from.refuse(path, 'must have the smaller number first');
};

export const readText = (from: Reading, input: unknown, path: Path): string | null => {
  if (typeof input !== 'string' || input === '') return from.refuse(path, 'must be text of at least one character');
  return isShort(input) ? clean(input) : from.refuse(path, `must have at most ${MAX_TEXT} characters`);
};

export const readDate = (from: Reading, input: unknown, path: Path): string | number | null =>
  (typeof input === 'string' || typeof input === 'number') && dateOf(input) !== null
    ? input
    : from.refuse(path, 'must be a date such as 2026-11-22, 2026-11-22T18:30:00Z or a unix time');

/** `timezone` of a test: for dates only. */
export const readZone = (
  from: Reading,
  input: unknown,
  isDate: boolean,
  path: Path,
): { readonly timezone?: string } => {
  if (input === undefined) return {};
  if (!isDate) from.refuse(path, 'is allowed only with before, after, within_last, within_next and older_than');
  else if (typeof input !== 'string' || input.length > MAX_ZONE) from.refuse(path, 'must be the name of a time zone');
  else if (input !== 'user' && input !== 'org' && !isTimeZone(input))
    from.refuse(path, 'must be user, org or an IANA time zone such as Europe/Paris');
  else return { timezone: input };
  return {};
};

export const readVersion = (from: Reading, input: unknown, path: Path): string | null =>
  typeof input === 'string' && versionOf(input) !== null && !/[-+]/.test(input)
    ? input
    : from.refuse(path, 'must be one to four numbers with dots between them, such as 2.10.0');

const isUnit = (unit: unknown): unit is Span['unit'] => typeof unit === 'string' && Object.hasOwn(UNIT_MS, unit);

export const readSpan = (from: Reading, input: unknown, path: Path): Span | null => {
  if (!isObject(input)) return from.refuse(path, 'must be { n, unit }');
  from.onlyKeys(input, ['n', 'unit'], path);
  const { n, unit } = input;
  // Accepts "day" and "days".
  const plural = typeof unit === 'string' && !unit.endsWith('s') ? `${unit}s` : unit;
  if (!isUnit(plural)) return from.refuse([...path, 'unit'], `must be one of ${Object.keys(UNIT_MS).join(', ')}`);
  if (typeof n !== 'number' || !Number.isInteger(n) || n < 1)
    return from.refuse([...path, 'n'], 'must be a whole number of at least 1');
  const span: Span = { n, unit: plural };
  return spanMs(span) <= MAX_SPAN_DAYS * UNIT_MS.days
    ? span
    : from.refuse([...path, 'n'], `must be at most ${MAX_SPAN_DAYS} days`);
};

/** `caseSensitive` of a test: for texts only; omitted if it is the default. */
export const readCase = (
  from: Reading,
  input: unknown,
  isText: boolean,
  path: Path,
): { readonly caseSensitive?: true } => {
  if (input === undefined) return {};
  if (!isText) from.refuse(path, 'is allowed only with contains, not_contains, starts_with and ends_with');
  else if (typeof input !== 'boolean') from.refuse(path, 'must be true or false');
  return input === true && isText ? { caseSensitive: true } : {};
};
