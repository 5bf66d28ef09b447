import { base62, crc32, randomBase62, sha256Hex } from '../../foundation/hash.ts';
import type { Environment } from '../../foundation/scope.ts';

/** `public` keys may stand in a client; `secret` ones stay on a server. A custom key is of the kind it was made as. */
export type KeyKind = 'public' | 'secret';

/** What a key's text says about itself. */
export type KeyShape = { readonly kind: KeyKind; readonly environment: Environment };

const PREFIXES: ReadonlyMap<string, KeyShape> = new Map([
  ['pk_prod_', { kind: 'public', environment: 'prod' }],
  ['sk_prod_', { kind: 'secret', environment: 'prod' }],
  ['pk_test_', { kind: 'public', environment: 'test' }],
  ['sk_test_', { kind: 'secret', environment: 'test' }],
]);
const PREFIX_CHARACTERS = 8;
/** 190 bits. Source: contract, Keys and scopes; at least 128 bits are asked for. */
const RANDOM_CHARACTERS = 32;
/** Room for any CRC-32: 62^6 is above 2^32. Source: contract, Keys and scopes. */
const CHECKSUM_CHARACTERS = 6;
const KEY_CHARACTERS = PREFIX_CHARACTERS + RANDOM_CHARACTERS + CHECKSUM_CHARACTERS;

const checksum = (text: string): string => base62(crc32(text), CHECKSUM_CHARACTERS);

/**
 * A new API key: prefix (`sk_prod_`), 32 random characters of base 62, and 6 that are the CRC-32 of all before.
 *
 * @param randomBytes gives that many random bytes; the operating system's by default
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
 * Reads the kind and the environment off a key, so that a mistyped one needs no look-up.
 *
 * @param text as the client sent it; prefixes are matched in their exact case
 * @returns null when length, prefix, alphabet or checksum is wrong. Throws nothing, and takes no longer for more text.
 */
export const parseKey = (text: string): KeyShape | null => {
  if (text.length !== KEY_CHARACTERS) return null;
  const shape = PREFIXES.get(text.slice(0, PREFIX_CHARACTERS));
  const body = text.slice(0, -CHECKSUM_CHARACTERS);
  if (!shape || !/^[0-9A-Za-z]+$/.test(text.slice(PREFIX_CHARACTERS))) return null;
  return checksum(body) === text.slice(-CHECKSUM_CHARACTERS) ? shape : null;
};

/** What is stored of a key: SHA-256 in hex. A fast hash is right, since the key is random. */
export const hashKey = (text: string): string => sha256Hex(text);

/** The four characters by which a key is recognised in lists. */
export const lastFour = (text: string): string => text.slice(-4);
