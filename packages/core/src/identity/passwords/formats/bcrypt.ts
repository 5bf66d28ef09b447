import type { Kdf } from './kdf.ts';
import { type BcryptHash, type Detected, OVER_CAP, UNSUPPORTED } from './parsed.ts';

// `$2x$` marks hashes of an implementation that read bytes as signed, and `$2$` those of one that did not end passwords
// with a zero byte. The library would verify both by the normal algorithm.
const BCRYPT = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;

/** Lowest cost of the algorithm, and the highest accepted. Chosen: cost 14 took 0.8 s; each step doubles it. */
const MIN_COST = 4;
const MAX_COST = 14;

export const isBcryptOverCap = ({ cost }: BcryptHash): boolean => cost > MAX_COST;

/** bcrypt in its usual form of 60 characters. Null: another format. */
export const detectBcrypt = (text: string): Detected<BcryptHash> | null => {
  if (!text.startsWith('$2')) return null;
  const [, cost] = BCRYPT.exec(text) ?? [];
  if (cost === undefined || Number(cost) < MIN_COST) return UNSUPPORTED;
  const hash: BcryptHash = { algorithm: 'bcrypt', cost: Number(cost), stored: text };
  return isBcryptOverCap(hash) ? OVER_CAP : { hash };
};

/** bcrypt uses the first 72 bytes of a password; the rest is ignored, as where the hash was made. */
export const verifyBcrypt = ({ stored }: BcryptHash, password: Uint8Array, { bcryptVerify }: Kdf): Promise<boolean> =>
  bcryptVerify(stored, password);
