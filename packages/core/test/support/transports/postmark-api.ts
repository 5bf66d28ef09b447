import type { MailApiRules } from './mail-api.ts';
import { addressIn, at, jsonOf, missingOf, textAt } from './mail-api-json.ts';

/** An error response of Postmark. */
export const postmarkError = (status: number, code: number, Message = 'no, not private-domain.test') => ({
  status,
  body: { ErrorCode: code, Message },
});

/** Postmark according to its documentation. @param tokens names by server token */
export const postmarkRules = (tokens: Readonly<Record<string, string>>): MailApiRules => ({
  credentialOf: ({ headers }) => tokens[`${headers['x-postmark-server-token']}`] ?? null,
  mailOf: (request) => {
    const json = jsonOf(request);
    if (typeof json === 'string') return json;
    if (request.path !== '/email') return 'not found';
    const problem = missingOf(json, 'From', 'To');
    if (problem) return problem;
    if (at(json, 'TextBody') === undefined && at(json, 'HtmlBody') === undefined) return 'Provide TextBody or HtmlBody';
    return {
      to: addressIn(textAt(json, 'To')),
      messageId: textAt(json, 'Metadata', 'messageId'),
      text: `${textAt(json, 'Subject')}\n${textAt(json, 'TextBody')}\n${textAt(json, 'HtmlBody')}`,
      fields: json,
    };
  },
  replies: {
    accepted: (count) => ({
      status: 200,
      body: { ErrorCode: 0, Message: 'OK', MessageID: `0a129aee-e1cd-480d-b08d-${String(count).padStart(12, '0')}` },
    }),
    bounced: postmarkError(
      422,
      300,
      "Error parsing 'To': Illegal email address 'ann'. It must contain the '@' symbol.",
    ),
    refused: postmarkError(422, 300),
    busy: postmarkError(429, 429),
    unauthorized: postmarkError(401, 10),
    malformed: () => postmarkError(422, 300),
    read: { status: 200, body: { ID: 1, Name: 'server' } },
  },
});
