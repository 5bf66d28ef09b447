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
  isExactlyOneSet,
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

/** Maximum addresses in one `to`. Source: contract, Sends. */
export const MAX_TO = 50;
/** Maximum bytes of a rendered body. Source: interface, Request body caps (of the request with the body). */
export const MAX_BODY_BYTES = 1_048_576;
/** Maximum characters of a display name. Chosen: longer than real ones. */
const MAX_NAME_CHARACTERS = 128;
/** Maximum characters of a preheader. Chosen: several times what mail clients show. */
const MAX_PREHEADER_CHARACTERS = 500;

const ONE_LINE = 'must be one line without control characters';
const line = (max: number) => z.string().min(1).max(max).refine(isOneLine, ONE_LINE);
/** A template that renders to one line: white space of the template or its values becomes a space. */
const rendered = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((text) => isOneLine(text.replaceAll('\t', ' ')), ONE_LINE)
    .register(jsonKeywords, { pattern: '^(?:\\t|[^\\p{Cc}\\u2028\\u2029])*$' });

const address = z.string().transform((text, context) => {
  const parsed = mailAddress(text);
  if (parsed !== null) return parsed;
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

/** An address as a string, or `{ email, name }`. */
const mailbox = z.union([bare, named]);

const body = z.string().max(MAX_BODY_BYTES).optional();

/** Fields of an email that can be localized. */
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
 * Fields of an email that a send and a workflow step share; no recipients. Schemas that include them must also be
 * refined with `checkBodies`.
 */
export const emailFields = {
  from: mailbox.optional().describe("From address. Default: the provider's from."),
  replyTo: mailbox.optional().describe('Reply-To address. Default: none, replies go to the From address.'),
  subject: rendered(MAX_LINE_OCTETS).describe('Subject, one line. May contain {{variables}}. At most 998 characters.'),
  text: body.describe(
    'Plain text body. May contain {{variables}}. At most 1 MiB. One of text, html and bodyHtml is required.',
  ),
  /** Variables are escaped. */
  html: body.describe('HTML body. {{variables}} are escaped. At most 1 MiB. Excludes bodyHtml.'),
  /** Variables are not escaped. */
  bodyHtml: body.describe('HTML body whose {{variables}} are not escaped. At most 1 MiB. Excludes html.'),
  preheader: rendered(MAX_PREHEADER_CHARACTERS)
    .optional()
    .describe('Preview line that mail clients show beside the subject. At most 500 characters. Default: none.'),
  /** Localized content; the bodies of an entry replace all bodies of the email. */
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

/** Stored email content, before rendering. */
export type EmailContent = Omit<EmailFields, 'tracking'> & {
  readonly attachments?: z.infer<typeof attachments> | undefined;
  /** Absent: no tracking. */
  readonly tracking?: Tracking;
  /** Header recipients of an email with copies, the same in every copy; never with bcc recipients. */
  readonly addressed?: { readonly to: Mailbox; readonly cc: readonly Mailbox[] };
};

/** Adds issues for bodies that conflict or are missing. */
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

// Three branches: each input type matches one, so that its errors can be reported.
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

/** Body of `POST /email/send` with its template merged. Unknown keys are dropped. */
export const emailBody = z.object(sentFields).superRefine((sent, context) => {
  checkBodies(sent, context);
  for (const copy of ['cc', 'bcc'] as const)
    if (sent[copy] !== undefined && sent.to?.length !== 1)
      context.addIssue({ code: 'custom', path: [copy], message: 'is allowed only with exactly one address in to' });
  if (!isExactlyOneSet(sent.to, sent.userIds, sent.audienceId))
    context.addIssue({ code: 'custom', path: ['to'], message: 'pass exactly one of to, userIds or audienceId' });
});

/** The body as a caller writes it, with an optional template. */
export const emailInput = z.object({
  ...sentFields,
  subject: emailFields.subject
    .optional()
    .describe('Subject, one line. May contain {{variables}}. At most 998 characters. Required without templateId.'),
  templateId,
});
/** The same for a send to an audience. */
export const emailAudienceInput = emailInput
  .omit({ to: true, cc: true, bcc: true, userIds: true })
  .extend({ audienceId: neededAudienceId });

/** `projectId` selects one of the key's projects before the body is parsed. */
const KNOWN_KEYS = new Set([
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

const unknownKeys = (sent: Readonly<Record<string, unknown>>): string[] => {
  const unknown = Object.keys(sent).filter((key) => !KNOWN_KEYS.has(key));
  const parts = (key: string): [string, unknown][] => {
    const value = sent[key];
    return Array.isArray(value) ? value.map((one, at) => [`${key}.${at}`, one]) : [[key, value]];
  };
  const visit = (keys: readonly string[], known: ReadonlySet<string>): void => {
    for (const [path, value] of keys.flatMap(parts))
      if (isObject(value)) for (const key of Object.keys(value)) if (!known.has(key)) unknown.push(`${path}.${key}`);
  };
  visit(['to', 'cc', 'bcc', 'from', 'replyTo'], MAILBOX_KEYS);
  visit(['attachments'], ATTACHMENT_KEYS);
  visit(['tracking'], TRACKING_KEYS);
  const { localized } = sent;
  if (isObject(localized))
    for (const [tag, entry] of Object.entries(localized))
      if (isObject(entry))
        for (const key of Object.keys(entry)) if (!LOCALIZED_KEYS.has(key)) unknown.push(`localized.${tag}.${key}`);
  return unknown;
};

const warningsOf = (sent: unknown): string[] => ignoredKeys(isObject(sent) ? unknownKeys(sent) : []);

/** The fields that are rendered later, with free text made storable. Throws VALIDATION_ERROR as normaliseFreeForm. */
export const emailContentOf = (content: EmailContent): EmailContent => normaliseFreeForm(content);

const isFilled = (text: string | undefined): boolean => text !== undefined && text !== '';
const hasBody = ({ text, html }: LocalizedMail): boolean => isFilled(text) || isFilled(html);
const saysAnything = (entry: LocalizedMail): boolean => isFilled(entry.subject) || hasBody(entry);

/**
 * The email in the reader's language. One entry is used, so that no email mixes languages: its subject if it has one,
 * and its bodies if it has any, then with its own preheader. Throws nothing.
 */
export const localisedMail = (content: EmailContent, locale: string | null): Localised<EmailContent> => {
  const { localized, ...mail } = content;
  if (!isLocalized(localized)) return { content, tag: null };
  const found = entryFor(localized, locale, saysAnything);
  const hasLocalizedBody = found !== null && hasBody(found.entry);
  if (!hasLocalizedBody && !isFilled(mail.text) && !isFilled(mail.html) && !isFilled(mail.bodyHtml))
    return { unsupported: true };
  if (found === null) return { content: mail, tag: null };
  const { tag, entry } = found;
  const { text, html, preheader } = entry;
  const subject = isFilled(entry.subject) ? (entry.subject ?? '') : mail.subject;
  const bodies = hasLocalizedBody ? { text, html, bodyHtml: undefined, preheader } : {};
  return { content: { ...mail, ...bodies, subject }, tag };
};

const recipientsOf = (boxes: readonly Mailbox[] | undefined, role?: Role): Recipient[] =>
  (boxes ?? []).map(({ email, name }) => ({ kind: 'address', address: email, name, ...(role ? { role } : {}) }));

/** Defaults of sends, from the operator and from the settings of the scope. */
export type EmailDefaults = {
  /** Base URL of tracking links; null: tracking is unavailable. */
  readonly publicUrl: string | null;
  /** Tracking that a send leaves out. Default: none. */
  readonly tracking?: RequestedTracking | undefined;
};

const storedTracking = (
  requested: EmailFields['tracking'],
  { publicUrl, tracking: defaults }: EmailDefaults,
): Pick<EmailContent, 'tracking'> => {
  const tracking = trackingOf(requested, publicUrl, defaults);
  if (tracking === 'unavailable') throw validationError({ tracking: [TRACKING_UNAVAILABLE] });
  return tracking === null ? {} : { tracking };
};

/**
 * Turns a send body into a request.
 *
 * @throws VALIDATION_ERROR for invalid fields, unless exactly one of `to`, `userIds` and `audienceId` is set, and for
 * tracking without a `publicUrl`
 */
export const parseEmailSend = (sent: unknown, defaults: EmailDefaults = { publicUrl: null }): SendRequest => {
  const parsed = emailBody.safeParse(sent);
  if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error));
  const { to, cc, bcc, userIds: ids, audienceId: audience, variables, ...rest } = parsed.data;
  const { class: kind, category, abTestId, tags, scheduledFor, dryRun, tracking, ...mail } = rest;
  const fields = { ...mail, ...storedTracking(tracking, defaults) };
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
