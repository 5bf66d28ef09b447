import type { MailAnswer, MailApi, Refusal } from '../mail-http/api.ts';
import { idOf, textOf } from '../mail-http/outcome.ts';
import { asciiAddress, headersOf, recipientOf } from '../mail-http/parts.ts';
import { type MailHttpOptions, mailHttpTransport } from '../mail-http/transport.ts';
import type { EmailMessage, EmailTransport, Mailbox } from '../port.ts';
import { checkSendGrid, type SendGridSettings } from './settings.ts';

/** Source: SendGrid, Mail Send, Base URL. */
const ORIGINS = { global: 'https://api.sendgrid.com', eu: 'https://api.eu.sendgrid.com' } as const;
/** Maximum wait of a rate limit in milliseconds. Chosen. */
const MAX_WAIT_MS = 3_600_000;

const box = ({ email, name }: Mailbox) => ({ email: asciiAddress(email), ...(name ? { name } : {}) });

const bodyOf = (message: EmailMessage) => {
  const { messageId, others } = headersOf(message);
  const { text, html, attachments, replyTo } = message;
  return {
    personalizations: [{ to: [box(recipientOf(message))] }],
    from: box(message.from),
    ...(replyTo ? { reply_to: box(replyTo) } : {}),
    subject: message.subject,
    // Plain text must come first. Source: SendGrid, Mail Send, Content errors.
    content: [
      ...(text === null ? [] : [{ type: 'text/plain', value: text }]),
      ...(html === null ? [] : [{ type: 'text/html', value: html }]),
    ],
    headers: { 'Message-ID': messageId, ...Object.fromEntries(others) },
    custom_args: { messageId: message.messageId },
    ...(attachments.length === 0
      ? {}
      : {
          attachments: attachments.map(({ filename, contentType, content, cid }) => ({
            content,
            filename,
            type: contentType,
            ...(cid === null ? { disposition: 'attachment' } : { disposition: 'inline', content_id: cid }),
          })),
        }),
    // Beckon tracks opens and clicks itself.
    tracking_settings: {
      click_tracking: { enable: false, enable_text: false },
      open_tracking: { enable: false },
      subscription_tracking: { enable: false },
    },
  };
};

/** The fields that a refusal names. */
const fieldsOf = ({ body }: MailAnswer): readonly string[] =>
  Array.isArray(body['errors'])
    ? body['errors'].map((one: unknown) =>
        typeof one === 'object' && one !== null ? textOf(Reflect.get(one, 'field')) : '',
      )
    : [];

/** Source: SendGrid, How to use the v3 API, Errors and Rate limits; Mail Send, Errors. */
const refusal = (answer: MailAnswer, now: Date): Refusal | null => {
  const { status, headers } = answer;
  const fields = fieldsOf(answer);
  if (status === 400 && fields.some((field) => field.startsWith('personalizations.0.to'))) return { kind: 'bounced' };
  // An unverified sender and a key that may not send have the same status; only the first names a field.
  if ((status === 400 || status === 403) && fields.some((field) => field === 'from' || field.startsWith('from.')))
    return { kind: 'sender' };
  if (status !== 429) return null;
  const reset = Number(headers['x-ratelimit-reset']) * 1_000 - now.getTime();
  return reset > 0 ? { kind: 'busy', retryAfterMs: Math.min(reset, MAX_WAIT_MS) } : { kind: 'busy' };
};

const api = ({ apiKey, region }: SendGridSettings): MailApi => {
  const authorization = `Bearer ${apiKey}`;
  return {
    name: 'sendgrid',
    label: 'SendGrid',
    origin: ORIGINS[region],
    send: (message) => ({
      method: 'POST',
      path: '/v3/mail/send',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(bodyOf(message)),
    }),
    probe: () => ({ method: 'GET', path: '/v3/scopes', headers: { authorization } }),
    // Events contain this id with a suffix after a dot.
    providerId: ({ headers }) => idOf(headers['x-message-id']),
    refusal,
  };
};

/** Sends mail through SendGrid. */
export const sendGridTransport = (
  settings: SendGridSettings,
  options: MailHttpOptions,
): EmailTransport<SendGridSettings> => mailHttpTransport({ check: checkSendGrid, api }, settings, options);
