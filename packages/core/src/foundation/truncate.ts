/** Bytes of a value as JSON in UTF-8; 0 if it has no JSON form. @throws TypeError on a cycle or a BigInt */
export const utf8Bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

const MARK = '_truncated';
const MARK_BYTES = utf8Bytes({ [MARK]: true }) - utf8Bytes({});
const BRACES_BYTES = 2;
const QUOTES_BYTES = 2;
const COMMA_BYTES = 1;
const COLON_BYTES = 1;

const NAMED_ESCAPES = new Set(['"', '\\', '\b', '\f', '\n', '\r', '\t']);

// Bytes of one code point in a JSON string, as JSON.stringify writes it.
const escapedBytes = (character: string): number => {
  if (NAMED_ESCAPES.has(character)) return 2;
  const point = character.codePointAt(0) ?? 0;
  if (point < 0x20 || (point >= 0xd800 && point <= 0xdfff)) return 6;
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point < 0x10000 ? 3 : 4;
};

const prefixWithin = (text: string, maxBytes: number): string => {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += escapedBytes(character);
    if (bytes > maxBytes) break;
    end += character.length;
  }
  return text.slice(0, end);
};

// Objects that this module marked, to distinguish its mark from one that a client sent.
const marked = new WeakSet<object>();

// A text longer than the limit need not be measured exactly.
const bytesUpTo = (value: unknown, bytesLeft: number): number =>
  typeof value === 'string' && value.length > bytesLeft ? value.length : utf8Bytes(value);

const cut = (object: Readonly<Record<string, unknown>>, maxBytes: number): Record<string, unknown> => {
  const kept: [string, unknown][] = [];
  let bytesLeft = maxBytes - BRACES_BYTES - MARK_BYTES;
  for (const [key, value] of Object.entries(object)) {
    if (key === MARK) continue;
    const bytes = bytesUpTo(value, bytesLeft);
    if (bytes === 0) continue;
    const overhead = utf8Bytes(key) + COLON_BYTES + COMMA_BYTES;
    const memberBytes = overhead + bytes;
    if (memberBytes > bytesLeft) {
      const textBytes = bytesLeft - overhead - QUOTES_BYTES;
      if (typeof value === 'string' && textBytes >= 0) kept.push([key, prefixWithin(value, textBytes)]);
      break;
    }
    kept.push([key, value]);
    bytesLeft -= memberBytes;
  }
  const result = Object.fromEntries([...kept, [MARK, true]]);
  marked.add(result);
  return result;
};

/** True for an object that this module marked. Throws nothing. */
export const isTruncated = (object: object): boolean => marked.has(object);

/** Records that an object with a member `_truncated: true` was cut by the server. */
export const markTruncated = (object: object): void => {
  marked.add(object);
};

/**
 * Shortens strings of an object to one character more than `truncateObject` may keep, so that the rest is never
 * measured. Returns the same object if no string is longer. Throws nothing.
 */
export const clipTexts = (object: Readonly<Record<string, unknown>>, maxBytes: number): typeof object => {
  const isLong = (value: unknown): value is string => typeof value === 'string' && value.length > maxBytes + 1;
  let isAny = false;
  for (const key in object) if (isLong(object[key])) isAny = true;
  if (!isAny) return object;
  const clipped = Object.entries(object).map(([key, value]) => [
    key,
    isLong(value) ? value.slice(0, maxBytes + 1) : value,
  ]);
  return Object.fromEntries(clipped);
};

/**
 * Cuts a client's object to a size, by whole keys.
 *
 * Keys are kept in order (that of `Object.keys`) while they fit together with the mark `_truncated: true`. The first
 * value that does not fit is shortened at a code point if it is a string, and dropped otherwise; all later ones are
 * dropped. It is idempotent: a result keeps its mark, while a `_truncated` from elsewhere is removed. A copy (also
 * through JSON) loses its mark.
 *
 * @param object JSON values; never changed
 * @param maxBytes bytes of UTF-8 of the JSON, mark included; at least 19
 * @returns the same object if it fits and has no foreign mark. Throws nothing.
 * Source: semantics, Truncation.
 */
export const truncateObject = (
  object: Readonly<Record<string, unknown>>,
  maxBytes: number,
): Readonly<Record<string, unknown>> => {
  const unmarked =
    marked.has(object) || !Object.hasOwn(object, MARK)
      ? object
      : Object.fromEntries(Object.entries(object).filter(([key]) => key !== MARK));
  return utf8Bytes(unmarked) <= maxBytes ? unmarked : cut(unmarked, maxBytes);
};
