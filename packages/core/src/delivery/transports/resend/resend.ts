import type { MailAnswer, MailApi, Refusal } from '../mail-http/api.ts';
import { idOf, textOf } from '../mail-http/outcome.ts';
import { headersOf, mailboxText, recipientOf } from '../mail-http/parts.ts';
import { type MailHttpOptions, mailHttpTransport } from '../mail-http/transport.ts';
import type { EmailMessage, EmailTransport } from '../port.ts';
import { checkResend, type ResendSettings } from './settings.ts';

const bodyOf = (message: EmailMessage) => {
  const { messageId, others } = headersOf(message);
  const { text, html, attachments, replyTo } = message;
  return {
    from: mailboxText(message.from),
    to: [mailboxText(recipientOf(message))],
    ...(replyTo ? { reply_to: mailboxText(replyTo) } : {}),
    subject: message.subject,
    // Without `text` Resend generates one from the HTML; an empty text prevents this. Source: Resend, Send Email, text.
    text: text ?? '',
    ...(html === null ? {} : { html }),
    headers: { 'Message-ID': messageId, ...Object.fromEntries(others) },
    tags: [{ name: 'messageId', value: message.messageId }],
    ...(attachments.length === 0
      ? {}
      : {
          attachments: attachments.map(({ filename, contentType, content, cid }) => ({
            filename,
            content,
            content_type: contentType,
            ...(cid === null ? {} : { content_id: cid }),
          })),
        }),
  };
};

/** By error name. Source: Resend, Errors. */
const KINDS: ReadonlyMap<string, Refusal['kind']> = new Map([
  ['missing_api_key', 'credential'],
  ['restricted_api_key', 'credential'],
  ['invalid_api_key', 'credential'],
  ['invalid_permission', 'credential'],
  ['invalid_from_address', 'sender'],
  ['concurrent_idempotent_requests', 'busy'],
  // The mail was rendered again with another text under the same key; the first one was sent.
  ['invalid_idempotent_request', 'taken'],
  ['rate_limit_exceeded', 'busy'],
  ['daily_quota_exceeded', 'busy'],
  ['monthly_quota_exceeded', 'busy'],
]);
/** Names the recipient's field, in quotes or backticks. */
const BAD_RECIPIENT = /^Invalid [`'"]to[`'"] field/i;

const refusal = ({ status, body }: MailAnswer): Refusal | null => {
  const code = textOf(body['name']);
  const kind = KINDS.get(code);
  if (kind !== undefined) return { kind, code };
  if (code !== 'validation_error') return null;
  if (BAD_RECIPIENT.test(textOf(body['message']))) return { kind: 'bounced', code };
  // The sender's domain is not verified.
  return { kind: status === 403 ? 'sender' : 'failed', code };
};

const api = ({ apiKey }: ResendSettings): MailApi => {
  const authorization = `Bearer ${apiKey}`;
  return {
    name: 'resend',
    label: 'Resend',
    origin: 'https://api.resend.com',
    send: (message) => ({
      method: 'POST',
      path: '/emails',
      // Within 24 hours Resend answers a second attempt with the first result. Source: Resend, Idempotency keys.
      headers: { authorization, 'content-type': 'application/json', 'idempotency-key': message.messageId },
      body: JSON.stringify(bodyOf(message)),
    }),
    probe: () => ({ method: 'GET', path: '/domains', headers: { authorization } }),
    providerId: ({ body }) => idOf(body['id']),
    refusal,
    // A key that may only send.
    isKnown: ({ body }) => body['name'] === 'restricted_api_key',
  };
};

/** Sends mail through Resend. */
export const resendTransport = (settings: ResendSettings, options: MailHttpOptions): EmailTransport<ResendSettings> =>
  mailHttpTransport({ check: checkResend, api }, settings, options);
