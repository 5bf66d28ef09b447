import { z } from 'zod';
import { fieldErrorsOf, validationError } from '../errors.ts';
import { isObject, normaliseFreeForm } from '../primitives/json.ts';
import { urlProblem } from '../primitives/net/urls.ts';
import { ignoredKeys, requestFields, sendFields, userIds } from '../sending/fields.ts';
import type { Recipient } from '../sending/schema.ts';
import { byLanguage, isLocalized, type Localised, textFor } from '../templates/locale.ts';
import { isSender, phoneNumber } from './number.ts';

/** Numbers in one `to`. Source: contract, Sends. */
export const MAX_TO = 50;
/** Segments of a message unless its send says otherwise. Source: contract, Sends. */
export const DEFAULT_MAX_SEGMENTS = 4;
/** Segments that a send may allow; ours: what providers take at most, 1,600 characters. */
export const MAX_SEGMENTS = 10;
/** Characters of a body with its variables; ours, far above what a rendered one may have. */
const MAX_BODY_CHARACTERS = 8_192;
/** Files of one message. Source: Twilio, Message resource, MediaUrl. */
const MAX_MEDIA = 10;
/** Characters of a URL; ours. */
const MAX_URL_CHARACTERS = 2_048;

const number = z.string().transform((text, context) => {
  const known = phoneNumber(text);
  if (known !== null) return known;
  context.addIssue({ code: 'custom', message: 'must be a phone number in E.164, such as +14155550123' });
  return z.NEVER;
});

const mediaUrl = z
  .string()
  .max(MAX_URL_CHARACTERS)
  .refine((text) => URL.canParse(text) && urlProblem(new URL(text)) === null, 'must be an http or https URL');

/** The fields of a text message without its recipients: what a send and a workflow step have in common. */
export const smsFields = {
  from: z
    .string()
    .refine(isSender, 'must be a number in E.164, a short code, or a name of at most 11 characters')
    .optional(),
  /** Chooses the sender; its provider knows it. */
  messagingServiceId: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must be the id of a messaging service')
    .optional(),
  /** May be left out, or empty, only beside `localizedBody`: then whoever reads none of its languages gets nothing. */
  body: z.string().max(MAX_BODY_CHARACTERS).optional(),
  localizedBody: byLanguage(z.string().max(MAX_BODY_CHARACTERS)).optional(),
  mediaUrls: z.array(mediaUrl).max(MAX_MEDIA).optional(),
  maxSegments: z.int().min(1).max(MAX_SEGMENTS).default(DEFAULT_MAX_SEGMENTS),
};

const fields = z.object(smsFields);
export type SmsFields = z.infer<typeof fields>;

/** What is kept of a text message until it is rendered. */
export type SmsContent = SmsFields;

/** Adds the issues of two senders, and of no text at all. */
export const checkSms = (
  { from, messagingServiceId, body, localizedBody }: Omit<SmsFields, 'maxSegments'>,
  context: { addIssue(issue: { code: 'custom'; path: string[]; message: string }): void },
): void => {
  if ((body === undefined || body === '') && !isLocalized(localizedBody))
    context.addIssue({ code: 'custom', path: ['body'], message: 'a text is needed, or one by language' });
  if (from !== undefined && messagingServiceId !== undefined)
    context.addIssue({
      code: 'custom',
      path: ['messagingServiceId'],
      message: 'from and messagingServiceId exclude each other',
    });
};

const recipients = {
  to: z.union([number.transform((one) => [one]), z.array(number).max(MAX_TO)]).optional(),
  userIds: userIds.optional(),
};

/** Body of `POST /sms/send`. Unknown keys are left out. */
export const smsBody = z.object({ ...smsFields, ...sendFields, ...recipients }).superRefine((sent, context) => {
  checkSms(sent, context);
  if ((sent.to === undefined) === (sent.userIds === undefined))
    context.addIssue({ code: 'custom', path: ['to'], message: 'exactly one of to and userIds is needed' });
});

/** Keys of the contract that this version cannot serve. They are refused: a send without them is another send. */
const UNSUPPORTED = ['audienceId', 'templateId', 'variables'];
/** `projectId` chooses among a key's projects before a body gets here. */
const KNOWN = new Set([
  ...Object.keys(smsFields),
  ...Object.keys(sendFields),
  ...Object.keys(recipients),
  ...UNSUPPORTED,
  'projectId',
]);

const unsupportedIn = (sent: unknown): Record<string, string[]> =>
  Object.fromEntries(
    UNSUPPORTED.filter((key) => isObject(sent) && sent[key] !== undefined).map((key) => [
      key,
      ['This version does not support it yet.'],
    ]),
  );

/** What of the fields is rendered later, made storable. Throws VALIDATION_ERROR as normaliseFreeForm. */
export const smsContentOf = ({
  from,
  messagingServiceId,
  body,
  localizedBody,
  mediaUrls,
  maxSegments,
}: SmsFields): SmsContent =>
  normaliseFreeForm({
    ...(body === undefined ? {} : { body }),
    ...(localizedBody === undefined ? {} : { localizedBody }),
    maxSegments,
    ...(from === undefined ? {} : { from }),
    ...(messagingServiceId === undefined ? {} : { messagingServiceId }),
    ...(mediaUrls === undefined ? {} : { mediaUrls }),
  });

/** A text message in the language of its reader; whoever finds none gets nothing. Throws nothing. */
export const localisedSms = (content: SmsContent, locale: string | null): Localised<SmsContent> => {
  if (!isLocalized(content.localizedBody)) return { content, tag: null };
  const { text, tag } = textFor(content.localizedBody, content.body, locale);
  return text === undefined || text === '' ? { unsupported: true } : { content: { ...content, body: text }, tag };
};

export type SmsSend = ReturnType<typeof requestFields> & {
  readonly content: SmsContent;
  readonly recipients: readonly Recipient[];
  /** Keys that were ignored, as sentences; at most 20. */
  readonly warnings: readonly string[];
};

/**
 * Reads a send body.
 *
 * @throws VALIDATION_ERROR for wrong fields, for both or neither of `to` and `userIds`, and for keys of the contract
 * that this version does not support
 */
export const parseSmsSend = (sent: unknown): SmsSend => {
  const unsupported = unsupportedIn(sent);
  const parsed = smsBody.safeParse(sent);
  if (!parsed.success || Object.keys(unsupported).length > 0)
    throw validationError({ ...unsupported, ...(parsed.success ? {} : fieldErrorsOf(parsed.error)) });
  const { to, userIds: people, ...rest } = parsed.data;
  return {
    ...requestFields(rest),
    content: smsContentOf(rest),
    recipients: [
      ...(to ?? []).map((address): Recipient => ({ kind: 'address', address, name: null })),
      ...(people ?? []).map((id): Recipient => ({ kind: 'user', userId: id })),
    ],
    warnings: ignoredKeys(isObject(sent) ? Object.keys(sent).filter((key) => !KNOWN.has(key)) : []),
  };
};
