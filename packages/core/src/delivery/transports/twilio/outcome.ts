import { retryAfterMs } from '../../../foundation/net/retry-after.ts';
import type { SendOutcome } from '../port.ts';
import type { TwilioCall } from './http.ts';

type Kind = 'failed' | 'opted_out' | 'credential' | 'busy' | 'down' | 'unknown';

/** Twilio's own codes, which say more than the status. Source: transports, Twilio SDK. */
const KINDS: ReadonlyMap<number, Kind> = new Map<number, Kind>([
  [20003, 'credential'],
  [20429, 'busy'],
  [21211, 'failed'],
  [21408, 'failed'],
  [21610, 'opted_out'],
  [21612, 'failed'],
  [21614, 'failed'],
]);

/** What Twilio names of a resource that it does not find. Source: Twilio, error 20404. */
const ACCOUNT_PATH = /\/Accounts\/AC/;

const kindOf = (status: number, code: number | null, message: string): Kind => {
  const known = code === null || status >= 500 ? undefined : KINDS.get(code);
  if (known) return known;
  if (status === 401 || status === 403) return 'credential';
  // A message may name what is not there, such as a messaging service; only of the account the settings are wrong.
  if (status === 404 && ACCOUNT_PATH.test(message)) return 'credential';
  if (status === 429) return 'busy';
  if (status === 408) return 'unknown';
  if (status >= 400 && status < 500) return 'failed';
  // With a code it is Twilio that turns it away; a page of its edge says nothing of what became of the request behind
  // it, and an error inside Twilio may have come after the message was taken.
  return status === 503 && code !== null ? 'down' : 'unknown';
};

/** Twilio's code, of the SDK's error for an answer. The reason of an abort has a number as its code, but no status. */
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
 * What a call that threw means. Once the status of an answer is known it decides, even where the rest of the answer was
 * unreadable or never came: a 2xx is accepted, or the message would be sent a second time. Without an answer it counts
 * whether any of the request was sent. Throws nothing. Source: transports, Twilio SDK.
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
