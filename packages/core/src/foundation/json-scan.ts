// Scans the bytes of JSON text without parsing it. Every function returns an index, at most the length; a function that
// returns its start index found nothing. In UTF-8, an ASCII byte is never part of another character.

/** Maximum stored bytes of a free-form object; the rest is dropped. Source: interface, Truncation. */
export const MAX_KEPT_BYTES = 16_384;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const COLON = 0x3a;
const COMMA = 0x2c;
/** A character stored as one byte takes at most six bytes in JSON text, such as `\u0041`. */
const TEXT_BYTES_PER_STORED = 6;

/** The index of the next byte that is not white space. */
export const skipSpace = (bytes: Uint8Array, from: number): number => {
  let at = from;
  // Control characters count as white space: the parser rejects them later, or they were dropped.
  while (at < bytes.length && (bytes[at] ?? 0) <= SPACE) at += 1;
  return at;
};

/** The index after the closing quote of the string that begins here. */
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

/** The index after `depth` closing brackets. `weigh` receives a lower bound of the stored bytes. */
const skipBrackets = (bytes: Uint8Array, from: number, depth: number, addBytes: (stored: number) => void): number => {
  let open = depth;
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const end = skipText(bytes, at);
      if (end === at) return from;
      addBytes(2 + (end - at - 2) / TEXT_BYTES_PER_STORED);
      at = end - 1;
    } else if (byte === OPEN || byte === OPEN_LIST) {
      open += 1;
      addBytes(2);
    } else if (byte === CLOSE || byte === CLOSE_LIST) {
      open -= 1;
      if (open === 0) return at + 1;
    } else if (byte === COMMA) addBytes(1);
  }
  return from;
};

const ignore = (): void => {};

/** The index after the value that begins here. */
export const skipValue = (bytes: Uint8Array, from: number, addBytes: (stored: number) => void = ignore): number => {
  const byte = bytes[from];
  if (byte === QUOTE) {
    const end = skipText(bytes, from);
    addBytes(2 + (end - from - 2) / TEXT_BYTES_PER_STORED);
    return end;
  }
  if (byte === OPEN || byte === OPEN_LIST) return skipBrackets(bytes, from, 0, addBytes);
  let at = from;
  while (at < bytes.length && !isEndOfScalar(bytes[at] ?? 0)) at += 1;
  addBytes(1);
  return at;
};

/** `keptEnd`: index after the last kept member; null if all are kept. */
export type ObjectSpan = { readonly end: number; readonly keptEnd: number | null };

/**
 * Finds the end of an object and the end of the part that can be stored. Members are kept in order until their lower
 * bound exceeds `maxBytes`. A string that exceeds it alone is kept, to be shortened later. A lower bound is enough,
 * since the kept part is measured and cut after parsing.
 */
export const scanObject = (bytes: Uint8Array, from: number, maxBytes: number): ObjectSpan => {
  const nothing = { end: from, keptEnd: null };
  let stored = 2;
  const addBytes = (more: number): void => {
    stored += more;
  };
  let kept = from + 1;
  let at = skipSpace(bytes, kept);
  if (bytes[at] === CLOSE) return { end: at + 1, keptEnd: null };
  for (;;) {
    const key = skipText(bytes, at);
    const colon = skipSpace(bytes, key);
    if (key === at || bytes[colon] !== COLON) return nothing;
    // Quotes, colon and comma.
    addBytes(4 + (key - at - 2) / TEXT_BYTES_PER_STORED);
    const value = skipSpace(bytes, colon + 1);
    const end = skipValue(bytes, value, addBytes);
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
