// Device tokens: proof that a user signed in on this device before. A sign-in with one is preferred under load, and it lets a
// device repeat a refresh whose answer was lost. They never replace a factor. The server stores nothing about them.

import { constantTimeEqual, hmacSha256 } from '../../foundation/hash.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { DerivedKeys } from '../../foundation/secrets.ts';

/** Purpose of the keys, for `keyring.derived`. */
export const DEVICE_KEY_PURPOSE = 'auth-devices';
/** Milliseconds for which a token is valid: 90 days. Source: authentication design, Tokens. */
export const DEVICE_TOKEN_MS = 90 * 86_400_000;

/** The user and device of a token. Both ids are UUIDs in lower case. */
export type DeviceClaims = InScope & {
  readonly userId: string;
  readonly deviceId: string;
  /** Milliseconds since 1970, in whole seconds. */
  readonly expiresAtMs: number;
};

export type DeviceTokens = {
  /** `dt_` and 98 characters. Rounds the expiry down to a second. @throws RangeError for an id that is no UUID */
  sign(claims: DeviceClaims): string;
  /**
   * Reads a token; `nowMs` in milliseconds since 1970. Compare scope, user and device with the session that it is used for.
   *
   * @returns null for any value that `sign` did not create with one of the keys, and for an expired token. Throws nothing.
   */
  read(token: unknown, nowMs: number): DeviceClaims | null;
};

const PREFIX = 'dt_';
const VERSION = 1;
const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/;
const UUID_BYTES = 16;
const MAC_BYTES = 32;

const SCOPE_AT = 1;
const EXPIRY_AT = SCOPE_AT + 4;
const USER_AT = EXPIRY_AT + 4;
const DEVICE_AT = USER_AT + UUID_BYTES;
const BODY_BYTES = DEVICE_AT + UUID_BYTES;

const FORM = new RegExp(`^${PREFIX}[\\w-]{${Math.ceil(((BODY_BYTES + MAC_BYTES) * 4) / 3)}}$`);

const uuidAt = (body: Buffer, at: number): string =>
  body
    .subarray(at, at + UUID_BYTES)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

/**
 * Creates and reads device tokens: HMAC-SHA-256 over version, scope, expiry, user and device.
 *
 * @param keys the first signs, all of them verify
 */
export const deviceTokens = (keys: DerivedKeys): DeviceTokens => ({
  sign: ({ scopeId, userId, deviceId, expiresAtMs }) => {
    if (!UUID.test(userId) || !UUID.test(deviceId)) throw new RangeError('A device token needs two UUIDs.');
    const body = Buffer.alloc(BODY_BYTES);
    body[0] = VERSION;
    body.writeUInt32BE(scopeId, SCOPE_AT);
    body.writeUInt32BE(Math.floor(expiresAtMs / 1_000), EXPIRY_AT);
    body.write(userId.replaceAll('-', ''), USER_AT, 'hex');
    body.write(deviceId.replaceAll('-', ''), DEVICE_AT, 'hex');
    return PREFIX + Buffer.concat([body, hmacSha256(keys[0], body)]).toString('base64url');
  },
  read: (token, nowMs) => {
    if (typeof token !== 'string' || !FORM.test(token)) return null;
    const bytes = Buffer.from(token.slice(PREFIX.length), 'base64url');
    // The last character has unused bits: only one spelling is accepted.
    if (PREFIX + bytes.toString('base64url') !== token) return null;
    const [body, mac] = [bytes.subarray(0, BODY_BYTES), bytes.subarray(BODY_BYTES)];
    if (!keys.some((key) => constantTimeEqual(hmacSha256(key, body), mac)) || body[0] !== VERSION) return null;
    const expiresAtMs = body.readUInt32BE(EXPIRY_AT) * 1_000;
    if (expiresAtMs <= nowMs) return null;
    const [userId, deviceId] = [uuidAt(body, USER_AT), uuidAt(body, DEVICE_AT)];
    return { scopeId: body.readUInt32BE(SCOPE_AT), userId, deviceId, expiresAtMs };
  },
});
