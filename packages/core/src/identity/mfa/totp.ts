// Time-based one-time passwords of authenticator apps: SHA-1, 6 digits, 30 seconds. Source: RFC 6238. All apps know these
// values, and some ignore others.

import { createHmac, randomBytes as systemRandomBytes } from 'node:crypto';
import { constantTimeEqual } from '../../foundation/hash.ts';
import { base32 } from './base32.ts';

/** Digits of a code. */
export const TOTP_DIGITS = 6;
/** Seconds of a time step. */
export const TOTP_STEP_SECONDS = 30;
/** Steps before and after the current one that are accepted. Source: RFC 6238, section 5.2 recommends at most one. */
export const TOTP_WINDOW_STEPS = 1;
/** Bytes of a secret. Source: RFC 4226, section 4 (160 bits recommended). */
const SECRET_BYTES = 20;

/** A new secret of 160 bits. Store it sealed; show it as base32 once. */
export const newTotpSecret = (randomBytes: (size: number) => Uint8Array = systemRandomBytes): Uint8Array =>
  randomBytes(SECRET_BYTES);

/** Number of the time step that an instant is part of. `nowMs`: milliseconds since 1970. */
export const totpStepAt = (nowMs: number): number => Math.floor(nowMs / (TOTP_STEP_SECONDS * 1_000));

/** The code of a time step. Throws nothing. Source: RFC 4226, section 5.3. */
export const totpCode = (secret: Uint8Array, step: number, digits = TOTP_DIGITS): string => {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0xf;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits).padStart(digits, '0');
};

/**
 * Finds the time step of a code, in a time that does not depend on the code.
 *
 * @param code any value; blanks are ignored, as apps show codes in groups
 * @param lastStep step of the last accepted code; null before the first. This step and earlier ones are refused, so each
 * code works once
 * @returns the step to store as `lastStep`; null for a wrong or used code. Throws nothing.
 */
export const totpStepOf = ({
  secret,
  code,
  nowMs,
  lastStep,
}: {
  readonly secret: Uint8Array;
  readonly code: unknown;
  readonly nowMs: number;
  readonly lastStep: number | null;
}): number | null => {
  const digits = typeof code === 'string' && code.length <= 32 ? code.replaceAll(/\s/g, '') : '';
  if (!/^\d{6}$/.test(digits)) return null;
  const current = totpStepAt(nowMs);
  // If two steps share a code, the later one counts, so that the code cannot be used again.
  let found: number | null = null;
  for (let step = current - TOTP_WINDOW_STEPS; step <= current + TOTP_WINDOW_STEPS; step += 1) {
    const isEqual = step >= 0 && constantTimeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(digits));
    if (isEqual && step > (lastStep ?? -1)) found = step;
  }
  return found;
};

// The label separates issuer and account with a colon, so neither may contain one.
const labelPart = (text: string): string => text.toWellFormed().replaceAll(':', ' ').trim();

/**
 * The URI that authenticator apps read from a QR code.
 *
 * @param issuer name that the app shows, such as the project's
 * @param account name of the account, such as its email address. Throws nothing.
 * Source: Google Authenticator, Key URI Format.
 */
export const otpauthUri = ({
  issuer,
  account,
  secret,
}: {
  readonly issuer: string;
  readonly account: string;
  readonly secret: Uint8Array;
}): string => {
  const name = encodeURIComponent(labelPart(issuer));
  const label = `${name}:${encodeURIComponent(labelPart(account))}`;
  // Not URLSearchParams: apps show its plus signs instead of blanks.
  const values = `secret=${base32(secret)}&issuer=${name}&algorithm=SHA1&digits=${TOTP_DIGITS}&period=${TOTP_STEP_SECONDS}`;
  return `otpauth://totp/${label}?${values}`;
};
