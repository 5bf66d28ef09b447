import { base62, crc32, randomBase62, sha256Hex } from '../../foundation/hash.ts';
import type { Environment } from '../../foundation/scope.ts';

/**
 * `public` keys may be used in a client; `secret` keys stay on a server. A custom key has the kind with which it was
 * created.
 */
export type KeyKind = 'public' | 'secret';

/** Kind and environment encoded in a key. */
export type KeyShape = { readonly kind: KeyKind; readonly environment: Environment };

const PREFIXES: ReadonlyMap<string, KeyShape> = new Map([
  ['pk_prod_', { kind: 'public', environment: 'prod' }],
  ['sk_prod_', { kind: 'secret', environment: 'prod' }],
  ['pk_test_', { kind: 'public', environment: 'test' }],
  ['sk_test_', { kind: 'secret', environment: 'test' }],
]);
const PREFIX_CHARACTERS = 8;
/** 190 bits. Source: contract, Keys and scopes, which requires at least 128 bits. */
const RANDOM_CHARACTERS = 32;
/** Fits any CRC-32: 62^6 is above 2^32. Source: contract, Keys and scopes. */
const CHECKSUM_CHARACTERS = 6;
const KEY_CHARACTERS = PREFIX_CHARACTERS + RANDOM_CHARACTERS + CHECKSUM_CHARACTERS;

const checksum = (text: string): string => base62(crc32(text), CHECKSUM_CHARACTERS);

/**
 * A new API key: prefix (`sk_prod_`), 32 random characters of base 62, and 6 with the CRC-32 of everything before.
 *
 * @param randomBytes returns that many random bytes; the operating system's by default
 */
export const generateKey = (
  kind: KeyKind,
  environment: Environment,
  randomBytes?: (size: number) => Uint8Array,
): string => {
  const body = `${kind === 'public' ? 'pk' : 'sk'}_${environment}_${randomBase62(RANDOM_CHARACTERS, randomBytes)}`;
  return body + checksum(body);
};

/**
 * Reads kind and environment from a key, so that a mistyped one needs no look-up.
 *
 * @param text as the client sent it; prefixes are case sensitive
 * @returns null if length, prefix, alphabet or checksum is wrong. Throws nothing, and long text takes no longer.
 */
export const parseKey = (text: string): KeyShape | null => {
  if (text.length !== KEY_CHARACTERS) return null;
  const shape = PREFIXES.get(text.slice(0, PREFIX_CHARACTERS));
  const body = text.slice(0, -CHECKSUM_CHARACTERS);
  if (!shape || !/^[0-9A-Za-z]+$/.test(text.slice(PREFIX_CHARACTERS))) return null;
  return checksum(body) === text.slice(-CHECKSUM_CHARACTERS) ? shape : null;
};

/** The stored form of a key: SHA-256 in hex. A fast hash is enough, since the key is random. */
export const hashKey = (text: string): string => sha256Hex(text);

/** The last four characters, by which a key is recognised in lists. */
export const lastFour = (text: string): string => text.slice(-4);
