import { z } from 'zod';
import { WEIGHT_TOLERANCE } from '../../foundation/ab-bucket.ts';
import { withoutInnerNulls, withoutNulls } from '../../foundation/absent-null.ts';
import type { Channel } from '../../foundation/channel.ts';
import { fieldErrorsOf, validationError } from '../../foundation/errors.ts';
import { normaliseFreeForm } from '../../foundation/json.ts';
import { emailFields } from '../email/schema.ts';
import { checkDataKeys, pushFields } from '../push/content.ts';
import { smsFields } from '../sms/schema.ts';

/** Statuses of a test. Source: contract, A/B tests. */
export const AB_TEST_STATUSES = ['running', 'paused', 'completed'] as const;
export type AbTestStatus = (typeof AB_TEST_STATUSES)[number];
/** What a test counts as a conversion. Source: contract, A/B tests. */
export const METRIC_TYPES = ['open', 'click', 'event'] as const;

/** Maximum variants of a test. Chosen: more need too many users. */
const MAX_VARIANTS = 20;
/** Maximum characters of a name, a key and an event name. Source of the last: event envelope. Chosen: the others. */
const MAX_NAME_CHARACTERS = 200;
const MAX_KEY_CHARACTERS = 64;
const MAX_EVENT_CHARACTERS = 128;
/** Maximum characters of all variants as JSON. Chosen: workers cache the tests of their sends. */
const MAX_VARIANTS_CHARACTERS = 262_144;
/** Hours after a message in which an event counts. Default: contract. Maximum chosen: 30 days. */
const DEFAULT_WINDOW_HOURS = 72;
const MAX_WINDOW_HOURS = 720;
/** A weight between 0 and 1 would get no bucket. Source: semantics, A/B buckets. */
const LEAST_WEIGHT = 1;

const line = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((text) => !/[\p{Cc}\u2028\u2029]/u.test(text), 'must be one line without control characters');

const ofVariant = {
  key: line(MAX_KEY_CHARACTERS).describe('Name of the variant, one line. 1 to 64 characters, unique in the test.'),
  weight: z
    .number()
    .min(0)
    .max(100)
    .refine((weight) => weight === 0 || weight >= LEAST_WEIGHT, 'must be 0, or at least 1')
    .describe('Share of users, in percent. 0, or 1 to 100; all weights sum to 100.'),
};

/** Fields that a variant may replace, by channel; omitted ones come from the send. */
const texts = {
  push: {
    title: pushFields.title,
    body: pushFields.body,
    localizedTitle: pushFields.localizedTitle,
    localizedBody: pushFields.localizedBody,
    // The devices of a test's sends are unknown here.
    data: pushFields.data.superRefine((data, context) => checkDataKeys({ data }, context, [])),
  },
  email: {
    subject: emailFields.subject.optional(),
    text: emailFields.text,
    html: emailFields.html,
    localized: emailFields.localized,
  },
  sms: { body: smsFields.body, localizedBody: smsFields.localizedBody },
} as const satisfies Record<Channel, Readonly<Record<string, z.ZodType>>>;

const metric = z
  .strictObject({
    type: z.enum(METRIC_TYPES).describe('What counts as success.'),
    eventType: line(MAX_EVENT_CHARACTERS)
      .optional()
      .describe('Name of the event to count. Required for type event, else not allowed. At most 128 characters.'),
    windowHours: z
      .number()
      .positive()
      .max(MAX_WINDOW_HOURS)
      .default(DEFAULT_WINDOW_HOURS)
      .describe('Hours after the message in which an event counts. At most 720. Default: 72.'),
  })
  .superRefine(({ type, eventType }, context) => {
    if ((type === 'event') !== (eventType !== undefined))
      context.addIssue({
        code: 'custom',
        path: ['eventType'],
        message: 'is required for type event, and not allowed for other types',
      });
  });

const USUAL_METRIC: z.output<typeof metric> = { type: 'open', windowHours: DEFAULT_WINDOW_HOURS };

const sumsUp = (variants: readonly { readonly weight: number }[]): boolean =>
  Math.abs(variants.reduce((sum, { weight }) => sum + weight, 0) - 100) <= WEIGHT_TOLERANCE;

const variantsOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z
    .array(z.strictObject({ ...ofVariant, ...shape }))
    .min(1)
    .max(MAX_VARIANTS)
    .superRefine((variants, context) => {
      const issue = (path: (string | number)[], message: string): void =>
        context.addIssue({ code: 'custom', path, message });
      // Safe: each is an object of the schema above, whose shape the generic type cannot express.
      const entries = variants as unknown as readonly { readonly key: string; readonly weight: number }[];
      const keys = entries.map(({ key }) => key);
      keys.forEach((key, at) => {
        if (keys.indexOf(key) !== at) issue([at, 'key'], 'occurs twice');
      });
      if (!sumsUp(entries)) issue([], 'their weights must sum to 100');
      if (JSON.stringify(entries).length > MAX_VARIANTS_CHARACTERS)
        issue([], `must have at most ${MAX_VARIANTS_CHARACTERS} characters together`);
    });

const name = line(MAX_NAME_CHARACTERS).describe('Name of the test, one line. 1 to 200 characters.');

const bodyOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject({
    name,
    variants: variantsOf(shape).describe('Contents to compare. 1 to 20; weights sum to 100.'),
    metric: metric.default(USUAL_METRIC).describe('What counts as success. Default: opens within 72 hours.'),
  });
const patchOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject({
    name: name.optional(),
    variants: variantsOf(shape)
      .optional()
      .describe('Contents to compare. 1 to 20; weights sum to 100. Omit it to keep them.'),
    /** Null: the default. */
    metric: metric
      .nullable()
      .transform((entries) => entries ?? USUAL_METRIC)
      .optional()
      .describe('What counts as success. Null: opens within 72 hours. Omit it to keep the metric.'),
    status: z.enum(AB_TEST_STATUSES).optional().describe('Status of the test. Omit it to keep the status.'),
    /** Only with `status: completed`. */
    winnerKey: line(MAX_KEY_CHARACTERS)
      .nullish()
      .describe('Variant that all users get from now on. Only with status completed. Null or omitted: none.'),
  });

/** Bodies of a new test, by channel. Unknown keys are rejected. */
export const abTestBodies = {
  push: bodyOf(texts.push),
  email: bodyOf(texts.email),
  sms: bodyOf(texts.sms),
} as const satisfies Record<Channel, z.ZodType>;
/** Fields that may change. */
export const abTestPatches = {
  push: patchOf(texts.push),
  email: patchOf(texts.email),
  sms: patchOf(texts.sms),
} as const satisfies Record<Channel, z.ZodType>;
/** Body of `POST /<channel>/ab-tests/:id/complete`. */
export const completeBody = z.strictObject({
  winnerKey: line(MAX_KEY_CHARACTERS).optional().describe('Variant that all users get from now on. Default: none.'),
});

/** A stored variant: its key, its weight, and the fields that it replaces. */
export type StoredVariant = { readonly key: string; readonly weight: number } & Readonly<Record<string, unknown>>;
export type Metric = z.output<typeof metric>;
export type NewTest = { readonly name: string; readonly variants: readonly StoredVariant[]; readonly metric: Metric };
export type TestPatch = Partial<NewTest> & {
  readonly status?: AbTestStatus | undefined;
  readonly winnerKey?: string | undefined;
};

const parsedBy = (schema: z.ZodType, body: unknown): unknown => {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error));
  return normaliseFreeForm(parsed.data);
};

/** Parses a new test. Throws VALIDATION_ERROR. */
export const parseAbTest = (channel: Channel, body: unknown): NewTest =>
  // Safe: the outputs of the three channel schemas have this shape.
  parsedBy(abTestBodies[channel], withoutNulls(abTestBodies[channel], body)) as NewTest;

/** Parses a change of a test. Throws VALIDATION_ERROR. */
export const parseAbTestPatch = (channel: Channel, body: unknown): TestPatch => {
  // Safe: as above.
  const { winnerKey, ...patch } = parsedBy(
    abTestPatches[channel],
    withoutInnerNulls(abTestPatches[channel], body),
  ) as Omit<TestPatch, 'winnerKey'> & { readonly winnerKey?: string | null | undefined };
  if (typeof winnerKey !== 'string') return patch;
  if (patch.status !== 'completed') throw validationError({ winnerKey: ['is allowed only with status completed'] });
  return { ...patch, winnerKey };
};

/** Parses a completion; a missing body is an empty one. Throws VALIDATION_ERROR. */
export const parseComplete = (body: unknown): { readonly winnerKey?: string | undefined } =>
  // Safe: the schema's own output.
  parsedBy(completeBody, withoutNulls(completeBody, body === undefined ? {} : body)) as z.output<typeof completeBody>;
