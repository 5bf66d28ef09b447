// Formats and hashes of secrets that grant access once or for a while. The database stores their hashes only.

import { randomBytes as systemRandomBytes } from 'node:crypto';
import { constantTimeEqual, hmacSha256, sha256Hex } from '../../foundation/hash.ts';
import type { DerivedKeys } from '../../foundation/secrets.ts';

/** Purpose of the keys of emailed codes, for `keyring.derived`. */
export const CODE_KEY_PURPOSE = 'auth-codes';

/** Prefix, random bytes and life of each kind. A life of null is a setting. Source: authentication design, Tokens. */
const FORMATS = {
  refresh: { prefix: 'rt_', bytes: 32, lifeMs: null },
  mfa_challenge: { prefix: 'mfc_', bytes: 24, lifeMs: 10 * 60_000 },
  magic: { prefix: 'ml_', bytes: 32, lifeMs: 10 * 60_000 },
  reset: { prefix: 'pr_', bytes: 32, lifeMs: 30 * 60_000 },
  verify: { prefix: 'ev_', bytes: 32, lifeMs: 24 * 3_600_000 },
  email_change: { prefix: 'ec_', bytes: 32, lifeMs: 24 * 3_600_000 },
  email_undo: { prefix: 'eu_', bytes: 32, lifeMs: 72 * 3_600_000 },
  state: { prefix: 'st_', bytes: 32, lifeMs: 10 * 60_000 },
  exchange: { prefix: 'oc_', bytes: 32, lifeMs: 60_000 },
  scim: { prefix: 'scim_', bytes: 30, lifeMs: null },
} as const;

/** A kind of secret. The prefix shows the kind, so that a log scrubber finds each of them. */
export type SecretKind = keyof typeof FORMATS;
/** Kinds whose life is fixed. */
type TimedSecretKind = Exclude<SecretKind, 'refresh' | 'scim'>;

/**
 * Prefix of a kind.
 *
 * @internal
 */
export const prefixOf = (kind: SecretKind): string => FORMATS[kind].prefix;
/** Milliseconds for which a secret of a kind is valid. */
export const lifeMsOf = (kind: TimedSecretKind): number => FORMATS[kind].lifeMs;

/**
 * A new secret: the prefix and 43 characters of base64url (32 for `mfa_challenge`, 40 for `scim`). Show it once and store `hashSecret`.
 *
 * @param randomBytes returns that many random bytes; the operating system's by default
 */
export const newSecret = (kind: SecretKind, randomBytes: (size: number) => Uint8Array = systemRandomBytes): string => {
  const { prefix, bytes } = FORMATS[kind];
  return prefix + Buffer.from(randomBytes(bytes)).toString('base64url');
};

const PATTERNS = new Map(
  Object.entries(FORMATS).map(([kind, { prefix, bytes }]) => [
    kind,
    new RegExp(`^${prefix}[\\w-]{${Math.ceil((bytes * 4) / 3)}}$`),
  ]),
);

/** True for a text in the form of this kind. Check it before the look-up in the database. Throws nothing. */
export const isSecret = (kind: SecretKind, input: unknown): input is string =>
  typeof input === 'string' && (PATTERNS.get(kind)?.test(input) ?? false);

/**
 * The stored form of a secret: SHA-256 in hex. A secret has 192 random bits or more, so it needs no key and no salt. Throws
 * nothing.
 */
export const hashSecret = (secret: string): string => sha256Hex(secret);

/** Life of an emailed code, and wrong tries that end it. Source: authentication design, Tokens. */
export const CODE_LIFE_MS = 10 * 60_000;
export const MAX_CODE_TRIES = 5;

const CODES = 1_000_000;
const CODE_DIGITS = 6;
const CODE_RANDOM_BYTES = 3;
/** The greatest multiple of a million in three bytes: numbers from here on would favour small codes. */
const UNBIASED_CODES = 16_000_000;

/** A new code of six digits, each code equally likely. */
export const newCode = (randomBytes: (size: number) => Uint8Array = systemRandomBytes): string => {
  for (;;) {
    const drawn = Buffer.from(randomBytes(CODE_RANDOM_BYTES)).readUIntBE(0, CODE_RANDOM_BYTES);
    if (drawn < UNBIASED_CODES) return String(drawn % CODES).padStart(CODE_DIGITS, '0');
  }
};

/** The six digits of a code as users type it, without blanks and hyphens; null for anything else. Throws nothing. */
export const normaliseCode = (input: unknown): string | null => {
  if (typeof input !== 'string' || input.length > 32) return null;
  const digits = input.replaceAll(/[\s-]/g, '');
  return /^\d{6}$/.test(digits) ? digits : null;
};

const codeMac = (key: Uint8Array, challengeId: string, code: string): Uint8Array =>
  // A code has six characters, so no two inputs have the same text.
  hmacSha256(key, Buffer.from(challengeId + code));

/**
 * The stored form of a code: HMAC-SHA-256 over challenge and code, in hex. Without the key, a million hashes would find
 * the code of a row.
 *
 * @param key first key of `keyring.derived(CODE_KEY_PURPOSE)`
 * @param code six digits, from `newCode`. Throws nothing.
 */
export const codeHash = (key: Uint8Array, challengeId: string, code: string): string =>
  Buffer.from(codeMac(key, challengeId, code)).toString('hex');

/**
 * True for the code of a challenge, in a time that does not depend on the code.
 *
 * @param keys all keys of the purpose, since the code may be older than the newest key
 * @param code as users type it; false for anything that is no code
 * @param stored hash of the row. Throws nothing.
 */
export const isCodeOf = ({
  keys,
  challengeId,
  code,
  stored,
}: {
  readonly keys: DerivedKeys;
  readonly challengeId: string;
  readonly code: unknown;
  readonly stored: string;
}): boolean => {
  const digits = normaliseCode(code);
  const bytes = Buffer.from(stored, 'hex');
  return digits !== null && keys.some((key) => constantTimeEqual(codeMac(key, challengeId, digits), bytes));
};
