import { isObject } from '../../foundation/json.ts';
import type { TemplateWarning } from '../templates/answers.generated.ts';
import { ownFields, type TemplateContent, type TemplateKind, without } from '../templates/kind.ts';
import { attachments } from './attachments.ts';
import { checkBodies, emailFields } from './schema.ts';

/** Bytes of HTML above which Gmail clips an email. Source: Gmail, clipped messages (102 KB). */
const GMAIL_MAX_BYTES = 102 * 1_024;

const fields = {
  ...emailFields,
  attachments: attachments.optional().describe('Files. At most 20, together at most 700 KiB. Default: none.'),
};

const HTML = ['html', 'bodyHtml'] as const;
const BODIES = [...HTML, 'text'] as const;

/** Drops localized fields that the caller's own fields replace. */
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
  // The bodies of a translation replace all bodies of the email, so they are dropped together.
  const isBody = BODIES.some((name) => Object.hasOwn(fields, name));
  const replaced = [...Object.keys(fields), ...(isBody ? [...BODIES, 'preheader'] : [])];
  const { localized, ...rest } = isHtml ? without(template, HTML) : template;
  const left = translations(localized, replaced);
  return { ...rest, ...(isObject(left) && Object.keys(left).length > 0 ? { localized: left } : {}), ...fields };
};

/** Stored email templates. */
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
