import { constantTimeEqual, sha256Hex } from '../../../foundation/hash.ts';

/** How far a provider's clock may be ahead, in milliseconds. Source: transports, Resend's window. */
const AHEAD_MS = 300_000;

/** True for a time that is neither older than `maxAgeMs` nor in the future. Throws nothing. */
export const isFresh = (at: Date | null, now: Date, maxAgeMs: number): boolean => {
  if (at === null) return false;
  const ageMs = now.getTime() - at.getTime();
  return ageMs <= maxAgeMs && ageMs >= -AHEAD_MS;
};

/** Compares secrets in constant time, whatever their lengths. Throws nothing. */
export const isSameSecret = (received: string, own: string): boolean =>
  constantTimeEqual(Buffer.from(sha256Hex(received), 'hex'), Buffer.from(sha256Hex(own), 'hex'));
