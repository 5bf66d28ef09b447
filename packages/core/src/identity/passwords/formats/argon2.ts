import type { Kdf } from './kdf.ts';
import { type Argon2Hash, type Detected, fromBase64, isWithin, OVER_CAP, toBase64, UNSUPPORTED } from './parsed.ts';

const ARGON2 = /^\$(argon2(?:id|i|d))\$v=19\$m=(\d{1,10}),t=(\d{1,10}),p=(\d{1,3})\$([^$]+)\$([^$]+)$/;

/**
 * Caps of an accepted hash. Chosen: 64 MiB is the share of one thread; 256 MiB written in all took 0.12 s. Without caps, one
 * stored hash with m of 4 GiB occupies a thread for minutes.
 */
const MAX_MEMORY_KIB = 65_536;
const MAX_PASSES = 10;
const MAX_LANES = 8;
const MAX_WORK_KIB = 262_144;

export const isArgon2OverCap = ({ memoryKiB, passes, lanes }: Argon2Hash): boolean =>
  memoryKiB > MAX_MEMORY_KIB || passes > MAX_PASSES || lanes > MAX_LANES || memoryKiB * passes > MAX_WORK_KIB;

const isAlgorithm = (name: string): name is Argon2Hash['algorithm'] => /^argon2(?:id|i|d)$/.test(name);

/** argon2id, argon2i and argon2d of version 19 as PHC strings. Null: another format. */
export const detectArgon2 = (text: string): Detected<Argon2Hash> | null => {
  if (!text.startsWith('$argon2')) return null;
  const [, algorithm = '', memory, passes, lanes, saltText = '', digestText = ''] = ARGON2.exec(text) ?? [];
  const [salt, digest] = [fromBase64(saltText), fromBase64(digestText)];
  if (!isAlgorithm(algorithm) || !salt || !digest) return UNSUPPORTED;
  if (!isWithin(salt, 8, 64) || !isWithin(digest, 16, 64)) return UNSUPPORTED;
  const cost = { memoryKiB: Number(memory), passes: Number(passes), lanes: Number(lanes) };
  // Source: RFC 9106, section 3.1: at least 8 KiB per lane, one lane, one pass.
  if (cost.passes < 1 || cost.lanes < 1 || cost.memoryKiB < 8 * cost.lanes) return UNSUPPORTED;
  // Encoded again because the library rejects padded base64: "Decoding failed".
  const stored = `$${algorithm}$v=19$m=${cost.memoryKiB},t=${cost.passes},p=${cost.lanes}$${toBase64(salt)}$${toBase64(digest)}`;
  const hash: Argon2Hash = { algorithm, ...cost, stored };
  return isArgon2OverCap(hash) ? OVER_CAP : { hash };
};

export const verifyArgon2 = ({ stored }: Argon2Hash, password: Uint8Array, { argon2Verify }: Kdf): Promise<boolean> =>
  argon2Verify(stored, password);
