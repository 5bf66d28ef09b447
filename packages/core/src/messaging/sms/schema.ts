import { z } from 'zod';
import { addressText } from '../../foundation/address-text.ts';
import { compact } from '../../foundation/compact.ts';
import { fieldErrorsOf, validationError } from '../../foundation/errors.ts';
import { isObject, normaliseFreeForm } from '../../foundation/json.ts';
import { urlProblem } from '../../foundation/net/urls.ts';
import { isName, isSender, phoneNumber } from '../../foundation/phone-number.ts';
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
import type { Recipient } from '../sends/schema.ts';
import { byLanguage, isLocalized, type Localised, textFor } from '../templates/locale.ts';

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

/** Seconds that a provider may be told to try for. Source: Twilio, error 90007 (1 to 36,000). */
const MAX_VALIDITY_SECONDS = 36_000;

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
    .overwrite(addressText)
    .refine(isSender, 'must be a number in E.164, a short code, or a name of at most 11 characters')
    .optional()
    .describe(
      "Sender of the SMS. An E.164 number, a short code, or a name of at most 11 characters. Excludes messagingServiceId. Default: the provider's.",
    ),
  /** Chooses the sender; its provider knows it. */
  messagingServiceId: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must be the id of a messaging service')
    .optional()
    .describe("Id of the provider's messaging service. It chooses the sender. Excludes from. Default: the provider's."),
  /** May be left out, or empty, only beside `localizedBody`: then whoever reads none of its languages gets nothing. */
  body: z
    .string()
    .max(MAX_BODY_CHARACTERS)
    .optional()
    .describe('Text. May contain {{variables}}. At most 8,192 characters. Required without localizedBody.'),
  localizedBody: byLanguage(z.string().max(MAX_BODY_CHARACTERS))
    .optional()
    .describe(
      'Texts by locale, such as es or pt-BR. Beckon uses the exact locale, then the language, then body. Default: none.',
    ),
  mediaUrls: z
    .array(mediaUrl)
    .max(MAX_MEDIA)
    .optional()
    .describe('URLs of files to attach (MMS), http or https. At most 10. Default: none.'),
  maxSegments: z
    .int()
    .min(1)
    .max(MAX_SEGMENTS)
    .default(DEFAULT_MAX_SEGMENTS)
    .describe('Largest number of segments. A longer text fails with too_many_segments. 1 to 10. Default: 4.'),
  /** How long its provider may try, counted from the hand-over. */
  validitySeconds: z
    .int()
    .min(1)
    .max(MAX_VALIDITY_SECONDS)
    .optional()
    .describe("Seconds that the provider keeps trying. 1 to 36,000. Default: the provider's."),
};

const fields = z.object(smsFields);
export type SmsFields = z.infer<typeof fields>;

/** What is kept of a text message until it is rendered. */
export type SmsContent = SmsFields;

/** Characters of a text that stand for it in a list of sends. Chosen: one segment of a text message. */
const MAX_TITLE_CHARACTERS = 160;

/** What stands for a text message in a list of sends: its text before rendering, or the first by language; null: none. */
export const smsTitle = ({ body, localizedBody }: Pick<SmsContent, 'body' | 'localizedBody'>): string | null => {
  const text = body || Object.values(localizedBody ?? {})[0];
  if (!text) return null;
  return text.length > MAX_TITLE_CHARACTERS ? `${text.slice(0, MAX_TITLE_CHARACTERS - 1).toWellFormed()}…` : text;
};

type Issues = { addIssue(issue: { code: 'custom'; path: string[]; message: string }): void };

/** Adds the issue of two senders. */
export const checkSender = (
  { from, messagingServiceId }: Pick<SmsFields, 'from' | 'messagingServiceId'>,
  context: Issues,
): void => {
  if (from !== undefined && messagingServiceId !== undefined)
    context.addIssue({
      code: 'custom',
      path: ['messagingServiceId'],
      message: 'is not allowed with from',
    });
};

/** Adds the issues of two senders, and of no text at all. */
export const checkSms = (sms: Omit<SmsFields, 'maxSegments'>, context: Issues): void => {
  if ((sms.body === undefined || sms.body === '') && !isLocalized(sms.localizedBody))
    context.addIssue({ code: 'custom', path: ['body'], message: 'pass body or localizedBody' });
  checkSender(sms, context);
};

const recipients = {
  to: z
    .union([number.transform((one) => [one]), z.array(number).max(MAX_TO)])
    .optional()
    .describe('Recipient number in E.164, or a list of at most 50. Exactly one of to, userIds and audienceId.'),
  userIds: userIds
    .optional()
    .describe('Ids of the users to send to. At most 1,000. Exactly one of to, userIds and audienceId.'),
  audienceId,
};

const sentFields = { ...smsFields, ...sendFields, ...recipients };

/** Body of `POST /sms/send`, with its template filled in. Unknown keys are left out. */
export const smsBody = z.object(sentFields).superRefine((sent, context) => {
  checkSms(sent, context);
  if (!isForOne(sent.to, sent.userIds, sent.audienceId))
    context.addIssue({ code: 'custom', path: ['to'], message: 'pass exactly one of to, userIds or audienceId' });
});

/** The same as a caller writes it, who may name a template in place of what it holds. */
export const smsInput = z.object({ ...sentFields, templateId });
/** The same for whoever sends to an audience alone. */
export const smsAudienceInput = smsInput.omit({ to: true, userIds: true }).extend({ audienceId: neededAudienceId });

/** `projectId` chooses among a key's projects before a body gets here. */
const KNOWN = new Set([...Object.keys(smsFields), ...Object.keys(sendFields), ...Object.keys(recipients), 'projectId']);

/** What of the fields is rendered later, made storable. Throws VALIDATION_ERROR as normaliseFreeForm. */
export const smsContentOf = ({
  from,
  messagingServiceId,
  body,
  localizedBody,
  mediaUrls,
  maxSegments,
  validitySeconds,
}: SmsFields): SmsContent =>
  normaliseFreeForm({
    ...compact({ body, localizedBody }),
    maxSegments,
    ...compact({ from, messagingServiceId, mediaUrls, validitySeconds }),
  });

/** A text message in the language of its reader; whoever finds none gets nothing. Throws nothing. */
export const localisedSms = (content: SmsContent, locale: string | null): Localised<SmsContent> => {
  const { localizedBody, ...sms } = content;
  if (!isLocalized(localizedBody)) return { content, tag: null };
  const { text, tag } = textFor(localizedBody, content.body, locale);
  return text === undefined || text === '' ? { unsupported: true } : { content: { ...sms, body: text }, tag };
};
/** Carriers want every marketing text to be one that can be stopped by an answer. Source: CTIA, Messaging Principles, 5.1. */
const UNANSWERABLE =
  'Recipients cannot answer STOP to a sender name. Offer another way to opt out, and add opt-outs to the SMS suppressions.';

export type SmsSend = ReturnType<typeof requestFields> &
  ReturnType<typeof audienceOf> & {
    readonly content: SmsContent;
    readonly recipients: readonly Recipient[];
    /** Sentences for the answer: keys that were ignored, at most 20 of them, and what the sender cannot do. */
    readonly warnings: readonly string[];
  };

/**
 * Reads a send body.
 *
 * @throws VALIDATION_ERROR for wrong fields, and unless exactly one of `to`, `userIds` and `audienceId` is given
 */
export const parseSmsSend = (sent: unknown): SmsSend => {
  const parsed = smsBody.safeParse(sent);
  if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error));
  const { to, userIds: people, audienceId: audience, ...rest } = parsed.data;
  return {
    ...audienceOf(audience),
    ...requestFields(rest),
    content: smsContentOf(rest),
    recipients: [
      ...(to ?? []).map((address): Recipient => ({ kind: 'address', address, name: null })),
      ...(people ?? []).map((id): Recipient => ({ kind: 'user', userId: id })),
    ],
    warnings: [
      ...ignoredKeys(isObject(sent) ? Object.keys(sent).filter((key) => !KNOWN.has(key)) : []),
      ...(rest.class === 'marketing' && rest.from !== undefined && isName(rest.from) ? [UNANSWERABLE] : []),
    ],
  };
};
