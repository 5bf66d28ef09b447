import type { MailApiRules } from './mail-api.ts';
import { addressIn, at, jsonOf, missingOf, textAt } from './mail-api-json.ts';

/** An error response of Resend. */
export const resendError = (statusCode: number, name: string, message = 'no') => ({
  status: statusCode,
  body: { statusCode, name, message },
});

/** Resend according to its documentation. @param keys names by API key */
export const resendRules = (keys: Readonly<Record<string, string>>): MailApiRules => ({
  credentialOf: ({ headers }) => keys[headers.authorization?.replace(/^Bearer /, '') ?? ''] ?? null,
  mailOf: (request) => {
    const json = jsonOf(request);
    if (typeof json === 'string') return json;
    if (request.path !== '/emails') return 'not found';
    const problem = missingOf(json, 'from', 'to', 'subject');
    if (problem) return problem;
    if (!/^[\x21-\x7e]{1,256}$/.test(`${request.headers['idempotency-key']}`)) return 'bad idempotency key';
    const tag = at(json, 'tags', 0);
    return {
      to: addressIn(textAt(json, 'to', 0)),
      messageId: textAt(tag, 'name') === 'messageId' ? textAt(tag, 'value') : '',
      text: `${textAt(json, 'subject')}\n${textAt(json, 'text')}\n${textAt(json, 'html')}`,
      fields: json,
    };
  },
  replies: {
    accepted: (count) => ({
      status: 200,
      body: { id: `49a3999c-0ce1-4ea6-ab68-${String(count).padStart(12, '0')}` },
    }),
    bounced: resendError(422, 'validation_error', 'Invalid `to` field. The email address needs to follow the format.'),
    refused: resendError(422, 'invalid_attachment'),
    busy: resendError(429, 'rate_limit_exceeded'),
    unauthorized: resendError(403, 'invalid_api_key'),
    malformed: (problem) => resendError(422, 'validation_error', problem),
    read: { status: 200, body: { data: [] } },
  },
});
