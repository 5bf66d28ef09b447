// Tokens of tracking links: all facts that are needed to serve the link, its creation time, and an HMAC. So links are
// served without the database, tokens cannot be guessed, and the service redirects only to URLs of its own emails, for
// a limited time.

import type { Clock } from '../../foundation/clock.ts';
import { constantTimeEqual, hmacSha256 } from '../../foundation/hash.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { DerivedKeys } from '../../foundation/secrets.ts';
import { MAX_URL_CHARACTERS } from './tracked-html.ts';

/** Purpose for which their keys are derived. */
export const TRACKING_PURPOSE = 'email tracking links';
/** Default lifetime of a link, in days. Source: contract, Message. */
export const LINK_DAYS = 400;

const DAY_MS = 86_400_000;

/** The email of a link. */
export type TrackedMail = InScope & { readonly sendId: string; readonly messageId: string };
/** `url`: the target as `URL.href`; null: the pixel. */
export type TrackingClaims = TrackedMail & { readonly url: string | null };

export type TrackingTokens = {
  /**
   * Letters, digits, `_` and `-`; about 100 characters besides the URL's. Throws RangeError for an id of over 255
   * bytes.
   */
  sign(claims: TrackingClaims): string;
  /** Null for a token that `sign` did not make with one of the keys, or that is too old. Throws nothing. */
  read(token: string): TrackingClaims | null;
};

const VERSION = 3;
const MAC_BYTES = 32;
const HAS_URL = 1;
const SCOPE_BYTES = 4;
/** Unix seconds, which fit until 2106. */
const TIME_BYTES = 4;
const MAX_ID_BYTES = 255;
/** Version, flags, time, scope, two ids of maximum length with their length bytes, URL and HMAC, in base64url. */
const MAX_TOKEN_CHARACTERS = Math.ceil(
  ((2 + TIME_BYTES + SCOPE_BYTES + 2 * (1 + MAX_ID_BYTES) + MAX_URL_CHARACTERS + MAC_BYTES) * 4) / 3,
);

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/;
const UUID_BYTES = 16;

/** A UUID as a zero and its 16 bytes, which halves a link; other ids as length and UTF-8. */
const packed = (id: string): Uint8Array => {
  if (UUID.test(id)) return Buffer.from(`00${id.replaceAll('-', '')}`, 'hex');
  const bytes = Buffer.from(id);
  if (bytes.length === 0 || bytes.length > MAX_ID_BYTES) throw new RangeError('An id has 1 to 255 bytes.');
  return Buffer.concat([Buffer.of(bytes.length), bytes]);
};

/** Reads what `packed` made. */
const unpacking = (bytes: Buffer, from: number) => {
  let at = from;
  const take = (length: number): Buffer => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  return {
    // Only signed bytes get here, so they are complete.
    seconds: (): number => take(TIME_BYTES).readUInt32BE(),
    scope: (): number => take(SCOPE_BYTES).readUInt32BE(),
    id: (): string => {
      const length = take(1)[0] ?? 0;
      if (length > 0) return take(length).toString();
      return take(UUID_BYTES)
        .toString('hex')
        .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    },
    rest: (): string => bytes.subarray(at).toString(),
  };
};

const claimsOf = (body: Buffer, sinceMs: number): TrackingClaims | null => {
  const [version, flags = 0] = body;
  if (version !== VERSION) return null;
  const { seconds, scope, id, rest } = unpacking(body, 2);
  if (seconds() * 1_000 < sinceMs) return null;
  const [scopeId, sendId, messageId] = [scope(), id(), id()];
  const url = (flags & HAS_URL) === 0 ? null : rest();
  // Even for a signed URL: links lead to no other scheme of a browser.
  if (url !== null && !/^https?:/.test(url)) return null;
  return { scopeId, sendId, messageId, url };
};

/**
 * Signs and verifies tokens of tracking links: HMAC-SHA-256 over time, scope, send, message and URL.
 *
 * @param keys the first signs, each verifies
 * @param maxAgeDays lifetime of a link; checked at reading, so a changed option also applies to old links
 */
export const trackingTokens = (
  keys: DerivedKeys,
  { clock, maxAgeDays = LINK_DAYS }: { readonly clock: Clock; readonly maxAgeDays?: number | undefined },
): TrackingTokens => ({
  sign: ({ scopeId, sendId, messageId, url }) => {
    const head = Buffer.alloc(TIME_BYTES + SCOPE_BYTES);
    head.writeUInt32BE(Math.floor(clock.now().getTime() / 1_000));
    head.writeUInt32BE(scopeId, TIME_BYTES);
    const ids = [sendId, messageId].map(packed);
    const body = Buffer.concat([Buffer.of(VERSION, url === null ? 0 : HAS_URL), head, ...ids, Buffer.from(url ?? '')]);
    return Buffer.concat([body, hmacSha256(keys[0], body)]).toString('base64url');
  },
  read: (token) => {
    if (token.length > MAX_TOKEN_CHARACTERS) return null;
    const bytes = Buffer.from(token, 'base64url');
    // Decoders ignore stray characters and unused bits; only the canonical spelling is accepted.
    if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== token) return null;
    const body = bytes.subarray(0, -MAC_BYTES);
    const mac = bytes.subarray(-MAC_BYTES);
    const isSigned = keys.some((key) => constantTimeEqual(hmacSha256(key, body), mac));
    return isSigned ? claimsOf(body, clock.now().getTime() - maxAgeDays * DAY_MS) : null;
  },
});
