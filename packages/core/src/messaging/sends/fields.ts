// The fields that all send bodies share, and the warnings about unknown keys.

import { z } from 'zod';
import { SEND_CLASSES } from '../../foundation/channel.ts';
import { isUuid } from '../../foundation/ids.ts';
import { cleanId, normaliseFreeForm } from '../../foundation/json.ts';
import { jsonKeywords, ONE_LINE_TEXT, UUID_TEXT } from '../../foundation/json-keywords.ts';
import { variables } from '../templates/preview.ts';
import type { SendRequest } from './schema.ts';

/** Maximum tags (string pairs). Source: contract, Sends. */
export const MAX_TAGS = 10;
/** Maximum users of one send. Chosen: for more, use an audience. */
export const MAX_USER_IDS = 1_000;
/** Maximum characters of a tag name or a category. Chosen: longer than any real name. */
const MAX_NAME_CHARACTERS = 128;
const MAX_TAG_CHARACTERS = 256;
/** Maximum characters of a userId. Source: contract, Ingest and profiles. */
const MAX_ID_CHARACTERS = 256;
/** Maximum unknown keys named in an answer. Chosen: as in a validation error. */
const MAX_WARNINGS = 20;

const breaksLine = (text: string): boolean => /[\p{Cc}\u2028\u2029]/u.test(text);
const name = z
  .string()
  .min(1)
  .max(MAX_NAME_CHARACTERS)
  .refine((text) => !breaksLine(text), 'must be one line without control characters')
  .register(jsonKeywords, ONE_LINE_TEXT);

/**
 * Id of a stored template of the channel, whose fields fill in what the body lacks. Templates are merged before a body
 * is parsed, so the parsed body has no such field.
 */
export const templateId = z
  .string()
  .refine(isUuid, 'must be the id of a template')
  .register(jsonKeywords, UUID_TEXT)
  .optional()
  .describe(
    'Id of a stored template of the channel. Fields that you pass take precedence over its fields. Default: none.',
  );

/** Fields of every send body besides content and recipients. Source: contract, Sends. */
export const sendFields = {
  class: z
    .enum(SEND_CLASSES)
    .default('marketing')
    .describe(
      'Kind of message. transactional skips frequency caps, quiet hours and opt-outs by default. Default: marketing.',
    ),
  /** Subscription category. */
  category: name
    .optional()
    .describe('Subscription category that users can opt out of. 1 to 128 characters. Default: none.'),
  /** A/B test of the channel, whose variants the messages use. */
  abTestId: z
    .string()
    .refine(isUuid, 'must be the id of an A/B test')
    .nullish()
    .describe('Id of an A/B test of the channel. Each user gets one variant. Null or omitted: none.'),
  tags: z
    .record(name, z.string().max(MAX_TAG_CHARACTERS))
    .refine((value) => Object.keys(value).length <= MAX_TAGS, `must have at most ${MAX_TAGS} tags`)
    .optional()
    .describe('Your labels of the send. At most 10 pairs of texts. Default: none.'),
  /** ISO 8601 with an offset or Z. */
  scheduledFor: z.iso
    .datetime({ offset: true })
    .transform((text) => new Date(text))
    .nullish()
    .describe('When to send. ISO 8601 with an offset, at most one year ahead. Null, omitted or past: now.'),
  dryRun: z
    .boolean()
    .optional()
    .describe('Whether to render the messages without sending them. Beckon stores nothing. Default: false.'),
  /** Values of `event.*`; in a workflow, the properties of the trigger event. */
  variables: variables.optional().describe('Values of {{event.*}} in the texts. Default: none.'),
};

/** `userIds` of a send body. */
export const userIds = z
  .array(
    z
      .string()
      .min(1)
      .max(MAX_ID_CHARACTERS)
      .transform((text, context) => {
        const clean = cleanId(text);
        if (clean !== null) return clean;
        context.addIssue({ code: 'custom', message: 'must not contain the character U+0000' });
        return z.NEVER;
      }),
  )
  .max(MAX_USER_IDS);

/** `audienceId` of a body that must name an audience. */
export const neededAudienceId = z
  .string()
  .refine(isUuid, 'must be the id of an audience')
  .describe('Id of the audience to send to.');
/** `audienceId` of a send body. */
export const audienceId = neededAudienceId
  .nullish()
  .describe('Id of the audience to send to, in place of listed recipients. Null or omitted: none.');

/** The recipient and source fields of a request that may name an audience. Throws nothing. */
export const audienceOf = (value: z.infer<typeof audienceId>): Pick<SendRequest, 'source' | 'audienceId'> =>
  value === undefined || value === null ? { source: 'api' } : { source: 'audience', audienceId: value };

/** True if exactly one of the recipient fields is set. Throws nothing. */
export const isExactlyOneSet = (...value: readonly unknown[]): boolean =>
  value.filter((one) => one !== undefined && one !== null).length === 1;

const fields = z.object(sendFields);
export type SendFields = z.infer<typeof fields>;

/** The common fields as a request stores them, normalised. Throws VALIDATION_ERROR like `normaliseFreeForm`. */
export const requestFields = ({
  class: kind,
  category,
  abTestId,
  tags,
  scheduledFor,
  dryRun,
  variables: event,
}: SendFields) => ({
  class: kind,
  category: category?.toWellFormed() ?? null,
  ...(abTestId === undefined || abTestId === null ? {} : { abTestId }),
  tags: normaliseFreeForm(tags ?? {}),
  scheduledFor: scheduledFor ?? null,
  isDryRun: dryRun ?? false,
  variables: event === undefined ? {} : { event: normaliseFreeForm(event, 'variables') },
});

/** Warnings that name the ignored keys of a body; at most 20. Throws nothing. */
export const ignoredKeys = (unknown: Iterable<string>): string[] =>
  [...unknown]
    .slice(0, MAX_WARNINGS)
    .map((key) => `The key ${key.slice(0, MAX_NAME_CHARACTERS).toWellFormed()} is unknown and was ignored.`);
