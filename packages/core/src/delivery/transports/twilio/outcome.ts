import { retryAfterMs } from '../../../foundation/net/retry-after.ts';
import type { SendOutcome } from '../port.ts';
import type { TwilioCall } from './http.ts';

type Kind = 'failed' | 'opted_out' | 'credential' | 'busy' | 'down' | 'unknown';

/** Twilio's own codes, which are more precise than the status. Source: transports, Twilio SDK. */
const KINDS: ReadonlyMap<number, Kind> = new Map<number, Kind>([
  [20003, 'credential'],
  [20429, 'busy'],
  [21211, 'failed'],
  [21408, 'failed'],
  [21610, 'opted_out'],
  [21612, 'failed'],
  [21614, 'failed'],
]);

/** Path of the account in a "not found" error. Source: Twilio, error 20404. */
const ACCOUNT_PATH = /\/Accounts\/AC/;

const kindOf = (status: number, code: number | null, message: string): Kind => {
  const known = code === null || status >= 500 ? undefined : KINDS.get(code);
  if (known) return known;
  if (status === 401 || status === 403) return 'credential';
  // A message may refer to a missing resource, such as a messaging service; the settings are wrong only if the account
  // is missing.
  if (status === 404 && ACCOUNT_PATH.test(message)) return 'credential';
  if (status === 429) return 'busy';
  if (status === 408) return 'unknown';
  if (status >= 400 && status < 500) return 'failed';
  // With a code Twilio itself rejected the request. A page of its edge does not prove that the request was not
  // processed, and an internal error of Twilio may follow an accepted message.
  return status === 503 && code !== null ? 'down' : 'unknown';
};

/** Twilio's code in the SDK's error for an answer. The reason of an abort also has a numeric code, but no status. */
const twilioCode = (error: unknown): number | null => {
  if (!(error instanceof Error) || !('status' in error && 'code' in error)) return null;
  const { code } = error;
  return typeof code === 'number' && Number.isInteger(code) && code > 0 && code < 1_000_000 ? code : null;
};

const answerOutcome = (call: TwilioCall, status: number, error: unknown, now: Date): SendOutcome => {
  const code = twilioCode(error);
  const word = code === null ? `http_${status}` : String(code);
  const wait = retryAfterMs(call.retryAfter, now);
  const later = wait === undefined ? {} : { retryAfterMs: wait };
  const kind = kindOf(status, code, error instanceof Error ? `${error.message}` : '');
  switch (kind) {
    case 'failed':
      return { result: 'failed', code: word, message: 'Twilio refuses this message.' };
    case 'opted_out': {
      const message = 'The recipient wants no messages from this sender.';
      return { result: 'failed', code: word, message, address: 'opted_out' };
    }
    case 'credential':
      return { result: 'credential', code: word, message: 'Twilio does not accept these credentials.', ...later };
    case 'busy':
    case 'down': {
      const message = 'Twilio takes no message at the moment.';
      const down = kind === 'down' ? { isDown: true as const } : {};
      return { result: 'retry', code: word, message, processed: 'no', ...down, ...later };
    }
    case 'unknown': {
      const message = 'The answer does not say whether Twilio took the message.';
      return { result: 'retry', code: word, message, processed: 'unknown', ...later };
    }
    default:
      return kind satisfies never;
  }
};

const networkCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && /^\w{1,64}$/.test(error.code)
    ? error.code
    : 'network';

/**
 * The outcome of a call that threw. A known status decides, even if the rest of the answer is unreadable or missing: a
 * 2xx is accepted, because a retry would send the message twice. Without an answer it matters whether any of the
 * request was sent. Throws nothing. Source: transports, Twilio SDK.
 */
export const twilioOutcome = (call: TwilioCall, error: unknown, now: Date): SendOutcome => {
  const { status, signal, isSent } = call;
  if (status !== null && status >= 200 && status < 300) return { result: 'accepted', providerId: null };
  if (status !== null) return answerOutcome(call, status, error, now);
  return {
    result: 'retry',
    code: signal.aborted ? 'timeout' : networkCode(error),
    message: isSent ? 'No answer came; Twilio may have taken the message.' : 'Twilio was not reached.',
    processed: isSent ? 'unknown' : 'no',
  };
};
