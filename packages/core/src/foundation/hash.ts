import { createHmac, hash, randomBytes as systemRandomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 as zlibCrc32 } from 'node:zlib';

/** SHA-256 as 64 lower-case hex digits. A string is hashed as UTF-8 (a lone surrogate as U+FFFD). Throws nothing. */
export const sha256Hex = (data: Uint8Array | string): string => hash('sha256', data, 'hex');

/**
 * SHA-256 of a string as UTF-8: 32 characters, each the code of one byte. For hot paths: an array of bytes takes
 * several times as long to create. Throws nothing.
 */
export const sha256Bytes = (text: string): string => hash('sha256', text, 'latin1');

/** HMAC-SHA-256, 32 bytes. Throws nothing. */
export const hmacSha256 = (key: Uint8Array, data: Uint8Array): Uint8Array =>
  createHmac('sha256', key).update(data).digest();

/**
 * Compares two digests, signatures or tokens in a time that does not depend on where they differ. Unequal lengths
 * return early: lengths are not secret here. Throws nothing.
 */
export const constantTimeEqual = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && timingSafeEqual(a, b);

/**
 * CRC-32 (as in zlib and PNG) as an unsigned integer. A string counts as UTF-8. Detects typos; not a security check.
 */
export const crc32 = (data: Uint8Array | string): number => zlibCrc32(data);

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
// The greatest multiple of 62 below 256: bytes from here on would favour the first digits.
const UNBIASED_LIMIT = 248;

/**
 * Writes a number in base 62 (digits, then capitals, then small letters), padded with zeros.
 *
 * @param value safe integer, 0 or more
 * @param width characters of the result
 * @throws RangeError when the number does not fit in `width` characters
 */
export const base62 = (value: number, width: number): string => {
  let text = '';
  let remainder = value;
  for (let place = 0; place < width; place++) {
    text = BASE62.charAt(remainder % 62) + text;
    remainder = Math.floor(remainder / 62);
  }
  if (remainder !== 0) throw new RangeError(`The number does not fit in ${width} characters of base 62.`);
  return text;
};

/**
 * Random text of base 62, each character equally likely: 5.95 bits per character.
 *
 * @param randomBytes returns that many random bytes; the operating system's by default
 */
export const randomBase62 = (length: number, randomBytes: (size: number) => Uint8Array = systemRandomBytes): string => {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < UNBIASED_LIMIT) text += BASE62.charAt(byte % 62);
    }
  }
  return text;
};

/** Maximum nesting of `stableJson`: twice what a body may have, since stored values wrap bodies. */
const MAX_STABLE_DEPTH = 64;

const stableText = (value: unknown, depth: number): string | undefined => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (depth > MAX_STABLE_DEPTH) throw new RangeError(`stableJson follows at most ${MAX_STABLE_DEPTH} levels.`);
  if ('toJSON' in value && typeof value.toJSON === 'function') return stableText(value.toJSON(), depth + 1);
  if (Array.isArray(value)) return `[${value.map((item) => stableText(item, depth + 1) ?? 'null').join(',')}]`;
  const members: string[] = [];
  for (const [key, item] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const text = stableText(item, depth + 1);
    if (text !== undefined) members.push(`${JSON.stringify(key)}:${text}`);
  }
  return `{${members.join(',')}}`;
};

/**
 * JSON with keys sorted by UTF-16 code unit at every level and no spaces, so equal values have equal text. For hashes.
 * Otherwise as `JSON.stringify`: undefined members are left out, dates are ISO 8601. A top-level undefined becomes
 * `null`.
 *
 * @throws RangeError beyond 64 levels (a cycle, too); TypeError on a BigInt
 */
export const stableJson = (value: unknown): string => stableText(value, 1) ?? 'null';

/**
 * A fast digest of a text, not collision resistant. For indexes and partitions whose readers compare the text as well.
 * Source: cyrb53 by bryc (public domain), cut to 48 bits.
 *
 * @param seed an integer; different seeds give different digests
 * @returns an integer from 0 to 2^48 - 1. Throws nothing.
 */
export const digest48 = (text: string, seed = 0): number => {
  let low = 0xdeadbeef ^ seed;
  let high = 0x41c6ce57 ^ seed;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    low = Math.imul(low ^ unit, 2654435761);
    high = Math.imul(high ^ unit, 1597334677);
  }
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  return (high & 0xffff) * 0x1_0000_0000 + (low >>> 0);
};
