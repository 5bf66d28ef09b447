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
  isExactlyOneSet,
  neededAudienceId,
  requestFields,
  sendFields,
  templateId,
  userIds,
} from '../sends/fields.ts';
import type { Recipient } from '../sends/schema.ts';
import { byLanguage, isLocalized, type Localised, textFor } from '../templates/locale.ts';

/** Maximum numbers in one `to`. Source: contract, Sends. */
export const MAX_TO = 50;
/** Default maximum segments of a message. Source: contract, Sends. */
export const DEFAULT_MAX_SEGMENTS = 4;
/** Highest maximum that a send may set. Chosen: the limit of providers, 1,600 characters. */
export const MAX_SEGMENTS = 10;
/** Maximum characters of a body before rendering. Chosen: far above a rendered one. */
const MAX_BODY_CHARACTERS = 8_192;
/** Maximum files of one message. Source: Twilio, Message resource, MediaUrl. */
const MAX_MEDIA = 10;
/** Maximum characters of a URL. Chosen: longer than real ones. */
const MAX_URL_CHARACTERS = 2_048;

/** Maximum validity period at the provider, in seconds. Source: Twilio, error 90007 (1 to 36,000). */
const MAX_VALIDITY_SECONDS = 36_000;

const number = z.string().transform((text, context) => {
  const parsed = phoneNumber(text);
  if (parsed !== null) return parsed;
  context.addIssue({ code: 'custom', message: 'must be a phone number in E.164, such as +14155550123' });
  return z.NEVER;
});

const mediaUrl = z
  .string()
  .max(MAX_URL_CHARACTERS)
  .refine((text) => URL.canParse(text) && urlProblem(new URL(text)) === null, 'must be an http or https URL');

/** Fields of a text message that a send and a workflow step share; no recipients. */
export const smsFields = {
  from: z
    .string()
    .overwrite(addressText)
    .refine(isSender, 'must be a number in E.164, a short code, or a name of at most 11 characters')
    .optional()
    .describe(
      "Sender of the SMS. An E.164 number, a short code, or a name of at most 11 characters. Excludes messagingServiceId. Default: the provider's.",
    ),
  /** Selects the sender at the provider. */
  messagingServiceId: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must be the id of a messaging service')
    .optional()
    .describe("Id of the provider's messaging service. It chooses the sender. Excludes from. Default: the provider's."),
  /** Optional or empty only with `localizedBody`: then readers of other languages get nothing. */
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
  /** How long the provider may try, in seconds from the handover. */
  validitySeconds: z
    .int()
    .min(1)
    .max(MAX_VALIDITY_SECONDS)
    .optional()
    .describe("Seconds that the provider keeps trying. 1 to 36,000. Default: the provider's."),
};

const fields = z.object(smsFields);
export type SmsFields = z.infer<typeof fields>;

/** Stored text message content, before rendering. */
export type SmsContent = SmsFields;

/** Maximum characters of the text in a list of sends. Chosen: one segment of a text message. */
const MAX_TITLE_CHARACTERS = 160;

/** Title of a text message in a list of sends: its text before rendering, else the first localized text; null: none. */
export const smsTitle = ({ body, localizedBody }: Pick<SmsContent, 'body' | 'localizedBody'>): string | null => {
  const text = body || Object.values(localizedBody ?? {})[0];
  if (!text) return null;
  return text.length > MAX_TITLE_CHARACTERS ? `${text.slice(0, MAX_TITLE_CHARACTERS - 1).toWellFormed()}…` : text;
};

type Issues = { addIssue(issue: { code: 'custom'; path: string[]; message: string }): void };

/** Adds an issue for two senders. */
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

/** Adds issues for two senders and for a missing text. */
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

/** Body of `POST /sms/send` with its template merged. Unknown keys are dropped. */
export const smsBody = z.object(sentFields).superRefine((sent, context) => {
  checkSms(sent, context);
  if (!isExactlyOneSet(sent.to, sent.userIds, sent.audienceId))
    context.addIssue({ code: 'custom', path: ['to'], message: 'pass exactly one of to, userIds or audienceId' });
});

/** The body as a caller writes it, with an optional template. */
export const smsInput = z.object({ ...sentFields, templateId });
/** The same for a send to an audience. */
export const smsAudienceInput = smsInput.omit({ to: true, userIds: true }).extend({ audienceId: neededAudienceId });

/** `projectId` selects one of the key's projects before the body is parsed. */
const KNOWN_KEYS = new Set([
  ...Object.keys(smsFields),
  ...Object.keys(sendFields),
  ...Object.keys(recipients),
  'projectId',
]);

/** The fields that are rendered later, made storable. Throws VALIDATION_ERROR as normaliseFreeForm. */
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

/** The text message in the reader's language; without a match it is not sent. Throws nothing. */
export const localisedSms = (content: SmsContent, locale: string | null): Localised<SmsContent> => {
  const { localizedBody, ...sms } = content;
  if (!isLocalized(localizedBody)) return { content, tag: null };
  const { text, tag } = textFor(localizedBody, content.body, locale);
  return text === undefined || text === '' ? { unsupported: true } : { content: { ...sms, body: text }, tag };
};
/** Carriers require that recipients can stop marketing by a reply. Source: CTIA, Messaging Principles, 5.1. */
const UNANSWERABLE =
  'Recipients cannot answer STOP to a sender name. Offer another way to opt out, and add opt-outs to the SMS suppressions.';

export type SmsSend = ReturnType<typeof requestFields> &
  ReturnType<typeof audienceOf> & {
    readonly content: SmsContent;
    readonly recipients: readonly Recipient[];
    /** Warnings for the answer: at most 20 ignored keys, and limits of the sender. */
    readonly warnings: readonly string[];
  };

/**
 * Parses a send body.
 *
 * @throws VALIDATION_ERROR for invalid fields, and unless exactly one of `to`, `userIds` and `audienceId` is set
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
      ...ignoredKeys(isObject(sent) ? Object.keys(sent).filter((key) => !KNOWN_KEYS.has(key)) : []),
      ...(rest.class === 'marketing' && rest.from !== undefined && isName(rest.from) ? [UNANSWERABLE] : []),
    ],
  };
};
