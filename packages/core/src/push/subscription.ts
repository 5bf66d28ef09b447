import { z } from 'zod';

/** Bytes of a browser's public key: an uncompressed point of P-256. Source: RFC 8291, 3.1. */
const KEY_BYTES = 65;
const UNCOMPRESSED = 4;
/** Bytes of the shared secret. Source: RFC 8291, 3.2. */
const AUTH_BYTES = 16;
/** Characters of an endpoint; ours: what proxies and push services take for a URL. */
const MAX_ENDPOINT_CHARACTERS = 2_048;
/** Endpoints of browsers before 2018: they need a kind of key that no longer exists. */
const LEGACY = 'https://android.googleapis.com/gcm/send';

/** What of a browser's PushSubscription sending needs; keys are base64url without padding. */
export type Subscription = {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
};

const key = (bytes: number, isRight: (first: number | undefined) => boolean) =>
  z
    .string()
    .regex(/^[\w+/=-]{1,128}$/)
    .transform((text, context) => {
      const decoded = Buffer.from(text, 'base64url');
      if (decoded.length === bytes && isRight(decoded[0])) return decoded.toString('base64url');
      context.addIssue({ code: 'custom', message: 'is no such key' });
      return z.NEVER;
    });

const endpoint = z
  .string()
  .max(MAX_ENDPOINT_CHARACTERS)
  .refine((text) => {
    const url = URL.parse(text);
    return url?.protocol === 'https:' && url.username === '' && url.password === '';
  })
  .transform((text) => new URL(text).href)
  .refine((href) => !href.startsWith(LEGACY));

const subscription = z.object({
  endpoint,
  keys: z.object({ p256dh: key(KEY_BYTES, (first) => first === UNCOMPRESSED), auth: key(AUTH_BYTES, () => true) }),
});

/** What is wrong, by the field that is. */
const PROBLEMS: Readonly<Record<string, string>> = {
  endpoint: `endpoint must be an https URL of a push service that takes VAPID keys, of at most ${MAX_ENDPOINT_CHARACTERS} characters`,
  p256dh: `keys.p256dh must be ${KEY_BYTES} bytes as base64url, the first of them ${UNCOMPRESSED}`,
  auth: `keys.auth must be ${AUTH_BYTES} bytes as base64url`,
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Tells a browser's subscription from tokens of other platforms: JSON of an object. Throws nothing. */
export const looksLikeSubscription = (token: string): boolean => token.startsWith('{');

/**
 * Reads the JSON of a PushSubscription; whatever else it holds is left out.
 *
 * @returns a sentence on the first thing that is wrong, without its value. Throws nothing.
 * Source: transports, Web Push.
 */
export const subscriptionOf = (
  text: string,
): { readonly ok: true; readonly subscription: Subscription } | { readonly ok: false; readonly problem: string } => {
  const read = subscription.safeParse(parsed(text));
  if (read.success) return { ok: true, subscription: read.data };
  const path = read.error.issues[0]?.path ?? [];
  const problem = PROBLEMS[String(path.at(-1))];
  return { ok: false, problem: problem ?? 'must be the JSON of a PushSubscription with endpoint, p256dh and auth' };
};
