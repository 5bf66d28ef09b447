// The emails of sign-in: a stored template or the built-in text. Links and codes are template variables of the scope `auth`.
// Their values are encrypted with the send, so no row, log or view shows them. Nothing is tracked, and no email has an
// unsubscribe link.

import type { Ids } from '../../foundation/ids.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { EmailContent } from '../../messaging/email/schema.ts';
import { sealValues } from '../../messaging/sends/deliver/sealed.ts';
import type { SendRequest } from '../../messaging/sends/schema.ts';
import type { UseTemplate } from '../../messaging/templates/use.ts';
import type { Keyring } from '../../platform/tenancy/keyring.ts';
import type { MailKind } from '../auth-settings/mail-kinds.ts';
import { readTemplate, type TemplateFault } from './templates.ts';

type Text = {
  readonly subject: string;
  /** Paragraphs before the link or the code. */
  readonly before: readonly string[];
  /** Label of the link; absent: the email has none. */
  readonly action?: string;
  readonly after: readonly string[];
  /** In place of `after` where the email has no link. */
  readonly afterWithoutLink?: readonly string[];
};

const IGNORE = 'If you did not request this email, you can ignore it.';
const SECURE = 'If this was not you, reset your password now and check your sessions.';

/** Subjects never contain a code. */
const TEXTS: Readonly<Record<MailKind, Text>> = {
  verify: {
    subject: 'Confirm your email address',
    before: ['Confirm that this is your email address.'],
    action: 'Confirm email address',
    after: ['The link expires in 24 hours.', IGNORE],
  },
  exists: {
    subject: 'You already have an account',
    before: ['Somebody signed up with this email address, but you already have an account. Sign in instead.'],
    after: ['If you forgot your password, reset it on the sign-in page.', IGNORE],
  },
  magic_link: {
    subject: 'Your sign-in link',
    before: ['Use this link to sign in.'],
    action: 'Sign in',
    after: ['The link expires in 10 minutes and works once.', IGNORE],
  },
  otp: {
    subject: 'Your sign-in code',
    before: ['Enter this code to sign in.'],
    after: ['The code expires in 10 minutes. Never give it to anybody.', IGNORE],
  },
  reset: {
    subject: 'Reset your password',
    before: ['Use this link to choose a new password.'],
    action: 'Reset password',
    after: ['The link expires in 30 minutes and works once.', IGNORE],
  },
  email_change: {
    subject: 'Confirm your new email address',
    before: ['Confirm that your account should use this email address.'],
    action: 'Confirm new email address',
    after: ['The link expires in 24 hours.', IGNORE],
  },
  reauth: {
    subject: 'Your confirmation code',
    before: ['Enter this code to confirm that it is you.'],
    after: ['The code expires in 10 minutes. Never give it to anybody.', SECURE],
  },
  email_changed_notice: {
    subject: 'Your email address was changed',
    before: ['The email address of your account was changed.'],
    action: 'Undo the change',
    after: ['The link works for 72 hours and ends all sessions.'],
    afterWithoutLink: ['Sign in with this address from now on.'],
  },
  mfa_wrong_code: {
    subject: 'Failed sign-in to your account',
    before: ['Somebody entered your correct password, but a wrong second factor.'],
    after: [SECURE],
  },
  password_changed: {
    subject: 'Your password was changed',
    before: ['The password of your account was changed, and your other sessions were ended.'],
    after: [SECURE],
  },
  mfa_removed: {
    subject: 'A second factor was removed',
    before: ['A second factor of your account was removed.'],
    after: [SECURE],
  },
  passkey_added: {
    subject: 'A passkey was added',
    before: ['A passkey was added to your account.'],
    after: [SECURE],
  },
};

const CODE_LINE = '{{auth.code}}';
const LINK_LINE = '{{auth.link}}';

/** The content of an email, with template variables for its link and its code. Throws nothing. */
export const emailContent = (kind: MailKind, has: { readonly link: boolean; readonly code: boolean }): EmailContent => {
  const { subject, before, action, after: afterLink, afterWithoutLink = afterLink } = TEXTS[kind];
  const link = has.link && action !== undefined ? action : null;
  const after = link === null ? afterWithoutLink : afterLink;
  const text = [
    ...before,
    ...(link === null ? [] : [`${link}: ${LINK_LINE}`]),
    ...(has.code ? [link === null ? CODE_LINE : `Or enter this code: ${CODE_LINE}`] : []),
    ...after,
  ];
  const html = [
    ...before.map((line) => `<p>${line}</p>`),
    ...(link === null ? [] : [`<p><a href="${LINK_LINE}" rel="noreferrer">${link}</a></p>`]),
    ...(has.code
      ? [`<p>${link === null ? '' : 'Or enter this code: '}<strong style="font-size:1.4em">${CODE_LINE}</strong></p>`]
      : []),
    ...after.map((line) => `<p>${line}</p>`),
  ];
  return { subject, text: text.join('\n\n'), html: html.join('\n') };
};

export type EmailInput = {
  readonly kind: MailKind;
  /** Address of the account, never the text of a request. */
  readonly to: string;
  readonly link: string | null;
  readonly code: string | null;
  readonly expiresAt: Date;
  /** Language of the account; null or absent: unknown. */
  readonly locale?: string | null | undefined;
};

/** Makes the request that a commit sends. Throws errors of the keyring. */
export type MakeEmail = (scope: Scope, input: EmailInput) => Promise<SendRequest>;

export type AuthEmailsDeps = {
  readonly ids: Ids;
  readonly keyring: Pick<Keyring, 'seal'>;
  readonly useTemplate: UseTemplate;
  /** The stored template of a kind; undefined: the built-in text. */
  templateOf(scope: Scope, kind: MailKind): Promise<string | undefined>;
  /** Reports a template that cannot serve. */
  onFault(
    scope: Scope,
    fault: { readonly kind: MailKind; readonly templateId: string; readonly fault: TemplateFault },
  ): void;
};

export const authEmails =
  ({ ids, keyring, useTemplate, templateOf, onFault }: AuthEmailsDeps): MakeEmail =>
  async (scope, { kind, to, link, code, expiresAt, locale = null }) => {
    const id = ids.next();
    const has = { link: link !== null, code: code !== null };
    // A template for the former address shows a link, which the new address does not get.
    const isTemplated = kind !== 'email_changed_notice' || has.link;
    const templateId = isTemplated ? await templateOf(scope, kind) : undefined;
    const read =
      templateId === undefined ? null : await readTemplate(useTemplate, scope, { kind, templateId, locale, ...has });
    if (templateId !== undefined && typeof read === 'string') onFault(scope, { kind, templateId, fault: read });
    const stored = typeof read === 'string' ? null : read;
    const content = stored?.content ?? emailContent(kind, has);
    const auth = { ...(link !== null && { link }), ...(code !== null && { code }) };
    return {
      ...{ id, channel: 'email', source: 'auth', class: 'transactional', title: content.subject, content },
      ...{ variables: {}, recipients: [{ kind: 'address', address: to, name: null }], hasMailPermit: true },
      ...(stored && { templateId: stored.templateId, templateVersion: stored.templateVersion }),
      sealed: await sealValues(keyring, scope, id, { auth, expiresAt }),
    };
  };
