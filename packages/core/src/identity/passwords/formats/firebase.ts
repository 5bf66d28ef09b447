// Firebase derives an AES key with scrypt and stores the project's signer key, encrypted with it. Four ways to write the
// same numbers are in use:
//
//   $fbscrypt$v=1,n=14,r=8,p=1,ss=SEPARATOR,sk=SIGNER$SALT$HASH   Supabase; `sk` may come from the configuration
//   $firescrypt$ln=14,r=8,p=1$SALT$HASH$SEPARATOR$SIGNER          Ory Kratos
//   HASH$SALT$SIGNER$SEPARATOR$ROUNDS$MEMORY_COST                 Clerk
//   HASH$SALT                                                     Firebase's export, with the project's configuration
//
// The first form without `sk` is what is stored: the signer key opens nothing by itself, but is a secret of the project.

import { createCipheriv } from 'node:crypto';
import { constantTimeEqual } from '../../../foundation/hash.ts';
import type { Kdf } from './kdf.ts';
import {
  type Detected,
  type FirebaseHash,
  fromBase64,
  type HashConfig,
  isWithin,
  OVER_CAP,
  toBase64,
  UNSUPPORTED,
} from './parsed.ts';
import { deriveScrypt, isScryptCost, isScryptOverCap } from './scrypt.ts';

const FBSCRYPT = /^\$fbscrypt\$v=1,n=(\d{1,3}),r=(\d{1,4}),p=(\d{1,4}),ss=([^,$]*)(?:,sk=([^,$]+))?\$([^$]+)\$([^$]+)$/;
const FIRESCRYPT = /^\$firescrypt\$ln=(\d{1,3}),r=(\d{1,4}),p=(\d{1,4})\$([^$]+)\$([^$]+)\$([^$]*)\$([^$]+)$/;
const CLERK = /^([^$]+)\$([^$]+)\$([^$]+)\$([^$]*)\$(\d{1,4})\$(\d{1,3})$/;
const EXPORTED = /^([^$:]+)\$([^$]+)$/;

/** Maximum memory cost, as log2 N. Source: the highest that Firebase sets is 14; the cap of memory ends at 17 with r=8. */
const MAX_MEMORY_COST = 17;
const AES_KEY_BYTES = 32;
/** Bytes of the derived key, of which AES uses the first half. Source: firebase/scrypt, `scryptenc_buf_saltlen`. */
const DERIVED_BYTES = 64;

type Parts = {
  readonly memoryCost: number;
  readonly r: number;
  readonly p: number;
  readonly salt: string;
  readonly separator: string;
  readonly digest: string;
  readonly signerKey: string;
};

const partsOf = (text: string, config: HashConfig | undefined): Parts | typeof UNSUPPORTED | null => {
  if (text.startsWith('$fbscrypt$')) {
    const [, n = '', r, p, separator = '', signerKey = config?.signerKey ?? '', salt = '', digest = ''] =
      FBSCRYPT.exec(text) ?? [];
    return { memoryCost: Number(n), r: Number(r), p: Number(p), salt, separator, digest, signerKey };
  }
  if (text.startsWith('$firescrypt$')) {
    const [, ln, r, p, salt = '', digest = '', separator = '', signerKey = ''] = FIRESCRYPT.exec(text) ?? [];
    return { memoryCost: Number(ln), r: Number(r), p: Number(p), salt, separator, digest, signerKey };
  }
  const [, digest = '', salt = '', signerKey = '', separator = '', r, memoryCost] = CLERK.exec(text) ?? [];
  if (memoryCost !== undefined)
    return { memoryCost: Number(memoryCost), r: Number(r), p: 1, salt, separator, digest, signerKey };
  const exported = EXPORTED.exec(text);
  if (!exported || !config) return null;
  if (config.rounds === undefined || config.memoryCost === undefined) return UNSUPPORTED;
  const [, exportedDigest = '', exportedSalt = ''] = exported;
  return {
    ...{ memoryCost: config.memoryCost, r: config.rounds, p: 1, signerKey: config.signerKey },
    ...{ salt: exportedSalt, separator: config.saltSeparator ?? '', digest: exportedDigest },
  };
};

export const isFirebaseOverCap = (hash: FirebaseHash): boolean =>
  hash.n > 2 ** MAX_MEMORY_COST || isScryptOverCap(hash);

/** Firebase's scrypt in the four forms above. Null: another format. */
export const detectFirebase = (text: string, config?: HashConfig): Detected<FirebaseHash> | null => {
  const parts = partsOf(text, config);
  if (parts === null || 'problem' in parts) return parts;
  const salt = fromBase64(parts.salt);
  const separator = parts.separator === '' ? new Uint8Array() : fromBase64(parts.separator);
  const [digest, signerKey] = [fromBase64(parts.digest), fromBase64(parts.signerKey)];
  const cost = { n: 2 ** parts.memoryCost, r: parts.r, p: parts.p };
  if (!salt || !separator || !digest || !signerKey || !isScryptCost(cost)) return UNSUPPORTED;
  // The hash is as long as the signer key, which is its plaintext.
  if (!isWithin(signerKey, 16, 256) || digest.length !== signerKey.length || salt.length + separator.length > 128)
    return UNSUPPORTED;
  const parameters = `v=1,n=${parts.memoryCost},r=${cost.r},p=${cost.p},ss=${toBase64(separator)}`;
  const hash: FirebaseHash = {
    algorithm: 'firebase-scrypt',
    ...cost,
    salt: new Uint8Array(Buffer.concat([salt, separator])),
    digest,
    signerKey,
    stored: `$fbscrypt$${parameters}$${toBase64(salt)}$${toBase64(digest)}`,
  };
  return isFirebaseOverCap(hash) ? OVER_CAP : { hash };
};

export const verifyFirebase = async (hash: FirebaseHash, password: Uint8Array, kdf: Kdf): Promise<boolean> => {
  const derived = await deriveScrypt(password, hash, DERIVED_BYTES, kdf);
  // The counter starts at zero: the key is used for this one message.
  const cipher = createCipheriv('aes-256-ctr', derived.subarray(0, AES_KEY_BYTES), new Uint8Array(16));
  return constantTimeEqual(Buffer.concat([cipher.update(hash.signerKey), cipher.final()]), hash.digest);
};
