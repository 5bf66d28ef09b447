import { type EndpointRules, parseSubscription } from '../../delivery/transports/web-push/subscription.ts';
import type { Platform } from '../../foundation/device-platform.ts';
import { sha256Hex } from '../../foundation/hash.ts';

/** Maximum characters of a token. Chosen: more than twice the longest in use, browser subscriptions. */
export const MAX_TOKEN_CHARACTERS = 4_096;

/** Minimum hex digits of an APNs token. Source: contract, Tokens. */
const HEX = /^(?:[0-9a-f]{2}){32,}$/i;
const PRINTABLE = /^[\x21-\x7e]+$/;
/**
 * Tokens of a bridge that sends by itself; APNs, FCM and browsers do not know them. Source: interface, Flow rules (5).
 */
const BRIDGE = /^Expo(?:nent)?PushToken\[/;

const BRIDGE_PROBLEM =
  'is a token of a third-party push bridge, which this service does not send to: use a webhook step instead of ' +
  'send_push and let the receiver call the bridge';

/** A device token as stored and sent to, or a sentence that names its fault. */
export type DeviceToken =
  | { readonly ok: true; readonly token: string; readonly platform: Platform }
  | { readonly ok: false; readonly problem: string };

/** True for the JSON object of a browser's subscription. */
const looksLikeSubscription = (token: string): boolean => token.startsWith('{');

/** The platform that the format of an unregistered token suggests. Source: contract, Tokens. Throws nothing. */
export const platformOf = (token: string): Platform => {
  if (looksLikeSubscription(token)) return 'web';
  return HEX.test(token) ? 'ios' : 'android';
};

/**
 * Reads a token.
 *
 * @param platform as the device reports it; absent: by the token's format
 * @returns a subscription in canonical form with exactly the keys that sending needs; other tokens unchanged. Throws
 * nothing.
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
 * Why a subscription's endpoint can never be reached; null: it can, and for other tokens.
 *
 * @param token as returned by `deviceToken`
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

/** Key of a device within an organization: 64 hex digits. Throws nothing. */
export const deviceKey = (token: string): string => sha256Hex(deviceOf(token));

/**
 * Key of a device across organizations: 64 hex digits over the organization and the device (the endpoint of a
 * subscription, the lower-case APNs token, or the token itself). Throws nothing.
 *
 * @param token as returned by `deviceToken`
 */
export const tokenKey = (orgId: string, token: string): string => sha256Hex(`${orgId}|${deviceOf(token)}`);
