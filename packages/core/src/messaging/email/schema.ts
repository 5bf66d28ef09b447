import { z } from 'zod';
import type { Mailbox } from '../../delivery/transports/port.ts';
import { mailAddress } from '../../foundation/email-address.ts';
import { fieldErrorsOf, validationError } from '../../foundation/errors.ts';
import { isObject, normaliseFreeForm } from '../../foundation/json.ts';
import { jsonKeywords } from '../../foundation/json-keywords.ts';
import { isOneLine } from '../../foundation/one-line.ts';
import {
  audienceId,
  audienceOf,
  ignoredKeys,
  isForOne,
  neededAudienceId,
  requestFields,
  sendFields,
  templateId,
  userIds,
} from '../sends/fields.ts';
import type { Recipient, Role, SendRequest } from '../sends/schema.ts';
import { byLanguage, entryFor, isLocalized, type Localised } from '../templates/locale.ts';
import { attachments } from './attachments.ts';
import { MAX_LINE_OCTETS, mailHeaders } from './headers.ts';
import { type RequestedTracking, TRACKING_UNAVAILABLE, type Tracking, trackingFields, trackingOf } from './tracking.ts';

/** Addresses in one `to`. Source: contract, Sends. */
export const MAX_TO = 50;
/** Bytes of a rendered body. Source: interface, Request body caps (of the request that brings it). */
export const MAX_BODY_BYTES = 1_048_576;
/** Characters of a display name; ours. */
const MAX_NAME_CHARACTERS = 128;
/** Characters of the line that mail clients show beside the subject; ours, several times what any shows. */
const MAX_PREHEADER_CHARACTERS = 500;

const ONE_LINE = 'must be one line without control characters';
const line = (max: number) => z.string().min(1).max(max).refine(isOneLine, ONE_LINE);
/** A template that is rendered into one line: white space that it or a value holds becomes a space there. */
const rendered = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((text) => isOneLine(text.replaceAll('\t', ' ')), ONE_LINE)
    .register(jsonKeywords, { pattern: '^(?:\\t|[^\\p{Cc}\\u2028\\u2029])*$' });

const address = z.string().transform((text, context) => {
  const known = mailAddress(text);
  if (known !== null) return known;
  context.addIssue({ code: 'custom', message: 'must be one bare email address; pass a name as { email, name }' });
  return z.NEVER;
});

const bare = address.transform((email): Mailbox => ({ email, name: null }));
const named = z
  .object({
    email: address.describe('Bare email address.'),
    name: line(MAX_NAME_CHARACTERS).nullish().describe('Display name. At most 128 characters. Null or omitted: none.'),
  })
  .transform(({ email, name }): Mailbox => ({ email, name: name ?? null }));

/** One address as a string, or `{ email, name }`. */
const mailbox = z.union([bare, named]);

const body = z.string().max(MAX_BODY_BYTES).optional();

/** The fields of a mail in one language. */
export const localizedMail = {
  subject: rendered(MAX_LINE_OCTETS)
    .or(z.literal(''))
    .optional()
    .describe('Subject in this language. May contain {{variables}}. Default: the subject of the email.'),
  preheader: rendered(MAX_PREHEADER_CHARACTERS)
    .optional()
    .describe('Preview line in this language. At most 500 characters. Default: none.'),
  text: body.describe('Plain text in this language. May contain {{variables}}. At most 1 MiB. Default: none.'),
  html: body.describe('HTML in this language. {{variables}} are escaped. At most 1 MiB. Default: none.'),
};
type LocalizedMail = z.infer<z.ZodObject<typeof localizedMail>>;

/**
 * The fields of a mail without its recipients: what a send and a workflow step have in common. Whoever composes them
 * into an object also refines it with `checkBodies`.
 */
export const emailFields = {
  from: mailbox.optional().describe("From address. Default: the provider's from."),
  replyTo: mailbox.optional().describe('Reply-To address. Default: none, replies go to the From address.'),
  subject: rendered(MAX_LINE_OCTETS).describe('Subject, one line. May contain {{variables}}. At most 998 characters.'),
  text: body.describe(
    'Plain text body. May contain {{variables}}. At most 1 MiB. One of text, html and bodyHtml is required.',
  ),
  /** Its variables are escaped. */
  html: body.describe('HTML body. {{variables}} are escaped. At most 1 MiB. Excludes bodyHtml.'),
  /** Its variables are not. */
  bodyHtml: body.describe('HTML body whose {{variables}} are not escaped. At most 1 MiB. Excludes html.'),
  preheader: rendered(MAX_PREHEADER_CHARACTERS)
    .optional()
    .describe('Preview line that mail clients show beside the subject. At most 500 characters. Default: none.'),
  /** A mail of another language; what an entry says of bodies stands in place of all of the mail's own. */
  localized: byLanguage(z.object(localizedMail))
    .optional()
    .describe(
      'Subjects and bodies by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then the fields above. Default: none.',
    ),
  headers: mailHeaders.optional().describe('Extra email headers. At most 20. Default: none.'),
  tracking: z.object(trackingFields).optional().describe('Which interactions to track. Default: the email settings.'),
};

const fields = z.object(emailFields);
export type EmailFields = z.infer<typeof fields>;

/** What is kept of a mail until it is rendered. */
export type EmailContent = Omit<EmailFields, 'tracking'> & {
  readonly attachments?: z.infer<typeof attachments> | undefined;
  /** Absent: nothing is tracked. */
  readonly tracking?: Tracking;
  /** What the headers of everybody's copy say, where there are copies. Never who gets a blind one. */
  readonly addressed?: { readonly to: Mailbox; readonly cc: readonly Mailbox[] };
};

/** Adds the issues of bodies that cannot stand together, or of none at all. */
export const checkBodies = (
  { text, html, bodyHtml, localized }: Pick<EmailFields, 'text' | 'html' | 'bodyHtml' | 'localized'>,
  context: { addIssue(issue: { code: 'custom'; path: string[]; message: string }): void },
): void => {
  const none = text === undefined && html === undefined && bodyHtml === undefined;
  if (none && !isLocalized(localized))
    context.addIssue({ code: 'custom', path: ['text'], message: 'pass one of text, html and bodyHtml' });
  if (html !== undefined && bodyHtml !== undefined)
    context.addIssue({ code: 'custom', path: ['bodyHtml'], message: 'is not allowed with html' });
};

// Three branches side by side: each input has the type of one, so that its errors can be told.
const mailboxes = z.union([
  bare.transform((one) => [one]),
  named.transform((one) => [one]),
  z.array(mailbox).max(MAX_TO),
]);

const recipients = {
  to: mailboxes
    .optional()
    .describe('Recipient address, or a list of at most 50. Exactly one of to, userIds and audienceId.'),
  cc: mailboxes
    .optional()
    .describe('Addresses that get a visible copy. At most 50. Only with exactly one address in to. Default: none.'),
  bcc: mailboxes
    .optional()
    .describe('Addresses that get a hidden copy. At most 50. Only with exactly one address in to. Default: none.'),
  userIds: userIds
    .optional()
    .describe('Ids of the users to send to. At most 1,000. Exactly one of to, userIds and audienceId.'),
  audienceId,
};

const sentFields = {
  ...emailFields,
  attachments: attachments.optional().describe('Files. At most 20, together at most 700 KiB. Default: none.'),
  ...recipients,
  ...sendFields,
};

/** Body of `POST /email/send`, with its template filled in. Unknown keys are left out. */
export const emailBody = z.object(sentFields).superRefine((sent, context) => {
  checkBodies(sent, context);
  for (const copy of ['cc', 'bcc'] as const)
    if (sent[copy] !== undefined && sent.to?.length !== 1)
      context.addIssue({ code: 'custom', path: [copy], message: 'is allowed only with exactly one address in to' });
  if (!isForOne(sent.to, sent.userIds, sent.audienceId))
    context.addIssue({ code: 'custom', path: ['to'], message: 'pass exactly one of to, userIds or audienceId' });
});

/** The same as a caller writes it, who may name a template in place of what it holds. */
export const emailInput = z.object({
  ...sentFields,
  subject: emailFields.subject
    .optional()
    .describe('Subject, one line. May contain {{variables}}. At most 998 characters. Required without templateId.'),
  templateId,
});
/** The same for whoever sends to an audience alone. */
export const emailAudienceInput = emailInput
  .omit({ to: true, cc: true, bcc: true, userIds: true })
  .extend({ audienceId: neededAudienceId });

/** `projectId` chooses among a key's projects before a body gets here. */
const KNOWN = new Set([
  ...Object.keys(emailFields),
  ...Object.keys(recipients),
  'attachments',
  ...Object.keys(sendFields),
  'projectId',
]);
const MAILBOX_KEYS = new Set(['email', 'name']);
const TRACKING_KEYS = new Set(Object.keys(trackingFields));
const LOCALIZED_KEYS = new Set(Object.keys(localizedMail));
const ATTACHMENT_KEYS = new Set(['filename', 'contentType', 'content', 'cid']);

const strangers = (sent: Readonly<Record<string, unknown>>): string[] => {
  const unknown = Object.keys(sent).filter((key) => !KNOWN.has(key));
  const parts = (key: string): [string, unknown][] => {
    const value = sent[key];
    return Array.isArray(value) ? value.map((one, at) => [`${key}.${at}`, one]) : [[key, value]];
  };
  const look = (keys: readonly string[], known: ReadonlySet<string>): void => {
    for (const [path, value] of keys.flatMap(parts))
      if (isObject(value)) for (const key of Object.keys(value)) if (!known.has(key)) unknown.push(`${path}.${key}`);
  };
  look(['to', 'cc', 'bcc', 'from', 'replyTo'], MAILBOX_KEYS);
  look(['attachments'], ATTACHMENT_KEYS);
  look(['tracking'], TRACKING_KEYS);
  const { localized } = sent;
  if (isObject(localized))
    for (const [tag, entry] of Object.entries(localized))
      if (isObject(entry))
        for (const key of Object.keys(entry)) if (!LOCALIZED_KEYS.has(key)) unknown.push(`localized.${tag}.${key}`);
  return unknown;
};

const warningsOf = (sent: unknown): string[] => ignoredKeys(isObject(sent) ? strangers(sent) : []);

/** What of the fields is rendered later; free text is made storable. Throws VALIDATION_ERROR as normaliseFreeForm. */
export const emailContentOf = (content: EmailContent): EmailContent => normaliseFreeForm(content);

const isFilled = (text: string | undefined): boolean => text !== undefined && text !== '';
const hasBody = ({ text, html }: LocalizedMail): boolean => isFilled(text) || isFilled(html);
const saysAnything = (entry: LocalizedMail): boolean => isFilled(entry.subject) || hasBody(entry);

/**
 * A mail in the language of its reader: one entry, so that no mail is of two languages. Its subject where it has one, and
 * its bodies where it has any; with these goes the line that mail clients show of the mail's own. Throws nothing.
 */
export const localisedMail = (content: EmailContent, locale: string | null): Localised<EmailContent> => {
  const { localized, ...mail } = content;
  if (!isLocalized(localized)) return { content, tag: null };
  const found = entryFor(localized, locale, saysAnything);
  const isOwn = found !== null && hasBody(found.entry);
  if (!isOwn && !isFilled(mail.text) && !isFilled(mail.html) && !isFilled(mail.bodyHtml)) return { unsupported: true };
  if (found === null) return { content: mail, tag: null };
  const { tag, entry } = found;
  const { text, html, preheader } = entry;
  const subject = isFilled(entry.subject) ? (entry.subject ?? '') : mail.subject;
  const bodies = isOwn ? { text, html, bodyHtml: undefined, preheader } : {};
  return { content: { ...mail, ...bodies, subject }, tag };
};

const recipientsOf = (boxes: readonly Mailbox[] | undefined, role?: Role): Recipient[] =>
  (boxes ?? []).map(({ email, name }) => ({ kind: 'address', address: email, name, ...(role ? { role } : {}) }));

/** What sends take from the operator and from the settings of their scope. */
export type EmailDefaults = {
  /** Where links of mails lead; null: nothing can be tracked. */
  readonly publicUrl: string | null;
  /** For what a send leaves out. Default: nothing is tracked. */
  readonly tracking?: RequestedTracking | undefined;
};

const keptTracking = (
  requested: EmailFields['tracking'],
  { publicUrl, tracking: defaults }: EmailDefaults,
): Pick<EmailContent, 'tracking'> => {
  const tracking = trackingOf(requested, publicUrl, defaults);
  if (tracking === 'unavailable') throw validationError({ tracking: [TRACKING_UNAVAILABLE] });
  return tracking === null ? {} : { tracking };
};

/**
 * Reads a send body into a request.
 *
 * @throws VALIDATION_ERROR for wrong fields, unless exactly one of `to`, `userIds` and `audienceId` is given, and for
 * tracking without a `publicUrl`
 */
export const parseEmailSend = (sent: unknown, defaults: EmailDefaults = { publicUrl: null }): SendRequest => {
  const parsed = emailBody.safeParse(sent);
  if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error));
  const { to, cc, bcc, userIds: ids, audienceId: audience, variables, ...rest } = parsed.data;
  const { class: kind, category, abTestId, tags, scheduledFor, dryRun, tracking, ...mail } = rest;
  const fields = { ...mail, ...keptTracking(tracking, defaults) };
  const [only] = to ?? [];
  const hasCopies = only !== undefined && (cc ?? bcc) !== undefined;
  const content = emailContentOf(hasCopies ? { ...fields, addressed: { to: only, cc: cc ?? [] } } : fields);
  return {
    channel: 'email',
    ...audienceOf(audience),
    ...requestFields({ class: kind, category, abTestId, tags, scheduledFor, dryRun, variables }),
    title: content.subject,
    content,
    recipients: [
      ...recipientsOf(to),
      ...recipientsOf(cc, 'cc'),
      ...recipientsOf(bcc, 'bcc'),
      ...(ids ?? []).map((id): Recipient => ({ kind: 'user', userId: id })),
    ],
    warnings: warningsOf(sent),
  };
};
