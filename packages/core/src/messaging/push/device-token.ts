import { type EndpointRules, parseSubscription } from '../../delivery/transports/web-push/subscription.ts';
import type { Platform } from '../../foundation/device-platform.ts';
import { sha256Hex } from '../../foundation/hash.ts';

/** Characters of a token; ours: the longest that occur are browsers' subscriptions, well below half of it. */
export const MAX_TOKEN_CHARACTERS = 4_096;

/** Hex digits that an APNs token has at least. Source: contract, Tokens. */
const HEX = /^(?:[0-9a-f]{2}){32,}$/i;
const PRINTABLE = /^[\x21-\x7e]+$/;
/** Tokens of a bridge that sends by itself; no gateway of ours knows them. Source: interface, Flow rules (5). */
const BRIDGE = /^Expo(?:nent)?PushToken\[/;

const BRIDGE_PROBLEM =
  'is a token of a third-party push bridge, which this service does not send to: use a webhook step instead of ' +
  'send_push and let the receiver call the bridge';

/** A device's token as it is stored and sent to, or a sentence on what is wrong with it. */
export type DeviceToken =
  | { readonly ok: true; readonly token: string; readonly platform: Platform }
  | { readonly ok: false; readonly problem: string };

/** Tells a browser's subscription from tokens of other platforms: JSON of an object. */
const looksLikeSubscription = (token: string): boolean => token.startsWith('{');

/** The platform that a token looks like, for one that nobody registered. Source: contract, Tokens. Throws nothing. */
export const platformOf = (token: string): Platform => {
  if (looksLikeSubscription(token)) return 'web';
  return HEX.test(token) ? 'ios' : 'android';
};

/**
 * Reads a token.
 *
 * @param platform as the device says; absent: by the token's shape
 * @returns browsers' subscriptions in one spelling with exactly the keys that sending needs; other tokens as they are.
 * Throws nothing.
 */
export const deviceToken = (text: string, platform: Platform = platformOf(text)): DeviceToken => {
  if (BRIDGE.test(text)) return { ok: false, problem: BRIDGE_PROBLEM };
  if (text.length > MAX_TOKEN_CHARACTERS)
    return { ok: false, problem: `must have at most ${MAX_TOKEN_CHARACTERS} characters` };
  if (platform === 'web') {
    const read = parseSubscription(text);
    return read.ok ? { ok: true, platform, token: JSON.stringify(read.subscription) } : read;
  }
  if (looksLikeSubscription(text)) return { ok: false, problem: 'is a browser subscription: its platform is web' };
  if (!PRINTABLE.test(text)) return { ok: false, problem: 'must be printable ASCII without spaces' };
  return { ok: true, platform, token: text };
};

/**
 * Why the endpoint of a browser's subscription can never be sent to; null where it can, and for other tokens.
 *
 * @param token as `deviceToken` gives it
 */
export const endpointProblem = (token: string, rules: EndpointRules): string | null => {
  if (!looksLikeSubscription(token)) return null;
  const read = parseSubscription(token, rules);
  return read.ok ? null : read.problem;
};

const deviceOf = (token: string): string => {
  if (HEX.test(token)) return token.toLowerCase();
  if (!looksLikeSubscription(token)) return token;
  const read = parseSubscription(token);
  return read.ok ? read.subscription.endpoint : token;
};

/** What tells devices apart within an org, as 64 hex digits. Throws nothing. */
export const deviceKey = (token: string): string => sha256Hex(deviceOf(token));

/**
 * What tells devices of all orgs apart, as 64 hex digits, over the org and the endpoint of a subscription, an APNs
 * token in either case, or the token itself. Throws nothing.
 *
 * @param token as `deviceToken` gives it
 */
export const tokenKey = (orgId: string, token: string): string => sha256Hex(`${orgId}|${deviceOf(token)}`);
