import { MAX_JSON_DEPTH } from '../../foundation/json.ts';

/**
 * Maximum values in a callback with one event. Chosen: five times those of an SES bounce of 50 recipients with all
 * headers.
 */
const MAX_VALUES = 10_000;
/** Maximum values in a callback with many events. Chosen: 1 MB of SendGrid events has about 30,000. */
export const MAX_BATCH_VALUES = 100_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING = 0x7b;
const CLOSING = 0x7d;
const FIRST_BRACKET = 0x5b;
/** With this bit set `[` equals `{` and `]` equals `}`. */
const BRACKET_KIND_BIT = 0x20;

/**
 * True for JSON within the limits of nesting and values, which are what makes parsing cost more than its bytes.
 * Measured: 1 ms per megabyte. Throws nothing.
 */
export const isCheapToParse = (bytes: Uint8Array, maxValues: number): boolean => {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) {
      for (at += 1; at < bytes.length && bytes[at] !== QUOTE; at += 1) if (bytes[at] === BACKSLASH) at += 1;
    } else if (byte === COMMA) {
      values += 1;
    } else if (byte >= FIRST_BRACKET) {
      const kind = byte | BRACKET_KIND_BIT;
      if (kind === OPENING) {
        depth += 1;
        values += 1;
        if (depth > MAX_JSON_DEPTH) return false;
      } else if (kind === CLOSING) depth -= 1;
    }
    if (values > maxValues) return false;
  }
  return true;
};

const decoder = new TextDecoder();

/** Parses JSON; undefined if it is invalid, nested too deeply or has too many values. Throws nothing. */
export const readUntrusted = (input: Uint8Array | string, maxValues = MAX_VALUES): unknown => {
  const isText = typeof input === 'string';
  const bytes = isText ? Buffer.from(input) : input;
  if (!isCheapToParse(bytes, maxValues)) return undefined;
  try {
    return JSON.parse(isText ? input : decoder.decode(bytes));
  } catch {
    return undefined;
  }
};
