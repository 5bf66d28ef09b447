import { z } from 'zod';
import { type UrlRules, urlProblem } from '../../../foundation/net/urls.ts';
import { isPoint } from './settings.ts';

/** The parts of a browser's PushSubscription that sending needs; keys are base64url without padding. */
export type Subscription = {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
};

export type ParsedSubscription =
  | { readonly ok: true; readonly subscription: Subscription }
  | {
      readonly ok: false;
      /** `refused`: well formed, but the operator does not allow its host or port. */
      readonly reason: 'malformed' | 'refused';
      /** A sentence without any of the values. */
      readonly problem: string;
    };

/** Bytes of the shared secret. Source: RFC 8291, 3.2. */
const AUTH_BYTES = 16;
/** Maximum characters of an endpoint. Chosen: what proxies and push services accept as a URL. */
const MAX_ENDPOINT = 2_048;
/**
 * Endpoints of browsers before 2018, which require a kind of key that no longer exists. Source: transports, Web Push.
 */
const LEGACY = 'https://android.googleapis.com/gcm/send';

/** The operator's rules for endpoints. */
export type EndpointRules = Omit<UrlRules, 'httpsOnly'>;

const base64 = z.string().regex(/^[\w+/=-]{1,128}$/);
const shape = z.object({ endpoint: z.string(), keys: z.object({ p256dh: base64, auth: base64 }) });

const malformed = (problem: string): ParsedSubscription => ({ ok: false, reason: 'malformed', problem });

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/**
 * Parses the JSON of a browser's PushSubscription and drops other fields. The endpoint must be https, without a user
 * name, and at most 2,048 characters long; the keys must have their lengths.
 *
 * @param rules allowed ports, hosts and addresses of endpoints; default any host
 * @returns the subscription with its normalized endpoint, or the problem. Throws nothing.
 */
export const parseSubscription = (text: string, rules: EndpointRules = {}): ParsedSubscription => {
  const read = shape.safeParse(jsonOf(text));
  if (!read.success)
    return malformed('It must be the JSON of a PushSubscription: endpoint, keys.p256dh and keys.auth.');
  const url = read.data.endpoint.length > MAX_ENDPOINT ? null : URL.parse(read.data.endpoint);
  if (!url) return malformed(`The endpoint must be a URL of at most ${MAX_ENDPOINT} characters.`);
  if (url.protocol !== 'https:' || url.username !== '' || url.password !== '')
    return malformed('The endpoint must be https, without a user name.');
  const wrong = urlProblem(url, rules);
  if (wrong) return { ok: false, reason: 'refused', problem: `The endpoint cannot be used. ${wrong}` };
  if (url.href.startsWith(LEGACY)) return malformed('The endpoint is of a service that does not take VAPID keys.');
  const point = Buffer.from(read.data.keys.p256dh, 'base64url');
  if (!isPoint(point)) return malformed('keys.p256dh must be 65 bytes as base64url, the first of them 4.');
  const auth = Buffer.from(read.data.keys.auth, 'base64url');
  if (auth.length !== AUTH_BYTES) return malformed(`keys.auth must be ${AUTH_BYTES} bytes as base64url.`);
  const keys = { p256dh: point.toString('base64url'), auth: auth.toString('base64url') };
  return { ok: true, subscription: { endpoint: url.href, keys } };
};
