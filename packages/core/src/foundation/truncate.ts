/** Bytes of UTF-8 that a value takes as JSON; 0 for what has no JSON form. @throws TypeError on a cycle or a BigInt */
export const utf8Bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

const MARK = '_truncated';
const MARK_BYTES = utf8Bytes({ [MARK]: true }) - utf8Bytes({});
const BRACES_BYTES = 2;
const QUOTES_BYTES = 2;
const COMMA_BYTES = 1;
const COLON_BYTES = 1;

const NAMED_ESCAPES = new Set(['"', '\\', '\b', '\f', '\n', '\r', '\t']);

// Bytes of one code point inside a JSON string, as JSON.stringify writes it.
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

// Objects that carry a mark of ours. It is what tells our mark from one that a client sent.
const marked = new WeakSet<object>();

// Of a text that is longer than the room nobody has to know how much.
const bytesBeyond = (value: unknown, room: number): number =>
  typeof value === 'string' && value.length > room ? value.length : utf8Bytes(value);

const cut = (object: Readonly<Record<string, unknown>>, maxBytes: number): Record<string, unknown> => {
  const kept: [string, unknown][] = [];
  let room = maxBytes - BRACES_BYTES - MARK_BYTES;
  for (const [key, value] of Object.entries(object)) {
    if (key === MARK) continue;
    const bytes = bytesBeyond(value, room);
    if (bytes === 0) continue;
    const around = utf8Bytes(key) + COLON_BYTES + COMMA_BYTES;
    const whole = around + bytes;
    if (whole > room) {
      const forText = room - around - QUOTES_BYTES;
      if (typeof value === 'string' && forText >= 0) kept.push([key, prefixWithin(value, forText)]);
      break;
    }
    kept.push([key, value]);
    room -= whole;
  }
  const result = Object.fromEntries([...kept, [MARK, true]]);
  marked.add(result);
  return result;
};

/** True for an object whose mark is ours. Throws nothing. */
export const isTruncated = (object: object): boolean => marked.has(object);

/** Says of an object with a member `_truncated: true` that it was cut already, so that the mark is ours. */
export const markTruncated = (object: object): void => {
  marked.add(object);
};

/**
 * Shortens the texts among an object's members to what `truncateObject` may keep of them and one character more, so that
 * nobody has to look at the rest. The same object where there is none. Throws nothing.
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
 * Keys are kept in their order (that of `Object.keys`) while they fit together with the mark `_truncated: true`; the
 * first value that does not fit is shortened if it is a string, at a code point, and dropped otherwise; all after it is
 * dropped. Done twice it changes nothing: what this function returned keeps its mark, while a `_truncated` that anybody
 * else wrote is removed. A copy (through JSON, too) counts as anybody else's.
 *
 * @param object JSON values; never changed
 * @param maxBytes bytes of UTF-8 of the JSON, mark included; at least 19
 * @returns the same object when it fits and carries no foreign mark. Throws nothing.
 * Source: semantics, Truncation.
 */
export const truncateObject = (
  object: Readonly<Record<string, unknown>>,
  maxBytes: number,
): Readonly<Record<string, unknown>> => {
  const own =
    marked.has(object) || !Object.hasOwn(object, MARK)
      ? object
      : Object.fromEntries(Object.entries(object).filter(([key]) => key !== MARK));
  return utf8Bytes(own) <= maxBytes ? own : cut(own, maxBytes);
};
