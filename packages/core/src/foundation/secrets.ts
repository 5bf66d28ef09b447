// Secrets at rest, in two layers. A master key (from the operator) wraps data keys; a data key (one per organization,
// one for the deployment) seals values. Both layers are AES-256-GCM with a random 96-bit nonce and a full tag. The
// additional data binds a value to its row, so a ciphertext moved to another row, column or tenant does not open.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { sha256Hex } from './hash.ts';

const ALGORITHM = 'aes-256-gcm';
const VERSION = 'v1';
const KEY_BYTES = 32;
/** 96 bits, the recommended nonce size of GCM. Source: NIST SP 800-38D, section 5.2.1.1. */
const NONCE_BYTES = 12;
// Always passed: without it, some versions of Node accept tags cut to 4 bytes.
const TAG_BYTES = 16;
const NAME = /^[\w-]+$/;

/** Why a stored secret could not be opened. `not_authentic`: changed, moved, or sealed with another key. */
export type UnreadableReason = 'malformed' | 'unknown_key' | 'not_authentic';

/** A stored secret that cannot be opened. The message contains the place and the reason, never the content. */
export class UnreadableSecret extends Error {
  override readonly name = 'UnreadableSecret';
  readonly reason: UnreadableReason;

  constructor(place: string, reason: UnreadableReason) {
    super(`The stored secret in ${place} cannot be opened (${reason}).`);
    this.reason = reason;
  }
}

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

// Decoding ignores stray characters and unused bits, so only the canonical spelling is accepted.
const decoded = (text: string): Uint8Array | null => {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : null;
};

const encrypt = (key: Uint8Array, name: string, plaintext: Uint8Array, aad: string): string => {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(aad));
  const text = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return [VERSION, name, base64url(nonce), base64url(text), base64url(cipher.getAuthTag())].join('.');
};

type Blob = { name: string; nonce: Uint8Array; text: Uint8Array; tag: Uint8Array };

const parsed = (blob: string): Blob | null => {
  const [version, name = '', nonceText = '', cipherText = '', tagText = '', ...more] = blob.split('.', 6);
  const [nonce, text, tag] = [decoded(nonceText), decoded(cipherText), decoded(tagText)];
  if (version !== VERSION || !NAME.test(name) || more.length || !nonce || !text || !tag) return null;
  return nonce.length === NONCE_BYTES && tag.length === TAG_BYTES ? { name, nonce, text, tag } : null;
};

const decrypt = (key: Uint8Array, blob: Blob, aad: string): Uint8Array | null => {
  const decipher = createDecipheriv(ALGORITHM, key, blob.nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(aad));
  decipher.setAuthTag(blob.tag);
  try {
    return Buffer.concat([decipher.update(blob.text), decipher.final()]);
  } catch {
    return null;
  }
};

/**
 * A new master key as the 43 characters of base64url that `parseMasterKeys` reads. Shown once; the operator keeps it.
 */
export const newMasterKey = (): string => base64url(randomBytes(KEY_BYTES));

/** A new data key, 32 random bytes. It is stored wrapped only. */
export const newDataKey = (): Uint8Array => new Uint8Array(randomBytes(KEY_BYTES));

/**
 * Derives a key of 32 bytes for one purpose. It is deterministic and reveals neither the data key nor keys of other
 * purposes. Throws nothing. Source: RFC 5869 (HKDF with SHA-256).
 */
export const deriveKey = (dataKey: Uint8Array, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', dataKey, new Uint8Array(0), purpose, KEY_BYTES));

const masterKey = (text: string): Uint8Array | null => {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  // base64url decoding also reads plain base64.
  return /^[\w+/-]{43}=?$/.test(text) ? Buffer.from(text, 'base64url') : null;
};

/**
 * Reads the operator's master keys.
 *
 * @param text keys separated by commas, each 32 bytes as base64, base64url or hex; the first one wraps, all unwrap
 * @returns at least one key, in the order of the text
 * @throws TypeError, a sentence with the position and never the key: no key, not 32 bytes, or one byte repeated (as in
 * examples and placeholders)
 */
export const parseMasterKeys = (text: string): [Uint8Array, ...Uint8Array[]] => {
  const keys = text.split(',').map((part, index) => {
    const key = masterKey(part.trim());
    if (!key) throw new TypeError(`Master key ${index + 1} is not 32 bytes written as base64, base64url or hex.`);
    if (new Set(key).size === 1) throw new TypeError(`Master key ${index + 1} repeats one byte; it must be random.`);
    return key;
  });
  const [first, ...others] = keys;
  if (!first) throw new TypeError('No master key is given.');
  return [first, ...others];
};

/** The id of a master key, safe to store and to show: the first 16 hex digits of a hash. */
export const masterKeyId = (key: Uint8Array): string =>
  sha256Hex(Buffer.concat([Buffer.from('master:'), key])).slice(0, 16);

/**
 * The name of the key that a stored blob was made with: the kid of a data key, or the id of a master key. Null for any
 * other text.
 */
export const keyNameOf = (blob: string): string | null => parsed(blob)?.name ?? null;

const wrapAad = (aad: string, id: string): string => `data-key|${aad}|${id}`;

/**
 * Wraps a data key for storage: `v1.<master key id>.nonce.ct.tag`.
 *
 * @param aad owner of the data key, such as the organization's id; needed to unwrap it
 */
export const wrapDataKey = (key: Uint8Array, dataKey: Uint8Array, aad: string): string => {
  const id = masterKeyId(key);
  return encrypt(key, id, dataKey, wrapAad(aad, id));
};

/**
 * Unwraps a data key with the master key that wrapped it.
 *
 * @returns null if no key fits, the blob was changed, or `aad` differs. Throws nothing.
 */
export const unwrapDataKey = (keys: readonly Uint8Array[], blob: string, aad: string): Uint8Array | null => {
  const parts = parsed(blob);
  const key = parts && keys.find((candidate) => masterKeyId(candidate) === parts.name);
  return parts && key ? decrypt(key, parts, wrapAad(aad, parts.name)) : null;
};

/** The row and column of a sealed value. Parts that a row lacks are '' or left out; none may contain `|`. */
export type SecretContext = {
  readonly table: string;
  readonly column: string;
  readonly orgId?: string;
  readonly projectId?: string;
  readonly environment?: string;
  readonly rowId?: string;
};

const sealAad = (context: SecretContext, kid: string): string => {
  const { table, column, orgId = '', projectId = '', environment = '', rowId = '' } = context;
  const parts = [table, column, orgId, projectId, environment, rowId, kid];
  // Otherwise two places could have the same text.
  if (parts.some((part) => part.includes('|'))) throw new TypeError('A part of a secret context must not hold |.');
  return parts.join('|');
};

/**
 * Seals a value for its row and column: `v1.kid.nonce.ct.tag`, the last three in base64url.
 *
 * @param kid name of the data key, of letters, digits, `_` and `-`
 * @param plaintext a string is sealed as UTF-8
 * @throws TypeError for an invalid kid or context
 */
export const seal = (
  dataKey: Uint8Array,
  kid: string,
  plaintext: Uint8Array | string,
  context: SecretContext,
): string => {
  if (!NAME.test(kid)) throw new TypeError('A data key is named by letters, digits, _ and - only.');
  return encrypt(dataKey, kid, Buffer.from(plaintext), sealAad(context, kid));
};

/**
 * Opens a sealed value.
 *
 * @param dataKeys finds the data key by its kid; undefined if there is none
 * @throws UnreadableSecret unless the blob was sealed for this row and column
 */
export const open = (
  dataKeys: (kid: string) => Uint8Array | undefined,
  blob: string,
  context: SecretContext,
): Uint8Array => {
  const place = `${context.table}.${context.column}`;
  const parts = parsed(blob);
  if (!parts) throw new UnreadableSecret(place, 'malformed');
  const dataKey = dataKeys(parts.name);
  if (!dataKey) throw new UnreadableSecret(place, 'unknown_key');
  const plaintext = decrypt(dataKey, parts, sealAad(context, parts.name));
  if (!plaintext) throw new UnreadableSecret(place, 'not_authentic');
  return plaintext;
};

/** Keys derived for one purpose, 32 bytes each. The first, which is the newest, signs; all of them verify. */
export type DerivedKeys = readonly [Uint8Array, ...Uint8Array[]];
