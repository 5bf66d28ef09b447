// The formats of password hashes: new ones are argon2id, imported ones stay as they are until their owner signs in.

import { detectArgon2, isArgon2OverCap, verifyArgon2 } from './argon2.ts';
import { detectBcrypt, isBcryptOverCap, verifyBcrypt } from './bcrypt.ts';
import { detectFirebase, isFirebaseOverCap, verifyFirebase } from './firebase.ts';
import { ARGON2ID, blockingKdf, type Kdf } from './kdf.ts';
import { type Detected, type HashConfig, type ParsedHash, UNSUPPORTED } from './parsed.ts';
import { detectPbkdf2, isPbkdf2OverCap, verifyPbkdf2 } from './pbkdf2.ts';
import { detectScrypt, isScryptOverCap, scryptMemory, verifyScrypt } from './scrypt.ts';

/** Maximum characters of a hash. Chosen: the longest form, with a signer key of 64 bytes, has about 250. */
const MAX_CHARACTERS = 1_024;

/**
 * Reads a password hash of another system, or one of ours.
 *
 * @param text kept as it is; `hash.stored` is the text to store
 * @param hashConfig parameters of the Firebase project, for hashes that lack them. Where `hash.algorithm` is
 * `firebase-scrypt`, the stored text is read back with `{ signerKey }`
 * @returns the hash, or why it is not accepted. Throws nothing.
 */
export const detectHash = (text: string, hashConfig?: HashConfig): Detected => {
  if (text.length > MAX_CHARACTERS) return UNSUPPORTED;
  return (
    detectArgon2(text) ??
    detectBcrypt(text) ??
    detectScrypt(text) ??
    detectPbkdf2(text) ??
    detectFirebase(text, hashConfig) ??
    UNSUPPORTED
  );
};

const isOverCap = (hash: ParsedHash): boolean => {
  switch (hash.algorithm) {
    case 'bcrypt':
      return isBcryptOverCap(hash);
    case 'argon2id':
    case 'argon2i':
    case 'argon2d':
      return isArgon2OverCap(hash);
    case 'scrypt':
      return isScryptOverCap(hash);
    case 'firebase-scrypt':
      return isFirebaseOverCap(hash);
    case 'pbkdf2-sha256':
    case 'pbkdf2-sha512':
      return isPbkdf2OverCap(hash);
  }
};

/** Memory that verifying a hash takes, in bytes. Throws nothing. */
export const memoryOf = (hash: ParsedHash): number => {
  switch (hash.algorithm) {
    case 'argon2id':
    case 'argon2i':
    case 'argon2d':
      return hash.memoryKiB * 1_024;
    case 'scrypt':
    case 'firebase-scrypt':
      return scryptMemory(hash);
    case 'bcrypt':
    case 'pbkdf2-sha256':
    case 'pbkdf2-sha512':
      return 0;
  }
};

/** Memory of a new hash, in bytes. */
export const NEW_HASH_MEMORY = ARGON2ID.memoryCost * 1_024;

/** True unless the hash is what `hashPassword` makes today. Throws nothing. */
export const isOutdated = (hash: ParsedHash): boolean =>
  hash.algorithm !== 'argon2id' ||
  hash.memoryKiB !== ARGON2ID.memoryCost ||
  hash.passes !== ARGON2ID.timeCost ||
  hash.lanes !== ARGON2ID.parallelism;

/**
 * Compares a password with a hash, in constant time. Blocks the thread unless `kdf` is `asyncKdf`; the promise is only
 * there because the library of the algorithm is loaded by the first call.
 *
 * @returns false for a hash above a cap, without hashing: stored rows are no safer than imported ones
 */
export const verifyHash = async (hash: ParsedHash, password: string, kdf: Kdf = blockingKdf): Promise<boolean> => {
  if (isOverCap(hash)) return false;
  const bytes = new TextEncoder().encode(password);
  switch (hash.algorithm) {
    case 'bcrypt':
      return verifyBcrypt(hash, bytes, kdf);
    case 'argon2id':
    case 'argon2i':
    case 'argon2d':
      return verifyArgon2(hash, bytes, kdf);
    case 'scrypt':
      return verifyScrypt(hash, bytes, kdf);
    case 'firebase-scrypt':
      return verifyFirebase(hash, bytes, kdf);
    case 'pbkdf2-sha256':
    case 'pbkdf2-sha512':
      return verifyPbkdf2(hash, bytes, kdf);
  }
};

/** A new hash as a PHC string: argon2id, m=19456, t=2, p=1, with a random salt of 16 bytes. Blocks as `verifyHash`. */
export const hashPassword = (password: string, kdf: Kdf = blockingKdf): Promise<string> =>
  kdf.argon2Hash(new TextEncoder().encode(password));
