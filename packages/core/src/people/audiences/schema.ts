import { z } from 'zod';
import { cleanId } from '../../foundation/json.ts';
import { parse } from '../../foundation/parse.ts';
import { isPlaceholderUserId, PLACEHOLDER_USER_ID } from '../../foundation/placeholder-user-id.ts';
import { predicateSchema } from './predicate/schema.ts';

export const AUDIENCE_KINDS = ['dynamic', 'static'] as const;
/** `dynamic`: members match a predicate. `static`: a list of users. */
export type AudienceKind = (typeof AUDIENCE_KINDS)[number];

export const AUDIENCE_STATUSES = ['ready', 'computing'] as const;
/** `computing`: members are being computed. Source: contract, Audiences. */
export type AudienceStatus = (typeof AUDIENCE_STATUSES)[number];

/**
 * `build`: first walk over all users. `settle`: second walk, once no process can use an older definition. `remove`:
 * deleted; its members are being removed.
 */
export type AudienceStage = 'build' | 'settle' | 'remove';

/** Maximum characters of a name. Chosen: as for workflows. */
const MAX_NAME = 200;
/** Maximum characters of a description. Chosen. */
const MAX_DESCRIPTION = 2_000;
/** Maximum characters of a userId. Source: contract, Ingest and profiles. */
const MAX_USER_ID = 256;
/** Maximum users per call. Chosen: some milliseconds of one transaction. */
export const MAX_MEMBERS = 1_000;

/** Text that both databases can store. Source: semantics, Unicode. */
const text = (max: number) =>
  z
    .string()
    .max(max)
    .refine((input) => !input.includes('\0'), 'must not contain the character U+0000')
    .overwrite((input) => input.toWellFormed());
const fields = {
  name: text(MAX_NAME).trim().min(1).describe('Name of the audience. 1 to 200 characters, unique in the environment.'),
  description: text(MAX_DESCRIPTION)
    .nullish()
    .describe('What the audience is for. At most 2,000 characters. Null removes it.'),
};

/** Body of `POST /audiences`: dynamic with a predicate, otherwise static. */
export const audienceBody = z
  .strictObject({
    ...fields,
    kind: z
      .enum(AUDIENCE_KINDS)
      .optional()
      .describe(
        'Kind of the audience. dynamic: a predicate decides membership; static: you add and remove members. Default: dynamic with a predicate, else static.',
      ),
    predicate: predicateSchema
      .optional()
      .describe(
        'Condition that members meet. A leaf such as { trait, op, value }, or all, any or not over conditions. An array means all. At most 8 levels and 100 nodes. Omit it for a static audience.',
      ),
  })
  .refine(({ kind, predicate: input }) => kind !== 'dynamic' || input !== undefined, {
    path: ['predicate'],
    message: 'is required for kind dynamic',
  })
  .refine(({ kind, predicate: input }) => kind !== 'static' || input === undefined, {
    path: ['predicate'],
    message: 'is not allowed for kind static',
  });
/** Body of `PATCH /audiences/:id`: omitted fields keep their values. */
export const audiencePatch = z.strictObject({
  name: fields.name.optional(),
  description: fields.description,
  predicate: predicateSchema
    .optional()
    .describe(
      'Condition that members meet. A leaf such as { trait, op, value }, or all, any or not over conditions. An array means all. At most 8 levels and 100 nodes. Omit it to keep the predicate.',
    ),
});

const userId = z.string().transform((text, context) => {
  const clean = cleanId(text);
  if (clean !== null && clean.length > 0 && clean.length <= MAX_USER_ID) return clean;
  context.addIssue({ code: 'custom', message: `must be a userId of 1 to ${MAX_USER_ID} characters` });
  return z.NEVER;
});
/** Body of removing members. Accepts placeholders, because a list may contain some. */
export const membersBody = z.strictObject({
  userIds: z
    .array(userId)
    .min(1)
    .max(MAX_MEMBERS)
    .describe('Ids of the users. 1 to 1,000, each of 1 to 256 characters.'),
});
/** Body of `POST /audiences/:id/members`. */
const newMembersBody = z.strictObject({
  userIds: z
    .array(userId.refine((text) => !isPlaceholderUserId(text), PLACEHOLDER_USER_ID))
    .min(1)
    .max(MAX_MEMBERS)
    .describe('Ids of the users. 1 to 1,000, each of 1 to 256 characters.'),
});

/** Error for a reference to an unknown audience. */
export const NO_AUDIENCE = 'names an audience that does not exist in this environment';

/** Body of `POST /audiences/preview`. */
export const previewBody = z.strictObject({
  predicate: predicateSchema.describe(
    'Condition that members meet. A leaf such as { trait, op, value }, or all, any or not over conditions. An array means all. At most 8 levels and 100 nodes.',
  ),
});

/** Each throws VALIDATION_ERROR. */
export const parseAudience = (body: unknown): z.output<typeof audienceBody> => parse(audienceBody, body);
export const parseAudiencePatch = (body: unknown): z.output<typeof audiencePatch> => parse(audiencePatch, body);
export const parseMembers = (body: unknown): z.output<typeof membersBody> => parse(membersBody, body);
export const parseNewMembers = (body: unknown): z.output<typeof membersBody> => parse(newMembersBody, body);
export const parsePreview = (body: unknown): z.output<typeof previewBody> => parse(previewBody, body);
