import { createHash } from 'node:crypto';
import type { MailAnswer, MailApi, Refusal } from '../mail-http/api.ts';
import { mimeOf } from '../mail-http/mime.ts';
import { idOf, textOf } from '../mail-http/outcome.ts';
import { asciiAddress } from '../mail-http/parts.ts';
import { type MailHttpOptions, mailHttpTransport } from '../mail-http/transport.ts';
import type { EmailTransport } from '../port.ts';
import { checkMailgun, type MailgunSettings } from './settings.ts';

/** Source: Mailgun, API overview, Base URLs. */
const ORIGINS = { us: 'https://api.mailgun.net', eu: 'https://api.eu.mailgun.net' } as const;

/** A multipart form with fields and one file, the mail. Source: RFC 7578. */
const formOf = (fields: Readonly<Record<string, string>>, mail: Uint8Array) => {
  // A hash of the mail, so the mail cannot contain it.
  const boundary = `beckon-${createHash('sha256').update(mail).digest('hex')}`;
  const head = (name: string, more = ''): string =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;
  const texts = Object.entries(fields).map(([name, value]) => `${head(name)}${value}\r\n`);
  const file = head('message', '; filename="mail.eml"\r\nContent-Type: message/rfc822');
  const body = Buffer.concat([Buffer.from(texts.join('') + file), mail, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  return { body, contentType: `multipart/form-data; boundary=${boundary}` };
};

/** Mailgun's errors are sentences. Source: Mailgun, Messages and API response codes. */
const BAD_RECIPIENT = /^'?to'? parameter is not a valid address/i;
const BAD_SENDER = /^'?from'? parameter is not a valid address/i;
/** A trial domain sends only to confirmed addresses: the settings are correct. */
const SANDBOX = /authorized recipients/i;

const refusal = ({ status, body }: MailAnswer): Refusal | null => {
  const message = textOf(body['message']);
  if (status === 400 && BAD_RECIPIENT.test(message)) return { kind: 'bounced' };
  if (status === 400 && BAD_SENDER.test(message)) return { kind: 'sender' };
  if (status === 403 && SANDBOX.test(message)) return { kind: 'failed' };
  // Unknown domain or unpaid account: no mail can be sent.
  if (status === 402 || status === 404) return { kind: 'credential' };
  return null;
};

const api = ({ apiKey, domain, region }: MailgunSettings): MailApi => {
  const authorization = `Basic ${Buffer.from(`api:${apiKey}`).toString('base64')}`;
  return {
    name: 'mailgun',
    label: 'Mailgun',
    origin: ORIGINS[region],
    send: async (message, now) => {
      const fields = {
        // Sets the envelope only; the headers of the mail stay unchanged.
        to: asciiAddress(message.envelope.to),
        'v:messageId': message.messageId,
        // Beckon tracks opens and clicks itself.
        'o:tracking': 'no',
      };
      const { body, contentType } = formOf(fields, await mimeOf(message, now));
      const headers = { authorization, 'content-type': contentType };
      return { method: 'POST', path: `/v3/${domain}/messages.mime`, headers, body };
    },
    probe: () => ({ method: 'GET', path: `/v4/domains/${domain}`, headers: { authorization } }),
    providerId: ({ body }) => idOf(body['id']),
    refusal,
  };
};

/** Sends a whole mail, as over SMTP, through Mailgun. */
export const mailgunTransport = (
  settings: MailgunSettings,
  options: MailHttpOptions,
): EmailTransport<MailgunSettings> => mailHttpTransport({ check: checkMailgun, api }, settings, options);
