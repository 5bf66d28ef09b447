import type { ApiRequest, MailApiRules } from './mail-api.ts';
import { splitMail, textOfMail } from './mime-reader.ts';

/** Fields of a form by name; bytes as characters of Latin-1. */
const formOf = ({ headers, body }: ApiRequest): ReadonlyMap<string, string> | null => {
  const boundary = /^multipart\/form-data; boundary=(\S+)$/.exec(headers['content-type'] ?? '')?.[1];
  if (boundary === undefined) return null;
  const parts = body.toString('latin1').split(`--${boundary}`);
  if (parts.at(-1) !== '--\r\n') return null;
  return new Map(
    parts.slice(1, -1).map((part) => {
      const end = part.indexOf('\r\n\r\n');
      return [/name="([^"]+)"/.exec(part.slice(0, end))?.[1] ?? '', part.slice(end + 4, -2)];
    }),
  );
};

/** Mailgun according to its documentation, for the domain `mg.shop.test`. @param keys names by API key */
export const mailgunRules = (keys: Readonly<Record<string, string>>): MailApiRules => ({
  credentialOf: ({ headers }) => {
    const basic = /^Basic (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
    const [user, key = ''] = Buffer.from(basic, 'base64').toString().split(':');
    return user === 'api' ? (keys[key] ?? null) : null;
  },
  mailOf: (request) => {
    if (request.path !== '/v3/mg.shop.test/messages.mime') return 'Domain not found';
    const form = formOf(request);
    const raw = form?.get('message');
    if (!form || raw === undefined) return 'message parameter is missing';
    const [headers] = splitMail(raw);
    return {
      to: form.get('to') ?? '',
      messageId: form.get('v:messageId') ?? '',
      text: `${headers.get('subject')}\n${textOfMail(raw)}`,
      fields: { ...Object.fromEntries(form), raw, headers: Object.fromEntries(headers) },
    };
  },
  replies: {
    accepted: (count) => ({
      status: 200,
      body: { id: `<2026030112.${count}@mg.shop.test>`, message: 'Queued. Thank you.' },
    }),
    bounced: { status: 400, body: { message: "'to' parameter is not a valid address. please check documentation" } },
    refused: { status: 400, body: { message: 'Need at least one of text or html parameters specified' } },
    busy: { status: 429, body: { message: 'Too many requests' } },
    unauthorized: { status: 401, body: 'Forbidden' },
    malformed: (message) => ({ status: 400, body: { message } }),
    read: { status: 200, body: { domain: { name: 'mg.shop.test', state: 'active' } } },
  },
});
