// The functions that do the work of hashing, in two forms. A thread uses the blocking form: the asynchronous forms of
// argon2, scrypt and PBKDF2 share the four threads of libuv with file and DNS calls, which would wait for hashes. The
// asynchronous form is for programs that cannot start a thread.

import { pbkdf2, pbkdf2Sync, type ScryptOptions, scrypt, scryptSync } from 'node:crypto';
import { promisify } from 'node:util';

/** Cost of new hashes. Source: OWASP Password Storage Cheat Sheet, argon2id with 19 MiB. */
export const ARGON2ID = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

export type Kdf = {
  argon2Hash(password: Uint8Array): Promise<string>;
  argon2Verify(encoded: string, password: Uint8Array): Promise<boolean>;
  bcryptVerify(encoded: string, password: Uint8Array): Promise<boolean>;
  scrypt(password: Uint8Array, salt: Uint8Array, bytes: number, options: ScryptOptions): Promise<Uint8Array>;
  pbkdf2(
    password: Uint8Array,
    salt: Uint8Array,
    iterations: number,
    bytes: number,
    digest: 'sha256' | 'sha512',
  ): Promise<Uint8Array>;
};

// The native libraries are loaded by the first hash that needs them.
const argon2 = () => import('@node-rs/argon2');
const bcrypt = () => import('@node-rs/bcrypt');

/** Computes on the calling thread, which does nothing else meanwhile. */
export const blockingKdf: Kdf = {
  argon2Hash: async (password) => (await argon2()).hashSync(password, ARGON2ID),
  argon2Verify: async (encoded, password) => (await argon2()).verifySync(encoded, password),
  bcryptVerify: async (encoded, password) => (await bcrypt()).verifySync(password, encoded),
  scrypt: async (password, salt, bytes, options) => scryptSync(password, salt, bytes, options),
  pbkdf2: async (password, salt, iterations, bytes, digest) => pbkdf2Sync(password, salt, iterations, bytes, digest),
};

const scryptLater = promisify<Uint8Array, Uint8Array, number, ScryptOptions, Uint8Array>(scrypt);
const pbkdf2Later = promisify(pbkdf2);

/** Computes on the threads of libuv. */
export const asyncKdf: Kdf = {
  argon2Hash: async (password) => (await argon2()).hash(password, ARGON2ID),
  argon2Verify: async (encoded, password) => (await argon2()).verify(encoded, password),
  bcryptVerify: async (encoded, password) => (await bcrypt()).verify(password, encoded),
  scrypt: scryptLater,
  pbkdf2: pbkdf2Later,
};
