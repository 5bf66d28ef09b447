/* The reference pages of error codes, message reasons and webhook events as Markdown, each generated from one table. */

import { conflictReasons } from '../packages/core/src/foundation/errors.ts';
import { CATALOG, catalogue, type ErrorCode } from '../packages/core/src/index.ts';
import { MESSAGE_REASONS, RENDER_FAILURES } from '../packages/core/src/messaging/sends/schema.ts';
import { ERROR_TEXTS, EVENT_TEXTS, MESSAGE_TEXTS, RENDER_TEXTS } from './reference-texts.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|');
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');
const named = <Name extends string>(texts: Readonly<Record<Name, unknown>>): readonly Name[] =>
  // Safe: the table's own names.
  Object.keys(texts) as Name[];

/** Every error code, with its status, cause and remedy. Throws nothing. */
export const errorReference = (): string => {
  const codes: readonly ErrorCode[] = named(catalogue);
  const sections = codes.map((code) => {
    const { when, remedy, example } = ERROR_TEXTS[code];
    return `## ${code}\n\nHTTP status ${catalogue[code]}.\n\n${when}\n\n**What to do**: ${remedy}\n\n\`\`\`json\n${JSON.stringify({ success: false, error: { code, message: example } })}\n\`\`\`\n`;
  });
  const reasons = [...conflictReasons].map(([reason, text]) => [`\`${reason}\``, text]);
  return [
    '# Error codes\n',
    'An error response has `success: false` and `error` with `code`, `message` and sometimes `details`. Codes are stable; messages are for developers and may change.\n',
    table(
      ['code', 'HTTP status'],
      codes.map((code) => [`[\`${code}\`](#${code.toLowerCase()})`, String(catalogue[code])]),
    ),
    '',
    ...sections,
    '## Conflict reasons\n',
    '`details.reason` of `CONFLICT`:\n',
    table(['reason', 'message'], reasons),
    '',
  ].join('\n');
};

/** Every reason of a message. Throws nothing. */
export const reasonReference = (): string =>
  [
    '# Message reasons\n',
    '`reason` of a message says why the message was not sent, or why it waits. See [Debug a message or a workflow](../guides/debug.md).\n',
    table(
      ['reason', 'status', 'meaning'],
      MESSAGE_REASONS.map((reason) => [`\`${reason}\``, MESSAGE_TEXTS[reason].status, MESSAGE_TEXTS[reason].text]),
    ),
    '\n## Rendering errors\n',
    '`errorCode` of a message that is `failed` because Beckon could not render its content:\n',
    table(
      ['errorCode', 'meaning'],
      RENDER_FAILURES.map((code) => [`\`${code}\``, RENDER_TEXTS[code]]),
    ),
    '',
  ].join('\n');

/** Every event of the catalogue. Throws nothing. */
export const eventReference = (): string =>
  [
    '# Webhook event catalogue\n',
    'Webhooks deliver these events; workflows can use them as triggers. See [Receive webhooks](../guides/webhooks.md).\n',
    table(
      ['event', 'Beckon raises it when', 'meaning'],
      named(CATALOG).map((name) => [`\`${name}\``, CATALOG[name].emittedBy, EVENT_TEXTS[name]]),
    ),
    '',
  ].join('\n');
