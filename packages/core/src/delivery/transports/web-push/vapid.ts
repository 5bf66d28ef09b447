import { LRUCache } from 'lru-cache';
import type { WebPushSettings } from './settings.ts';

/** Origins whose header is kept; endpoints come from clients. Source: transports, Web Push. */
const MAX_ORIGINS = 1_000;
/** Source: transports, Web Push; push services refuse more than 24 hours. */
const VALID_MS = 43_200_000;
const RENEW_BEFORE_MS = 3_600_000;

/** Of the web-push library: signs, and gives the header. `expiration` in seconds since 1970. */
export type SignVapid = (
  audience: string,
  subject: string,
  publicKey: string,
  privateKey: string,
  contentEncoding: 'aes128gcm',
  expiration: number,
) => { readonly Authorization: string };

/**
 * The `Authorization` header of one key pair, by origin: signed once, good for 12 hours, made anew when less than one
 * hour is left. A signature takes longer than the encryption of a message.
 */
export const vapidHeaders = ({
  publicKey,
  privateKey,
  subject,
}: WebPushSettings): ((origin: string, now: Date, sign: SignVapid) => string) => {
  const kept = new LRUCache<string, { readonly header: string; readonly untilMs: number }>({ max: MAX_ORIGINS });
  return (origin, now, sign) => {
    const known = kept.get(origin);
    if (known && known.untilMs - now.getTime() >= RENEW_BEFORE_MS) return known.header;
    const untilMs = now.getTime() + VALID_MS;
    const expiration = Math.floor(untilMs / 1000);
    const header = sign(origin, subject, publicKey, privateKey, 'aes128gcm', expiration).Authorization;
    kept.set(origin, { header, untilMs });
    return header;
  };
};
