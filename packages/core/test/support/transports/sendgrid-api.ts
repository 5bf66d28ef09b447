import type { MailApiRules } from './mail-api.ts';
import { at, jsonOf, missingOf, textAt } from './mail-api-json.ts';

const errors = (field: string | null, message: string) => ({ errors: [{ field, message, help: null }] });

/** SendGrid according to its documentation. @param keys names by API key */
export const sendGridRules = (keys: Readonly<Record<string, string>>): MailApiRules => ({
  credentialOf: ({ headers }) => keys[headers.authorization?.replace(/^Bearer /, '') ?? ''] ?? null,
  mailOf: (request) => {
    const json = jsonOf(request);
    if (typeof json === 'string') return json;
    if (request.path !== '/v3/mail/send') return 'not found';
    const problem = missingOf(json, 'personalizations', 'from', 'subject', 'content');
    if (problem) return problem;
    const content = at(json, 'content');
    if (!Array.isArray(content) || content.length === 0) return 'The content array must have at least one item.';
    if (content.length > 1 && textAt(content, 0, 'type') !== 'text/plain') return 'text/plain must come first';
    return {
      to: textAt(json, 'personalizations', 0, 'to', 0, 'email'),
      messageId: textAt(json, 'custom_args', 'messageId'),
      text: `${textAt(json, 'subject')}\n${content.map((one) => textAt(one, 'value')).join('\n')}`,
      fields: json,
    };
  },
  replies: {
    accepted: (count) => ({ status: 202, headers: { 'X-Message-Id': `sg-${String(count).padStart(18, '0')}` } }),
    bounced: { status: 400, body: errors('personalizations.0.to.0.email', 'Does not contain a valid address.') },
    refused: { status: 400, body: errors('subject', 'The subject is required.') },
    busy: { status: 429, body: errors(null, 'too many requests') },
    unauthorized: { status: 401, body: errors(null, 'The provided authorization grant is invalid') },
    malformed: (problem) => ({ status: 400, body: errors(null, problem) }),
    read: { status: 200, body: { scopes: ['mail.send'] } },
  },
});
