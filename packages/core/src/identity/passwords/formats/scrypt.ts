import { constantTimeEqual } from '../../../foundation/hash.ts';
import type { Kdf } from './kdf.ts';
import {
  type Detected,
  fromBase64,
  isWithin,
  OVER_CAP,
  type ScryptCost,
  type ScryptHash,
  toBase64,
  UNSUPPORTED,
} from './parsed.ts';

const PHC = /^\$scrypt\$ln=(\d{1,10}),r=(\d{1,10}),p=(\d{1,10})\$([^$]+)\$([^$]+)$/;
const WERKZEUG = /^scrypt:(\d{1,10}):(\d{1,10}):(\d{1,10})\$([^$]+)\$([0-9a-f]+)$/;

/** Maximum memory of one hash: `ln=17, r=8`, the highest cost in use. Source: Firebase and passlib stay at or below it. */
const MAX_MEMORY_BYTES = 128 * 1_048_576;
/** Maximum memory times `p`, which costs time only. Chosen: it took 1.2 s. */
const MAX_WORK_BYTES = 512 * 1_048_576;
/** From here on `ln` is N itself. Source: Ory Kratos, whose default is `ln=16384`. */
const FIRST_N = 1_024;

/** Memory of scrypt in bytes: N blocks, and one per parallel part. Source: RFC 7914, section 2. */
export const scryptMemory = ({ n, r, p }: ScryptCost): number => 128 * r * (n + p - 1);

export const isScryptOverCap = (cost: ScryptCost): boolean =>
  scryptMemory(cost) > MAX_MEMORY_BYTES || 128 * cost.n * cost.r * cost.p > MAX_WORK_BYTES;

/** True if scrypt is defined for these parameters. Source: RFC 7914, section 2. */
export const isScryptCost = ({ n, r, p }: ScryptCost): boolean =>
  n > 1 && Number.isInteger(Math.log2(n)) && r > 0 && p > 0;

/** Runs scrypt. The default of `maxmem`, 32 MiB, rejects N of 2^17. */
export const deriveScrypt = (
  password: Uint8Array,
  { salt, n, r, p }: ScryptCost & { readonly salt: Uint8Array },
  bytes: number,
  { scrypt }: Kdf,
): Promise<Uint8Array> =>
  scrypt(password, salt, bytes, { N: n, r, p, maxmem: scryptMemory({ n, r, p }) + 128 * r * 4 + 1_048_576 });

const detected = (cost: ScryptCost, salt: Uint8Array | null, digest: Uint8Array | null, stored: string) => {
  if (!isScryptCost(cost) || !salt || !digest || !isWithin(salt, 1, 128) || !isWithin(digest, 16, 64))
    return UNSUPPORTED;
  return isScryptOverCap(cost) ? OVER_CAP : { hash: { algorithm: 'scrypt', ...cost, salt, digest, stored } as const };
};

/** scrypt as a PHC string, also with N in the place of log2 N, and as Werkzeug writes it. Null: another format. */
export const detectScrypt = (text: string): Detected<ScryptHash> | null => {
  if (text.startsWith('$scrypt$')) {
    const [, ln = '', r = '', p = '', saltText = '', digestText = ''] = PHC.exec(text) ?? [];
    const n = Number(ln) >= FIRST_N ? Number(ln) : 2 ** Number(ln);
    const cost = { n, r: Number(r), p: Number(p) };
    const [salt, digest] = [fromBase64(saltText), fromBase64(digestText)];
    return detected(
      cost,
      salt,
      digest,
      `$scrypt$ln=${Math.log2(n)},r=${r},p=${p}$${toBase64(salt ?? new Uint8Array())}$${toBase64(digest ?? new Uint8Array())}`,
    );
  }
  if (!text.startsWith('scrypt:')) return null;
  const [, n, r, p, salt = '', digest = ''] = WERKZEUG.exec(text) ?? [];
  const cost = { n: Number(n), r: Number(r), p: Number(p) };
  // The salt of Werkzeug is text, not base64.
  return detected(cost, new TextEncoder().encode(salt), new Uint8Array(Buffer.from(digest, 'hex')), text);
};

export const verifyScrypt = async (hash: ScryptHash, password: Uint8Array, kdf: Kdf): Promise<boolean> =>
  constantTimeEqual(await deriveScrypt(password, hash, hash.digest.length, kdf), hash.digest);
