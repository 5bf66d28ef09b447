// Stored email templates in place of the built-in texts of sign-in. A template that cannot serve is replaced by the
// built-in text, so that nobody is locked out by an edit of a template.

import type { Scope } from '../../foundation/scope.ts';
import { type EmailContent, localisedMail } from '../../messaging/email/schema.ts';
import { emailTemplate } from '../../messaging/email/template.ts';
import { readContent } from '../../messaging/templates/schema.ts';
import type { UseTemplate } from '../../messaging/templates/use.ts';
import type { MailKind } from '../auth-settings/mail-kinds.ts';

/** Why a template cannot serve. */
export type TemplateFault = 'missing' | 'invalid' | 'no_content' | 'secret_in_subject' | 'no_link_or_code';

/** The content of a stored template, and where it is from. */
export type MailTemplate = {
  readonly content: EmailContent;
  readonly templateId: string;
  readonly templateVersion: number;
};

/** What an email needs of its template. */
export type TemplateNeeds = {
  readonly kind: MailKind;
  readonly templateId: string;
  /** Language of the account; null: unknown. */
  readonly locale: string | null;
  readonly link: boolean;
  readonly code: boolean;
};

const mentions = (text: string, name: 'link' | 'code'): boolean =>
  new RegExp(`\\{\\{[^{}]*\\bauth\\s*\\.\\s*${name}\\b`).test(text);

/**
 * The fault of a content for an email with a link or a code; null: none. Every body must have one of them, since mail
 * programs show one body. Throws nothing.
 */
export const templateFault = (
  { subject, text, html, bodyHtml }: Pick<EmailContent, 'subject' | 'text' | 'html' | 'bodyHtml'>,
  has: Pick<TemplateNeeds, 'link' | 'code'>,
): TemplateFault | null => {
  // Lists of sends and mail programs show subjects to people who may not sign in.
  if (mentions(subject, 'code') || mentions(subject, 'link')) return 'secret_in_subject';
  const bodies = [text, html, bodyHtml].filter((body) => body !== undefined && body !== '');
  if (bodies.length === 0) return 'no_content';
  if (!has.link && !has.code) return null;
  const serves = (body = ''): boolean => (has.link && mentions(body, 'link')) || (has.code && mentions(body, 'code'));
  return bodies.every(serves) ? null : 'no_link_or_code';
};

/** Reads the template of an email in the language of its account. Throws errors of the database. */
export const readTemplate = async (
  use: UseTemplate,
  scope: Scope,
  { templateId, locale, ...has }: TemplateNeeds,
): Promise<MailTemplate | TemplateFault> => {
  const stored = await use(scope, 'email', templateId);
  if (stored === null) return 'missing';
  const read = readContent(emailTemplate, stored.content);
  if (!read.ok) return 'invalid';
  // Emails of sign-in are never tracked: a tracked link would carry a token to the click redirect.
  const { tracking: _, ...mail } = read.content;
  const localised = localisedMail(mail, locale);
  if ('unsupported' in localised) return 'no_content';
  const { content } = localised;
  return templateFault(content, has) ?? { content, templateId, templateVersion: stored.version };
};
