// Web Push (RFC 8030, 8291, 8292): the web-push library encrypts and signs, and the SSRF-safe agent sends, because
// endpoints come from clients. The library sends nothing itself and keeps no state.

import { LRUCache } from 'lru-cache';
import type { RequestDetails } from 'web-push';
import type { Clock } from '../../../foundation/clock.ts';
import { boundedCalls } from '../deadline-calls.ts';
import type { NetOptions } from '../outbound/guarded-agent.ts';
import { guardedRequests } from '../outbound/guarded-agent-request.ts';
import type { PushMessage, PushTransport, SendOutcome } from '../port.ts';
import { webPushOutcomes } from './outcome.ts';
import { MAX_PAYLOAD_BYTES, payloadOf, topicOf, ttlOf, urgencyOf } from './payload.ts';
import { checkWebPush, type WebPushSettings } from './settings.ts';
import { parseSubscription, type Subscription } from './subscription.ts';

/** Maximum origins whose header is cached; endpoints come from clients. Source: transports, Web Push. */
const MAX_ORIGINS = 1_000;
/** Source: transports, Web Push; push services refuse more than 24 hours. */
const VALID_MS = 43_200_000;
const RENEW_BEFORE_MS = 3_600_000;

/** The web-push library's function that signs and returns the header. `expiration` in seconds since 1970. */
type SignVapid = (
  audience: string,
  subject: string,
  publicKey: string,
  privateKey: string,
  contentEncoding: 'aes128gcm',
  expiration: number,
) => { readonly Authorization: string };

/**
 * The `Authorization` header of one key pair, by origin: signed once, valid for 12 hours, signed anew when less than
 * one hour is left. A signature takes longer than the encryption of a message.
 */
const vapidHeaders = ({
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

/** Concurrent calls per key pair. Source: transports, Ports and outcomes. */
const MAX_IN_FLIGHT = 256;
/** Milliseconds of one call. Source: transports, Rules for every transport (3). */
const LIMIT_MS = 10_000;
/**
 * Concurrent requests to one push service. Chosen: with 8, nearly all of 256 calls would wait, because one service has
 * most browsers.
 */
const CONNECTIONS = 64;

/** Options of the operator; a tenant's settings never set these. */
export type WebPushOptions = NetOptions & {
  readonly clock: Clock;
  /** Allowed hosts of endpoints, such as `updates.push.services.mozilla.com`; absent: any public host. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Allowed ports of endpoints; absent: 443 and 1024 upward. */
  readonly allowedPorts?: readonly number[] | undefined;
  readonly limitMs?: number | undefined;
};

type Library = typeof import('web-push');

const failed = (code: string, message: string): SendOutcome => ({ result: 'failed', code, message });
const outcomes = {
  subscription: failed('invalid_subscription', 'The token is no subscription that can be sent to.'),
  host: failed('blocked_address', 'The endpoint is of a host or a port that may not be used.'),
  size: failed('payload_too_large', `The payload has more than ${MAX_PAYLOAD_BYTES} bytes.`),
};

/** The encrypted request; null if the key is a point outside the curve, which its length does not show. */
const sealed = (
  library: Library,
  subscription: Subscription,
  payload: string,
  message: PushMessage,
  authorization: string,
): (RequestDetails & { readonly body: Buffer }) | null => {
  try {
    return library.generateRequestDetails(subscription, payload, {
      // The library takes null for "do not sign, even with global keys"; its types omit it.
      vapidDetails: null as unknown as undefined,
      TTL: ttlOf(message),
      urgency: urgencyOf(message),
      contentEncoding: 'aes128gcm',
      topic: topicOf(message),
      headers: { Authorization: authorization },
    });
  } catch {
    return null;
  }
};

/**
 * Web Push for one key pair. The settings must be checked: see `checkWebPush`.
 *
 * A refused key pair is `failed`, `vapid_rejected`, and the token stays valid; three origins within a minute, with none
 * that accepts, make it `credential`. Only 404 and 410 end a subscription.
 *
 * @throws TypeError when an allowed network is invalid
 */
export const webPushTransport = (
  settings: WebPushSettings,
  options: WebPushOptions,
): PushTransport<WebPushSettings> => {
  const { clock, allowedHosts, allowedPorts, limitMs = LIMIT_MS } = options;
  const outbound = guardedRequests({ ...options, connections: CONNECTIONS });
  const calls = boundedCalls({ maxInFlight: MAX_IN_FLIGHT, limitMs });
  const authorizationOf = vapidHeaders(settings);
  const outcomeOf = webPushOutcomes();

  const deliver = async (message: PushMessage, signal: AbortSignal): Promise<SendOutcome> => {
    const parsed = parseSubscription(message.token, { allowedHosts, allowedPorts });
    if (!parsed.ok) return parsed.reason === 'refused' ? outcomes.host : outcomes.subscription;
    const { subscription } = parsed;
    const payload = payloadOf(message);
    if (Buffer.byteLength(payload) > MAX_PAYLOAD_BYTES) return outcomes.size;
    const { default: library } = await import('web-push');
    const url = new URL(subscription.endpoint);
    const authorization = authorizationOf(url.origin, clock.now(), library.getVapidHeaders);
    const details = sealed(library, subscription, payload, message, authorization);
    if (!details) return outcomes.subscription;
    const { headers, body } = details;
    const result = await outbound.request({ url, method: 'POST', headers, body, answer: 'ignore' }, signal);
    return outcomeOf(url.origin, result, clock.now());
  };

  return {
    name: 'web-push',
    maxInFlight: MAX_IN_FLIGHT,
    check: checkWebPush,
    send: (message, { signal }) => calls.run(signal, (limited) => deliver(message, limited)),
    close: async () => {
      await calls.drain();
      await outbound.close();
    },
  };
};
