// What stands in a tracking link: everything that is needed to serve it, when it was made, and a code that only we can
// make. So a link is served without the database, nobody learns from one which others there are, and none leads where no
// mail of ours did, or leads anywhere for ever.

import type { Clock } from '../../foundation/clock.ts';
import { constantTimeEqual, hmacSha256 } from '../../foundation/hash.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { DerivedKeys } from '../../foundation/secrets.ts';
import { MAX_URL_CHARACTERS } from './tracked-html.ts';

/** The purpose that their keys are derived for. */
export const TRACKING_PURPOSE = 'email tracking links';
/** How long a link is served, in days, where the operator says nothing. Source: contract, Message. */
export const LINK_DAYS = 400;

const DAY_MS = 86_400_000;

/** Which mail a link is part of. */
export type TrackedMail = InScope & { readonly sendId: string; readonly messageId: string };
/** `url`: where the link leads, as `URL.href`; null: it is the pixel. */
export type TrackingClaims = TrackedMail & { readonly url: string | null };

export type TrackingTokens = {
  /** Letters, digits, `_` and `-`; about 100 characters besides the URL's. Throws RangeError for an id of over 255 bytes. */
  sign(claims: TrackingClaims): string;
  /** Null for anything that `sign` did not make with one of the keys, or made too long ago. Throws nothing. */
  read(token: string): TrackingClaims | null;
};

const VERSION = 3;
const MAC_BYTES = 32;
const HAS_URL = 1;
const SCOPE_BYTES = 4;
/** Whole seconds since 1970, which fit until 2106. */
const TIME_BYTES = 4;
const MAX_ID_BYTES = 255;
/** Version, flags, time, scope, two ids of the greatest length with their length bytes, URL and code, in base64url. */
const MAX_TOKEN_CHARACTERS = Math.ceil(
  ((2 + TIME_BYTES + SCOPE_BYTES + 2 * (1 + MAX_ID_BYTES) + MAX_URL_CHARACTERS + MAC_BYTES) * 4) / 3,
);

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/;
const UUID_BYTES = 16;

/** A UUID as a zero and its 16 bytes, which halves a link; anything else as its length and UTF-8. */
const packed = (id: string): Uint8Array => {
  if (UUID.test(id)) return Buffer.from(`00${id.replaceAll('-', '')}`, 'hex');
  const bytes = Buffer.from(id);
  if (bytes.length === 0 || bytes.length > MAX_ID_BYTES) throw new RangeError('An id has 1 to 255 bytes.');
  return Buffer.concat([Buffer.of(bytes.length), bytes]);
};

/** Takes apart what `packed` made. */
const unpacking = (bytes: Buffer, from: number) => {
  let at = from;
  const take = (length: number): Buffer => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  return {
    // Only what was signed gets here, so the bytes are there.
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
  // Whatever was signed once: no link of ours leads into a browser's other schemes.
  if (url !== null && !/^https?:/.test(url)) return null;
  return { scopeId, sendId, messageId, url };
};

/**
 * Makes and reads the tokens of tracking links: HMAC-SHA-256 over time, scope, send, message and URL.
 *
 * @param keys the first signs, any of them verifies
 * @param maxAgeDays how long a link is served; judged by whoever reads it, so that a changed word covers old links too
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
    // Decoding ignores stray characters and unused bits; one link has one spelling.
    if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== token) return null;
    const body = bytes.subarray(0, -MAC_BYTES);
    const mac = bytes.subarray(-MAC_BYTES);
    const isOurs = keys.some((key) => constantTimeEqual(hmacSha256(key, body), mac));
    return isOurs ? claimsOf(body, clock.now().getTime() - maxAgeDays * DAY_MS) : null;
  },
});
