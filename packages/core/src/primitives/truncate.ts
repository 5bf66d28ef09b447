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

const cut = (object: Readonly<Record<string, unknown>>, maxBytes: number): Record<string, unknown> => {
  const kept: [string, unknown][] = [];
  let room = maxBytes - BRACES_BYTES - MARK_BYTES;
  for (const [key, value] of Object.entries(object)) {
    if (key === MARK || JSON.stringify(value) === undefined) continue;
    const around = utf8Bytes(key) + COLON_BYTES + COMMA_BYTES;
    const whole = around + utf8Bytes(value);
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
