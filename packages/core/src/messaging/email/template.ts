import { isObject } from '../../foundation/json.ts';
import type { TemplateWarning } from '../templates/answers.generated.ts';
import { ownFields, type TemplateContent, type TemplateKind, without } from '../templates/kind.ts';
import { attachments } from './attachments.ts';
import { checkBodies, emailFields } from './schema.ts';

/** Bytes of HTML that Gmail shows before it cuts. Source: Gmail, clipped messages (102 KB). */
const GMAIL_MAX_BYTES = 102 * 1_024;

const fields = {
  ...emailFields,
  attachments: attachments.optional().describe('Files. At most 20, together at most 700 KiB. Default: none.'),
};

const HTML = ['html', 'bodyHtml'] as const;
const BODIES = [...HTML, 'text'] as const;

/** Without what the caller says in one language for everybody. */
const translations = (localized: unknown, replaced: readonly string[]): unknown =>
  isObject(localized)
    ? Object.fromEntries(
        Object.entries(localized).flatMap(([tag, texts]) => {
          const left = isObject(texts) ? without(texts, replaced) : {};
          return Object.keys(left).length === 0 ? [] : [[tag, left]];
        }),
      )
    : localized;

const fill = (template: TemplateContent, own: TemplateContent): TemplateContent => {
  const fields = ownFields(own);
  const isHtml = HTML.some((name) => Object.hasOwn(fields, name));
  // A translation's bodies stand in place of all of a mail's own, so they go together.
  const isBody = BODIES.some((name) => Object.hasOwn(fields, name));
  const said = [...Object.keys(fields), ...(isBody ? [...BODIES, 'preheader'] : [])];
  const { localized, ...rest } = isHtml ? without(template, HTML) : template;
  const left = translations(localized, said);
  return { ...rest, ...(isObject(left) && Object.keys(left).length > 0 ? { localized: left } : {}), ...fields };
};

/** Stored templates of mails. */
export const emailTemplate: TemplateKind<'email', typeof fields> = {
  channel: 'email',
  fields,
  check: checkBodies,
  texts: ['subject', 'preheader', 'text', 'html', 'bodyHtml', 'localized'],
  userFields: ['unsubscribeUrl'],
  fill,
  weigh: ({ html, text }) => {
    const bytes = Buffer.byteLength(html ?? '');
    const warnings: TemplateWarning[] = [];
    if (bytes > GMAIL_MAX_BYTES)
      warnings.push({
        path: null,
        code: 'clipped',
        message: `Gmail clips HTML after ${GMAIL_MAX_BYTES} bytes; this has ${bytes}.`,
      });
    if (text === null)
      warnings.push({
        path: 'text',
        code: 'no_text',
        message: 'The template has no plain text. Some spam filters reject emails without it.',
      });
    return warnings;
  },
};
