import { constantTimeEqual } from '../../../foundation/hash.ts';
import type { Kdf } from './kdf.ts';
import { type Detected, fromBase64, isWithin, OVER_CAP, type Pbkdf2Hash, toBase64, UNSUPPORTED } from './parsed.ts';

const PHC = /^\$pbkdf2-(sha256|sha512)\$i=(\d{1,10}),l=(\d{1,3})\$([^$]+)\$([^$]+)$/;
const DJANGO = /^pbkdf2_sha256\$(\d{1,10})\$([^$]+)\$([^$]+)$/;

/** Maximum iterations. Chosen: twice the default of Django 5.2 (1,000,000); it took 0.8 s with SHA-512. */
const MAX_ITERATIONS = 2_000_000;

export const isPbkdf2OverCap = ({ iterations }: Pbkdf2Hash): boolean => iterations > MAX_ITERATIONS;

const detected = (hash: Pbkdf2Hash): Detected<Pbkdf2Hash> => {
  if (hash.iterations < 1 || !isWithin(hash.salt, 1, 128) || !isWithin(hash.digest, 16, 64)) return UNSUPPORTED;
  return isPbkdf2OverCap(hash) ? OVER_CAP : { hash };
};

/** PBKDF2 with iterations and length as named parameters, and as Django writes it. Null: another format. */
export const detectPbkdf2 = (text: string): Detected<Pbkdf2Hash> | null => {
  if (text.startsWith('$pbkdf2-')) {
    const [, digestName, iterations, length, saltText = '', digestText = ''] = PHC.exec(text) ?? [];
    const [salt, digest] = [fromBase64(saltText), fromBase64(digestText)];
    if (!salt || !digest || digest.length !== Number(length)) return UNSUPPORTED;
    const algorithm = digestName === 'sha512' ? 'pbkdf2-sha512' : 'pbkdf2-sha256';
    const stored = `$${algorithm}$i=${iterations},l=${length}$${toBase64(salt)}$${toBase64(digest)}`;
    return detected({ algorithm, iterations: Number(iterations), salt, digest, stored });
  }
  if (!text.startsWith('pbkdf2_sha256$')) return null;
  const [, iterations, salt = '', digestText = ''] = DJANGO.exec(text) ?? [];
  const digest = fromBase64(digestText);
  if (!digest) return UNSUPPORTED;
  // The salt of Django is text, not base64.
  const bytes = new TextEncoder().encode(salt);
  return detected({ algorithm: 'pbkdf2-sha256', iterations: Number(iterations), salt: bytes, digest, stored: text });
};

export const verifyPbkdf2 = async (hash: Pbkdf2Hash, password: Uint8Array, { pbkdf2 }: Kdf): Promise<boolean> => {
  const digest = hash.algorithm === 'pbkdf2-sha512' ? 'sha512' : 'sha256';
  return constantTimeEqual(await pbkdf2(password, hash.salt, hash.iterations, hash.digest.length, digest), hash.digest);
};
