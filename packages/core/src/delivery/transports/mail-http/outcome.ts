import { retryAfterMs } from '../../../foundation/net/retry-after.ts';
import type { OutboundResult } from '../outbound/guarded-agent-request.ts';
import type { SendOutcome } from '../port.ts';
import type { MailAnswer, MailApi, Refusal } from './api.ts';

const WORD = /^[\w.-]{1,64}$/;
/** Characters of an id. Chosen: known ids have up to 100. */
const ID = /^[\x21-\x7e]{1,255}$/;

/** The value if it is a string, else an empty string. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A provider's id without the brackets of a Message-ID; null for anything else. */
export const idOf = (value: unknown): string | null => {
  const id = textOf(value).replace(/^<(.+)>$/, '$1');
  return ID.test(id) ? id : null;
};

const objectOf = (bytes: Uint8Array): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
};

/** Parses an answer; `body` is `{}` for anything but a JSON object. Throws nothing. */
export const answerOf = ({ status, headers, body }: OutboundResult & { readonly kind: 'answer' }): MailAnswer => ({
  status,
  headers,
  body: objectOf(body),
});

/** The meaning of a status alone. Source: RFC 9110, 15.5 and 15.6. */
const byStatus = (status: number): Refusal => {
  if (status === 401 || status === 403) return { kind: 'credential' };
  if (status === 429) return { kind: 'busy' };
  if (status === 408) return { kind: 'unknown' };
  return { kind: status >= 400 && status < 500 ? 'failed' : 'unknown' };
};

const refusalBy = ({ label }: MailApi, { kind }: Refusal, code: string, wait: { readonly retryAfterMs?: number }) => {
  switch (kind) {
    case 'bounced':
      return {
        result: 'failed',
        code,
        message: `${label} takes no mail for this recipient.`,
        address: 'bounced',
      } as const;
    case 'sender':
      return { result: 'failed', code: 'sender_rejected', message: `${label} refuses the sender.` } as const;
    case 'failed':
      return { result: 'failed', code, message: `${label} refuses this mail.` } as const;
    case 'credential':
      return { result: 'credential', code, message: `${label} does not accept these credentials.`, ...wait } as const;
    case 'busy':
      return {
        result: 'retry',
        code,
        message: `${label} takes no mail at the moment.`,
        processed: 'no',
        ...wait,
      } as const;
    case 'unknown':
      return {
        result: 'retry',
        code,
        message: `The answer does not say whether ${label} took the mail.`,
        processed: 'unknown',
        ...wait,
      } as const;
    case 'taken':
      return { result: 'accepted', providerId: null } as const;
    default:
      return kind satisfies never;
  }
};

/** The outcome of an answer. Any 2xx is accepted, because a retry would send the mail twice. Throws nothing. */
export const answerOutcome = (api: MailApi, answer: MailAnswer, now: Date): SendOutcome => {
  const { status, headers } = answer;
  if (status >= 200 && status < 300) return { result: 'accepted', providerId: api.providerId(answer) };
  const refusal = api.refusal(answer, now) ?? byStatus(status);
  const code = refusal.code !== undefined && WORD.test(refusal.code) ? refusal.code : `http_${status}`;
  const wait = refusal.retryAfterMs ?? retryAfterMs(headers['retry-after'], now);
  return refusalBy(api, refusal, code, wait === undefined ? {} : { retryAfterMs: wait });
};

/** The outcome of a request without an answer. */
export const silenceOutcome = (
  { label }: MailApi,
  { code, isSent }: OutboundResult & { readonly kind: 'none' },
): SendOutcome => ({
  result: 'retry',
  code: WORD.test(code) ? code : 'network',
  message: isSent ? `No answer came; ${label} may have taken the mail.` : `${label} was not reached.`,
  processed: isSent ? 'unknown' : 'no',
});
