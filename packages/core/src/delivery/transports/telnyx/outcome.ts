import { retryAfterMs } from '../../../foundation/net/retry-after.ts';
import type { OutboundResult } from '../outbound/guarded-agent-request.ts';
import type { SendOutcome } from '../port.ts';

type Kind = 'failed' | 'opted_out' | 'credential' | 'busy' | 'down' | 'unknown';

/**
 * Telnyx's own codes, which are more precise than the status. Source: Telnyx, API error codes and Messaging error
 * codes.
 */
const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['10009', 'credential'],
  ['10010', 'credential'],
  ['10011', 'busy'],
  ['40300', 'opted_out'],
]);
/** Codes about messages and numbers, with any status. Source: as above. */
const OF_MESSAGES = /^40\d{3}$/;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A property of an unknown value; undefined if there is none. */
const member = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);

/** The parsed JSON of an answer; null if invalid. */
const jsonOf = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return null;
  }
};

/** The first error code of an answer; null if there is none. */
const codeOf = (answer: unknown): string | null => {
  const errors = member(answer, 'errors');
  const code = Array.isArray(errors) ? member(errors[0], 'code') : undefined;
  const text = typeof code === 'number' ? String(code) : code;
  return typeof text === 'string' && /^\d{1,8}$/.test(text) ? text : null;
};

const kindOf = (status: number, code: string | null): Kind => {
  const known = code === null || status >= 500 ? undefined : KINDS.get(code);
  if (known) return known;
  const isOfMessage = code !== null && OF_MESSAGES.test(code);
  if (status === 401 || (status === 403 && !isOfMessage)) return 'credential';
  if (status === 429) return 'busy';
  if (status === 408) return 'unknown';
  if (status >= 400 && status < 500) return 'failed';
  // With a code Telnyx itself rejected the request. A proxy's page does not prove that the request was not processed,
  // and an internal error of Telnyx may follow an accepted message.
  return status === 503 && code !== null ? 'down' : 'unknown';
};

const acceptedAs = (answer: unknown): SendOutcome => {
  const data = member(answer, 'data');
  const id = member(data, 'id');
  const parts = member(data, 'parts');
  return {
    result: 'accepted',
    providerId: typeof id === 'string' && /^[\w-]{1,64}$/.test(id) ? id : null,
    ...(typeof parts === 'number' && Number.isInteger(parts) && parts > 0 ? { segments: parts } : {}),
  };
};

/**
 * The outcome of a request to Telnyx. A known status decides, even if the rest of the answer is missing: a 2xx is
 * accepted, because a retry would send the message twice. Throws nothing. Source: transports, Telnyx.
 */
export const telnyxOutcome = (result: OutboundResult, now: Date): SendOutcome => {
  const head = result.kind === 'answer' ? result : result.head;
  if (result.kind === 'none' && !head) {
    const { code, isSent } = result;
    return {
      result: 'retry',
      code: /^\w{1,64}$/.test(code) ? code : 'network',
      message: isSent ? 'No answer came; Telnyx may have taken the message.' : 'Telnyx was not reached.',
      processed: isSent ? 'unknown' : 'no',
    };
  }
  const { status, headers } = head ?? { status: 0, headers: {} };
  const answer = result.kind === 'answer' ? jsonOf(result.body) : null;
  if (status >= 200 && status < 300) return acceptedAs(answer);
  const code = codeOf(answer);
  const word = code ?? `http_${status}`;
  const wait = retryAfterMs(headers['retry-after'], now);
  const later = wait === undefined ? {} : { retryAfterMs: wait };
  const kind = kindOf(status, code);
  switch (kind) {
    case 'failed':
      return { result: 'failed', code: word, message: 'Telnyx refuses this message.' };
    case 'opted_out': {
      const message = 'The recipient wants no messages from this sender.';
      return { result: 'failed', code: word, message, address: 'opted_out' };
    }
    case 'credential':
      return { result: 'credential', code: word, message: 'Telnyx does not accept these credentials.', ...later };
    case 'busy':
    case 'down': {
      const message = 'Telnyx takes no message at the moment.';
      const down = kind === 'down' ? { isDown: true as const } : {};
      return { result: 'retry', code: word, message, processed: 'no', ...down, ...later };
    }
    case 'unknown': {
      const message = 'The answer does not say whether Telnyx took the message.';
      return { result: 'retry', code: word, message, processed: 'unknown', ...later };
    }
    default:
      return kind satisfies never;
  }
};
