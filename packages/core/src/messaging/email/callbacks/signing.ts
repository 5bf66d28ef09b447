import { constantTimeEqual, sha256Hex } from '../../../foundation/hash.ts';

/** How far a provider's clock may run ahead of ours, in milliseconds. Source: transports, Resend's window. */
const AHEAD_MS = 300_000;

/** True for a moment that is neither older than this nor yet to come. Throws nothing. */
export const isFresh = (at: Date | null, now: Date, maxAgeMs: number): boolean => {
  if (at === null) return false;
  const ageMs = now.getTime() - at.getTime();
  return ageMs <= maxAgeMs && ageMs >= -AHEAD_MS;
};

/** Compares secrets in a time that tells nothing of them, their lengths neither. Throws nothing. */
export const isSameSecret = (received: string, own: string): boolean =>
  constantTimeEqual(Buffer.from(sha256Hex(received), 'hex'), Buffer.from(sha256Hex(own), 'hex'));
