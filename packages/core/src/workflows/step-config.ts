import { z } from 'zod';
import { trackingFields } from '../email/tracking.ts';
import { MAX_JSON_DEPTH } from '../primitives/json.ts';
import { checkPush, MAX_ACTIONS, pushFields } from '../push/content.ts';
import { sendFields } from '../sending/fields.ts';
import { checkSender, smsFields } from '../sms/schema.ts';
import { compileTemplate } from '../templates/compile.ts';
import { MAX_RENDERED_BYTES } from '../templates/render.ts';
import { isJsonValue, type JsonValue } from './json-value.ts';

/** Minutes of a delay or a wait. Source: interface, Step (one year). */
export const MAX_DELAY_MINUTES = 525_600;
/** Characters of a step's own name; ours, as for a workflow's. */
export const MAX_STEP_NAME = 200;
/** Characters of a subject, a header's value or a header's name. Source: RFC 5322, 2.1.1 (a line). */
export const MAX_HEADER_LINE = 998;
/** Headers that a step may add; ours, far above what mail carries. */
export const MAX_HEADERS = 50;
/** Characters of an address field, templates included; ours: an address has at most 320. */
export const MAX_ADDRESS_TEMPLATE = 1_000;
/** Characters of a text or HTML body: what is longer cannot be rendered (MAX_RENDERED_BYTES). */
export const MAX_BODY_TEMPLATE = MAX_RENDERED_BYTES;
/** Characters of a trait key. Source: contract, ingest and profiles. */
export const MAX_TRAIT_KEY = 128;
/** Traits that one step may name per verb: what a profile holds. Source: contract, ingest and profiles. */
export const MAX_TRAITS_NAMED = 1_000;

/** A string that both databases store: not empty, at most `max` UTF-16 units, without U+0000. */
export const storableText = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((text) => !text.includes('\0'), 'must not hold U+0000');

// Known to the contract, not to this version. Refused by name, so that nobody takes it for a spelling mistake.
const notYet = (error: string) => z.never({ error }).optional();

const common = {
  name: storableText(MAX_STEP_NAME).optional(),
  onError: z.enum(['continue', 'stop']).optional(),
};
const commonNotYet = {
  when: notYet('This version cannot run a step on a condition.'),
  saveAs: notYet('This version cannot save the output of a step.'),
};

const breaksLine = (text: string): boolean => /[\r\n\0\u2028\u2029]/.test(text);
const headerLine = (max: number) =>
  z
    .string()
    .max(max)
    .refine((text) => !breaksLine(text), 'must be one line');
const addressLine = headerLine(MAX_ADDRESS_TEMPLATE).min(1).optional();
const bodyText = z.string().max(MAX_BODY_TEMPLATE).optional();
const atMost = (max: number) =>
  [(record: object) => Object.keys(record).length <= max, `must have at most ${max} keys`] as const;

/** RFC 5322, 3.6.8: printable ASCII without the colon. */
const HEADER_NAME = /^[!-9;-~]+$/;
const headers = z
  .record(headerLine(MAX_HEADER_LINE).regex(HEADER_NAME, 'must be a header name'), headerLine(MAX_HEADER_LINE))
  .refine(...atMost(MAX_HEADERS))
  .optional();

/** `send_email`: the channel's body without recipients. Every text is a template. */
export const sendEmailConfig = z
  .strictObject({
    ...common,
    to: addressLine,
    from: addressLine,
    replyTo: addressLine,
    subject: headerLine(MAX_HEADER_LINE).optional(),
    preheader: headerLine(MAX_HEADER_LINE).optional(),
    text: bodyText,
    html: bodyText,
    bodyHtml: bodyText,
    headers,
    tracking: z.strictObject(trackingFields).optional(),
    class: z.enum(['marketing', 'transactional']).optional(),
    templateId: notYet('This version has no stored templates; give subject, text and html here.'),
    ...commonNotYet,
  })
  .refine(
    ({ text, html, bodyHtml }) => [text, html, bodyHtml].some((body) => body !== undefined && body !== ''),
    'needs a body: text, html or bodyHtml',
  )
  .refine(({ html, bodyHtml }) => html === undefined || bodyHtml === undefined, {
    path: ['bodyHtml'],
    message: 'cannot stand beside html: it is the same part, unescaped',
  });

// A definition refuses what it does not know at every level, and shows no value that its author did not write.
const onlySent = {
  localizedBody: notYet('This version sends in one language only.'),
  templateId: notYet('This version has no stored templates; give the texts here.'),
  ...commonNotYet,
};

/** `send_push`: the channel's body without recipients, for the devices of the run's user. Every text is a template. */
export const sendPushConfig = z
  .strictObject({
    ...common,
    ...pushFields,
    actions: z.array(z.strictObject(pushFields.actions.unwrap().element.shape)).max(MAX_ACTIONS).optional(),
    criticalAlert: z.strictObject(pushFields.criticalAlert.unwrap().unwrap().shape).nullish(),
    ttlSeconds: pushFields.ttlSeconds.unwrap().optional(),
    class: sendFields.class.unwrap().optional(),
    category: sendFields.category,
    ...onlySent,
  })
  .superRefine(({ ttlSeconds = pushFields.ttlSeconds.parse(undefined), ...config }, context) =>
    checkPush({ ...config, ttlSeconds }, context),
  );

/** `send_sms`: the channel's body; `to` and `body` are templates. Without `to` it is for the run's user. */
export const sendSmsConfig = z
  .strictObject({
    ...common,
    to: addressLine,
    ...smsFields,
    maxSegments: smsFields.maxSegments.unwrap().optional(),
    class: sendFields.class.unwrap().optional(),
    category: sendFields.category,
    ...onlySent,
  })
  .superRefine(checkSender);

const traitKey = storableText(MAX_TRAIT_KEY);
// One level is the trait's object itself.
const traitValue = z.custom<JsonValue>(
  (value) => isJsonValue(value, MAX_JSON_DEPTH - 1),
  `must be JSON of at most ${MAX_JSON_DEPTH - 1} levels`,
);
const traits = z
  .record(traitKey, traitValue)
  .refine(...atMost(MAX_TRAITS_NAMED))
  .optional();
const hasPlaceholder = (text: string): boolean => compileTemplate(text).placeholders.length > 0;
const amount = z.union(
  [z.number(), z.string().max(MAX_ADDRESS_TEMPLATE).refine(hasPlaceholder, 'must hold a variable')],
  {
    error: 'must be a number, or a template that gives one',
  },
);

/** `update_profile`: what to do with traits. Every string in a value is a template. */
export const updateProfileConfig = z
  .strictObject({
    ...common,
    unset: z.array(traitKey).max(MAX_TRAITS_NAMED).optional(),
    set: traits,
    setOnce: traits,
    increment: z
      .record(traitKey, amount)
      .refine(...atMost(MAX_TRAITS_NAMED))
      .optional(),
    append: traits,
    remove: traits,
    ...commonNotYet,
  })
  .refine(
    ({ unset, set, setOnce, increment, append, remove }) =>
      [unset, set, setOnce, increment, append, remove].some((verb) => verb !== undefined),
    'needs at least one of unset, set, setOnce, increment, append, remove',
  );

const onlyMinutes = notYet('This version waits for a number of minutes only.');

/** `wait`: a number of minutes. */
export const waitConfig = z.strictObject({
  ...common,
  minutes: z.int().min(0).max(MAX_DELAY_MINUTES),
  until: onlyMinutes,
  window: onlyMinutes,
  event: onlyMinutes,
  ...commonNotYet,
});

export type UpdateProfileConfig = z.infer<typeof updateProfileConfig>;

/** The keys of each type's config in the order in which a bundle shows them. */
export const CONFIG_KEYS: Readonly<Record<string, readonly string[]>> = {
  send_email: Object.keys(sendEmailConfig.shape),
  send_push: Object.keys(sendPushConfig.shape),
  send_sms: Object.keys(sendSmsConfig.shape),
  update_profile: Object.keys(updateProfileConfig.shape),
  wait: Object.keys(waitConfig.shape),
};
