import { compact } from '../../../foundation/compact.ts';
import type { MailAnswer, MailApi, Refusal } from '../mail-http/api.ts';
import { idOf, textOf } from '../mail-http/outcome.ts';
import { headersOf, mailboxText, recipientOf } from '../mail-http/parts.ts';
import { type MailHttpOptions, mailHttpTransport } from '../mail-http/transport.ts';
import type { EmailMessage, EmailTransport } from '../port.ts';
import { checkPostmark, type PostmarkSettings } from './settings.ts';

const bodyOf = (message: EmailMessage, messageStream: string | undefined) => {
  const { messageId, others } = headersOf(message);
  const { text, html, attachments, replyTo } = message;
  return {
    From: mailboxText(message.from),
    To: mailboxText(recipientOf(message)),
    ...(replyTo ? { ReplyTo: mailboxText(replyTo) } : {}),
    Subject: message.subject,
    ...(text === null ? {} : { TextBody: text }),
    ...(html === null ? {} : { HtmlBody: html }),
    // Postmark replaces the Message-ID unless this header is set. Source: Postmark, X-PM-KeepID.
    Headers: [
      { Name: 'Message-ID', Value: messageId },
      { Name: 'X-PM-KeepID', Value: 'true' },
      ...others.map(([Name, Value]) => ({ Name, Value })),
    ],
    Metadata: { messageId: message.messageId },
    // Beckon tracks opens and clicks itself.
    TrackOpens: false,
    TrackLinks: 'None',
    ...(attachments.length === 0
      ? {}
      : {
          Attachments: attachments.map(({ filename, contentType, content, cid }) => ({
            Name: filename,
            Content: content,
            ContentType: contentType,
            ...(cid === null ? {} : { ContentID: `cid:${cid}` }),
          })),
        }),
    ...compact({ MessageStream: messageStream }),
  };
};

/**
 * Postmark's own codes, which come with 422, 401 and 500. Source: Postmark, API overview, API error codes. 10: unknown
 * token. 100: maintenance. 400, 401: unknown or unconfirmed sender. 405: no credits. 406: the recipient is on
 * Postmark's suppression list after a bounce, a complaint or a manual entry; this alone suppresses no address here.
 * 412, 413: the account is pending, or may not send.
 */
const KINDS: ReadonlyMap<number, Refusal['kind']> = new Map([
  [10, 'credential'],
  [100, 'busy'],
  [400, 'sender'],
  [401, 'sender'],
  [405, 'credential'],
  [406, 'failed'],
  [412, 'credential'],
  [413, 'credential'],
]);

/** The request is invalid; the message names the field. */
const INVALID = 300;
const BAD_RECIPIENT = /^(?:Invalid|Error parsing) 'To'/;

const refusal = ({ body }: MailAnswer): Refusal | null => {
  const code = body['ErrorCode'];
  if (typeof code !== 'number' || code === 0) return null;
  if (code === INVALID && BAD_RECIPIENT.test(textOf(body['Message']))) return { kind: 'bounced', code: String(code) };
  const kind = KINDS.get(code);
  return kind === undefined ? null : { kind, code: String(code) };
};

const api = ({ serverToken, messageStream }: PostmarkSettings): MailApi => {
  const token = { 'x-postmark-server-token': serverToken };
  return {
    name: 'postmark',
    label: 'Postmark',
    origin: 'https://api.postmarkapp.com',
    send: (message) => ({
      method: 'POST',
      path: '/email',
      headers: { ...token, 'content-type': 'application/json' },
      body: JSON.stringify(bodyOf(message, messageStream)),
    }),
    probe: () => ({ method: 'GET', path: '/server', headers: token }),
    providerId: ({ body }) => idOf(body['MessageID']),
    refusal,
  };
};

/** Sends mail through Postmark. */
export const postmarkTransport = (
  settings: PostmarkSettings,
  options: MailHttpOptions,
): EmailTransport<PostmarkSettings> => mailHttpTransport({ check: checkPostmark, api }, settings, options);
