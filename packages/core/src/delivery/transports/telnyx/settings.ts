import type { SettingsProblem } from '../port.ts';

/** A project's Telnyx settings. */
export type TelnyxSettings = {
  /** Begins with `KEY`; sent with every request. */
  readonly apiKey: string;
  /** Verifies callbacks: 32 bytes in base64. Without it every callback is rejected. */
  readonly publicKey?: string | undefined;
  /** The default sender. */
  readonly from?: string | undefined;
  /** The UUID of a messaging profile. It chooses a sender from its pool, and is required with a name as sender. */
  readonly messagingProfileId?: string | undefined;
};

const API_KEY = /^[\x21-\x7e]{1,256}$/;
// Source: Telnyx, Webhook signing: a raw Ed25519 key.
const PUBLIC_KEY = /^[A-Za-z0-9+/]{43}=$/;
// A number, a short code, or a name of up to 11 letters, digits and spaces. Source: Telnyx, Choosing a sender type.
const SENDER = /^(?:\+[1-9]\d{6,14}|\d{3,8}|(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11})$/;
const NAME = /[A-Za-z]/;
/** The form of messaging profile ids. */
export const PROFILE_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;
const fits = (value: unknown, pattern: RegExp): boolean => typeof value === 'string' && pattern.test(value);

/** True for a sender that is a name: it cannot receive replies, and Telnyx requires a messaging profile with it. */
export const isName = (sender: string): boolean => NAME.test(sender);

/** Problems of the settings for Telnyx. Throws nothing; no network. */
export const checkTelnyx = (settings: TelnyxSettings): readonly SettingsProblem[] => {
  const { apiKey, publicKey, from, messagingProfileId } = settings;
  const problems: SettingsProblem[] = [];
  if (!fits(apiKey, API_KEY))
    problems.push({ field: 'apiKey', message: 'An API key of API v2 is needed, without white space.' });
  if (isPresent(publicKey) && !fits(publicKey, PUBLIC_KEY))
    problems.push({ field: 'publicKey', message: 'The public key of webhooks is 32 bytes in base64.' });
  if (isPresent(from) && !fits(from, SENDER))
    problems.push({
      field: 'from',
      message: 'A sender is a number in E.164, a short code, or a name of at most 11 characters with a letter.',
    });
  if (isPresent(messagingProfileId) && !fits(messagingProfileId, PROFILE_ID))
    problems.push({ field: 'messagingProfileId', message: 'A messaging profile is a UUID.' });
  if (typeof from === 'string' && isName(from) && !isPresent(messagingProfileId))
    problems.push({ field: 'messagingProfileId', message: 'A name as the sender needs a messaging profile.' });
  return problems;
};
