import type { SettingsProblem } from '../port.ts';

/** A project's Twilio settings. Authenticates with an API key or with the account's auth token. */
export type TwilioSettings = {
  /** `AC` and 32 hexadecimal digits. */
  readonly accountSid: string;
  /** `SK` and 32 hexadecimal digits; only together with its secret, and preferred to the auth token. */
  readonly apiKeySid?: string | undefined;
  readonly apiKeySecret?: string | undefined;
  readonly authToken?: string | undefined;
  /** The default sender; at most one of the two. */
  readonly from?: string | undefined;
  /** `MG` and 32 hexadecimal digits. */
  readonly messagingServiceId?: string | undefined;
};

/** User name and password of each request, and the account in its path. */
export type TwilioCredential = { readonly accountSid: string; readonly user: string; readonly secret: string };

// The account becomes part of the path. Source: transports, Rules for every transport (5).
const ACCOUNT = /^AC[0-9a-f]{32}$/;
const API_KEY = /^SK[0-9a-f]{32}$/;
const SERVICE = /^MG[0-9a-f]{32}$/;
const SECRET = /^[\x21-\x7e]{1,256}$/;
// A number, a short code, or a name of up to 11 characters with a letter. Source: Twilio, Message resource, From.
const SENDER = /^(?:\+[1-9]\d{6,14}|\d{3,8}|(?=.*[A-Za-z])[A-Za-z0-9 &+_-]{1,11})$/;

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;
const fits = (value: unknown, pattern: RegExp): boolean => typeof value === 'string' && pattern.test(value);

const proofProblems = ({ apiKeySid, apiKeySecret, authToken }: TwilioSettings): SettingsProblem[] => {
  const problems: SettingsProblem[] = [];
  const hasKey = isPresent(apiKeySid) || isPresent(apiKeySecret);
  if (hasKey && !fits(apiKeySid, API_KEY))
    problems.push({
      field: 'apiKeySid',
      message: 'An API key is SK and 32 hexadecimal digits, given with its secret.',
    });
  if (hasKey && !fits(apiKeySecret, SECRET))
    problems.push({ field: 'apiKeySecret', message: 'The secret of the API key is needed, without white space.' });
  if (isPresent(authToken) ? !fits(authToken, SECRET) : !hasKey)
    problems.push({ field: 'authToken', message: 'An API key with its secret, or the auth token, is needed.' });
  return problems;
};

/** Problems of the settings for Twilio. Reads nothing from the environment. Throws nothing; no network. */
export const checkTwilio = (settings: TwilioSettings): readonly SettingsProblem[] => {
  const { accountSid, from, messagingServiceId } = settings;
  const problems: SettingsProblem[] = [];
  if (!fits(accountSid, ACCOUNT))
    problems.push({ field: 'accountSid', message: 'An account is AC and 32 hexadecimal digits.' });
  problems.push(...proofProblems(settings));
  if (isPresent(from) && !fits(from, SENDER))
    problems.push({
      field: 'from',
      message: 'A sender is a number in E.164, a short code, or a name of at most 11 characters with a letter.',
    });
  if (isPresent(messagingServiceId) && !fits(messagingServiceId, SERVICE))
    problems.push({ field: 'messagingServiceId', message: 'A messaging service is MG and 32 hexadecimal digits.' });
  if (isPresent(from) && isPresent(messagingServiceId))
    problems.push({ field: 'messagingServiceId', message: 'is not allowed with from.' });
  return problems;
};

/** The credential of requests; null if the settings are invalid. Throws nothing. */
export const twilioCredential = (settings: TwilioSettings): TwilioCredential | null => {
  if (checkTwilio(settings).length > 0) return null;
  const { accountSid, apiKeySid, apiKeySecret, authToken } = settings;
  if (apiKeySid && apiKeySecret) return { accountSid, user: apiKeySid, secret: apiKeySecret };
  return authToken ? { accountSid, user: accountSid, secret: authToken } : null;
};
