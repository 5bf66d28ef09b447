// Checks the fixed part of authenticator data: hash of the domain, flags, signature counter. Runs before
// @simplewebauthn/server, which accepts reserved flags. Source: WebAuthn Level 3, section 6.1.

import { hash } from 'node:crypto';
import { constantTimeEqual } from '../../foundation/hash.ts';

/** What was wrong with authenticator data. */
export type AuthenticatorDataFault =
  | 'malformed'
  | 'rp_id'
  | 'reserved_bits'
  | 'user_presence'
  | 'user_verification'
  | 'backup_state';

export type AuthenticatorData =
  | {
      readonly ok: true;
      /** Signatures that the authenticator has made; 0 when it does not count. */
      readonly counter: number;
      /** Whether the passkey may be copied to other devices. Never changes. */
      readonly isBackupEligible: boolean;
      /** Whether the passkey is copied at present. */
      readonly isBackedUp: boolean;
    }
  | { readonly ok: false; readonly detail: AuthenticatorDataFault };

/** SHA-256 of the domain, one byte of flags, four of the counter. */
const FIXED_BYTES = 37;
const FLAGS_AT = 32;
const COUNTER_AT = 33;

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const BACKUP_ELIGIBLE = 0x08;
const BACKED_UP = 0x10;
const RESERVED = 0x02 | 0x20;

const refused = (detail: AuthenticatorDataFault): AuthenticatorData => ({ ok: false, detail });

/** Reads and checks the fixed part. Presence and verification of the user are required. Throws nothing. */
export const readAuthenticatorData = (bytes: Uint8Array, rpId: string): AuthenticatorData => {
  if (bytes.length < FIXED_BYTES) return refused('malformed');
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const flags = view.readUInt8(FLAGS_AT);
  const has = (bits: number): boolean => (flags & bits) !== 0;
  if (!constantTimeEqual(view.subarray(0, FLAGS_AT), hash('sha256', rpId, 'buffer'))) return refused('rp_id');
  if (has(RESERVED)) return refused('reserved_bits');
  if (!has(USER_PRESENT)) return refused('user_presence');
  if (!has(USER_VERIFIED)) return refused('user_verification');
  if (has(BACKED_UP) && !has(BACKUP_ELIGIBLE)) return refused('backup_state');
  return {
    ok: true,
    counter: view.readUInt32BE(COUNTER_AT),
    isBackupEligible: has(BACKUP_ELIGIBLE),
    isBackedUp: has(BACKED_UP),
  };
};
