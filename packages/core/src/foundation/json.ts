// Parses and cleans JSON from clients, so that both databases store it alike and later code can rely on its depth and
// numbers. Order: depth, parse, finite numbers (parseJson); then, per free-form object, normalise and truncate. All of
// it runs for each event, so each function first checks cheaply whether there is work to do.

import { MAX_FIELD_ERRORS, validationError } from './errors.ts';
import { type BodyShape, PRE_SCAN_FROM_BYTES, preScan } from './pre-scan.ts';
import { markTruncated } from './truncate.ts';

export { clipTexts, isTruncated, markTruncated, truncateObject, utf8Bytes } from './truncate.ts';

/** Maximum levels of `{` and `[`; the root is level 1. Source: semantics, JSON depth and numbers. */
export const MAX_JSON_DEPTH = 32;

// Drops a byte order mark and decodes invalid UTF-8 as U+FFFD.
const decoder = new TextDecoder();

const TOO_DEEP = `Nested deeper than ${MAX_JSON_DEPTH} levels.`;
const NOT_FINITE = 'The number does not fit a 64-bit float.';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_BRACKET = 0x5b;
// Setting this bit turns [ into { and ] into }.
const BRACKET_KIND_BIT = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;
const OPENERS = ['{', '['] as const;

// Most bodies contain fewer opening brackets than the allowed levels; then the depth need not be counted. Measured: the
// native search of a 400-byte event costs 0.1 microseconds, a loop over its bytes 0.7.
const hasFewOpeners = (text: string): boolean => {
  let count = 0;
  for (const opener of OPENERS) {
    for (let at = text.indexOf(opener); at !== -1; at = text.indexOf(opener, at + 1)) {
      if (++count > MAX_JSON_DEPTH) return false;
    }
  }
  return true;
};

// Works on bytes, with an inner loop for strings. Measured: 1 microsecond per KB, a third of the same loop over text. A
// byte of a multi-byte character never equals an ASCII byte, even in invalid UTF-8.
/**
 * True for JSON with a level 33. `JSON.parse` would take a hundred times as long for it as this check. Throws nothing.
 */
export const isTooDeep = (bytes: Uint8Array): boolean => {
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) {
      for (at++; at < bytes.length && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++;
    } else if (byte >= FIRST_BRACKET) {
      const kind = byte | BRACKET_KIND_BIT;
      if (kind === OPENING) {
        if (++depth > MAX_JSON_DEPTH) return true;
      } else if (kind === CLOSING) depth--;
    }
  }
  return false;
};

const isAllFinite = (value: unknown): boolean => {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isAllFinite);
  // Proof of the cast: a non-null object that is no array, read by its own keys, gives unknown values.
  for (const key in value) if (!isAllFinite((value as Record<string, unknown>)[key])) return false;
  return true;
};

const childPath = (path: string, key: string | number): string => (path === '' ? `${key}` : `${path}.${key}`);

// Stops at the number of fields that an error lists: a body of 1 MB could contain 200,000.
const collectNonFinite = (value: unknown, path: string, found: string[]): void => {
  if (found.length === MAX_FIELD_ERRORS) return;
  if (typeof value === 'number' && !Number.isFinite(value)) found.push(path || 'body');
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) collectNonFinite(item, childPath(path, key), found);
};

const notJson = () => validationError({ body: ['must be valid JSON'] });

const parseFinite = (text: string): unknown => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message quotes the body, so it is dropped.
    throw notJson();
  }
  if (!isAllFinite(value)) {
    const paths: string[] = [];
    collectNonFinite(value, '', paths);
    throw validationError(Object.fromEntries(paths.map((path) => [path, [NOT_FINITE]])));
  }
  return value;
};

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const FIRST_OPENER = 0x7b;

const parsePreScanned = (body: Uint8Array, shape: BodyShape): unknown => {
  const bytes = BYTE_ORDER_MARK.every((byte, at) => body[at] === byte) ? body.subarray(3) : body;
  const found = preScan(bytes, shape);
  if (found === null) {
    if (bytes[0] === FIRST_OPENER) throw notJson();
    throw validationError({ body: ['must be a JSON object'] });
  }
  const value = parseFinite(decoder.decode(found.bytes));
  if (isObject(value))
    for (const name of found.cut) {
      const object = value[name];
      if (isObject(object)) markTruncated(object);
    }
  return value;
};

/**
 * Parses a request body.
 *
 * @param bytes UTF-8; a byte order mark is dropped, invalid UTF-8 becomes U+FFFD
 * @param shape the members that the route reads, which keeps the cost of a large body low: see `preScan`. The body must
 * then be an object
 * @returns the value; the last of duplicate keys counts; `__proto__` is an own property like any other
 * @throws BeckonError VALIDATION_ERROR: `fieldErrors.body` for invalid JSON or a level 33; the dotted path of each
 * number that is not finite
 */
export const parseJson = (bytes: Uint8Array, shape?: BodyShape): unknown => {
  const text = decoder.decode(bytes);
  if (!hasFewOpeners(text) && isTooDeep(bytes)) throw validationError({ body: [TOO_DEEP] });
  return shape && bytes.byteLength > PRE_SCAN_FROM_BYTES ? parsePreScanned(bytes, shape) : parseFinite(text);
};

const isCleanText = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

const isClean = (value: unknown, level: number): boolean => {
  if (typeof value === 'string') return isCleanText(value);
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value === 'bigint') return false;
  if (typeof value !== 'object' || value === null) return true;
  if (level > MAX_JSON_DEPTH) return false;
  if (Array.isArray(value)) {
    for (const item of value) if (!isClean(item, level + 1)) return false;
    return true;
  }
  for (const key in value) {
    if (key === '__proto__' || !isCleanText(key)) return false;
    // Proof of the cast: a non-null object that is no array, read by its own keys, gives unknown values.
    if (!isClean((value as Record<string, unknown>)[key], level + 1)) return false;
  }
  return true;
};

/** Replaces lone surrogates and U+0000, which PostgreSQL cannot store, with U+FFFD. Throws nothing. */
export const cleanText = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');

const cleanKey = (key: string, path: string): string => {
  if (key === '__proto__') throw validationError({ [childPath(path, key)]: ['is not an allowed key'] });
  if (key.includes('\0'))
    throw validationError({ [childPath(path, cleanText(key))]: ['must not contain the character U+0000 in a key'] });
  return key.toWellFormed();
};

const clean = (value: unknown, path: string, level: number): unknown => {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value === 'number' && !Number.isFinite(value)) throw validationError({ [path || 'body']: [NOT_FINITE] });
  if (typeof value === 'bigint') throw validationError({ [path || 'body']: ['must not be a BigInt: JSON has none'] });
  // A Date comes from an embedding program only, and its JSON form is plain ASCII.
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (level > MAX_JSON_DEPTH) throw validationError({ [path || 'body']: [TOO_DEEP] });
  if (Array.isArray(value)) return value.map((item, index) => clean(item, childPath(path, index), level + 1));
  const entries = Object.entries(value).map(([key, item]) => {
    const name = cleanKey(key, path);
    return [name, clean(item, childPath(path, name), level + 1)];
  });
  return Object.fromEntries(entries);
};

/**
 * Cleans a client's free-form value (properties, traits, metadata) so that SQLite and PostgreSQL store it alike.
 *
 * @param value JSON value; never changed
 * @param path path of the value in the body (`properties`), for the names in errors
 * @returns the same object if there is nothing to change, else a copy in which lone surrogates and, in values, U+0000
 * are replaced with U+FFFD; of two keys that become equal, the last counts
 * @throws BeckonError VALIDATION_ERROR for a key `__proto__` or with U+0000, a number that is not finite, a BigInt, and
 * more than 32 levels. `constructor` and `prototype` are ordinary keys.
 * Source: semantics, Unicode; the `__proto__` rule: a later merge could set a prototype.
 */
export const normaliseFreeForm = <Value>(value: Value, path = ''): Value =>
  // Proof of the cast: a copy has the same keys and the same JSON types at every place; only characters differ.
  isClean(value, 1) ? value : (clean(value, path, 1) as Value);

/**
 * Makes an id or a name storable: lone surrogates become U+FFFD. There is no Unicode normalisation, since ids compare
 * byte by byte.
 *
 * @returns null if it contains U+0000, which the caller rejects with 400. Throws nothing.
 */
export const cleanId = (text: string): string | null => (text.includes('\0') ? null : text.toWellFormed());

/** True for a JSON object: not an array and not null. Throws nothing. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** True for an object without a class. Throws nothing. */
export const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> => {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

const INDEX = /^(?:0|[1-9]\d{0,9})$/;

/**
 * The value at one step of a path: an own member of a plain object, or the element of an array at a numeric index.
 * Undefined if there is none. Throws nothing.
 */
export const memberAt = (value: unknown, name: string): unknown => {
  if (Array.isArray(value)) return INDEX.test(name) ? value[Number(name)] : undefined;
  return isPlainObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
};
