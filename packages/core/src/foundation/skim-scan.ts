// Walks over the bytes of JSON text that nobody has parsed. Every function answers an index and ends at the last byte at
// the latest; one that answers where it began found nothing. UTF-8 never hides an ASCII byte in another character.

/** Bytes of a free-form object as stored: beyond them nothing of it is kept. Source: interface, Truncation. */
export const MAX_PARTED_BYTES = 16_384;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const COLON = 0x3a;
const COMMA = 0x2c;
/** A character that is stored as one byte is written as six at most, such as `\u0041`. */
const WRITTEN_PER_STORED = 6;

/** Where something other than white space begins. */
export const skipSpace = (bytes: Uint8Array, from: number): number => {
  let at = from;
  // Every control character counts: what is no JSON for that is found by the parser, or was dropped.
  while (at < bytes.length && (bytes[at] ?? 0) <= SPACE) at += 1;
  return at;
};

/** Behind the closing quote of the text that begins here. */
export const skipText = (bytes: Uint8Array, from: number): number => {
  if (bytes[from] !== QUOTE) return from;
  for (let at = from + 1; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at += 1;
  }
  return from;
};

const isEndOfScalar = (byte: number): boolean =>
  byte <= SPACE || byte === COMMA || byte === CLOSE || byte === CLOSE_LIST || byte === COLON;

/** Behind `depth` closing brackets; `weigh` gets what is met on the way, in stored bytes at the least. */
const skipBrackets = (bytes: Uint8Array, from: number, depth: number, weigh: (stored: number) => void): number => {
  let open = depth;
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const end = skipText(bytes, at);
      if (end === at) return from;
      weigh(2 + (end - at - 2) / WRITTEN_PER_STORED);
      at = end - 1;
    } else if (byte === OPEN || byte === OPEN_LIST) {
      open += 1;
      weigh(2);
    } else if (byte === CLOSE || byte === CLOSE_LIST) {
      open -= 1;
      if (open === 0) return at + 1;
    } else if (byte === COMMA) weigh(1);
  }
  return from;
};

const ignore = (): void => {};

/** Behind the value that begins here. */
export const skipValue = (bytes: Uint8Array, from: number, weigh: (stored: number) => void = ignore): number => {
  const byte = bytes[from];
  if (byte === QUOTE) {
    const end = skipText(bytes, from);
    weigh(2 + (end - from - 2) / WRITTEN_PER_STORED);
    return end;
  }
  if (byte === OPEN || byte === OPEN_LIST) return skipBrackets(bytes, from, 0, weigh);
  let at = from;
  while (at < bytes.length && !isEndOfScalar(bytes[at] ?? 0)) at += 1;
  weigh(1);
  return at;
};

/** `keptEnd`: behind the last member that is kept; null: all of them are. */
export type Parted = { readonly end: number; readonly keptEnd: number | null };

/**
 * Finds the end of an object, and of that part of it beyond which nothing can be stored: members are kept in their order
 * until they surely take more than `maxBytes`; a text that does so itself is kept, to be shortened. A lower bound is
 * enough, since what is kept is measured and cut once it is parsed.
 */
export const partObject = (bytes: Uint8Array, from: number, maxBytes: number): Parted => {
  const nothing = { end: from, keptEnd: null };
  let stored = 2;
  const weigh = (more: number): void => {
    stored += more;
  };
  let kept = from + 1;
  let at = skipSpace(bytes, kept);
  if (bytes[at] === CLOSE) return { end: at + 1, keptEnd: null };
  for (;;) {
    const key = skipText(bytes, at);
    const colon = skipSpace(bytes, key);
    if (key === at || bytes[colon] !== COLON) return nothing;
    // Its quotes and colon, and the comma before the next.
    weigh(4 + (key - at - 2) / WRITTEN_PER_STORED);
    const value = skipSpace(bytes, colon + 1);
    const end = skipValue(bytes, value, weigh);
    if (end === value) return nothing;
    const isFull = stored > maxBytes;
    if (!isFull || bytes[value] === QUOTE) kept = end;
    at = skipSpace(bytes, end);
    if (bytes[at] === CLOSE) return { end: at + 1, keptEnd: kept === end ? null : kept };
    if (bytes[at] !== COMMA) return nothing;
    if (isFull) {
      const close = skipBrackets(bytes, at, 1, ignore);
      return close === at ? nothing : { end: close, keptEnd: kept };
    }
    at = skipSpace(bytes, at + 1);
  }
};
