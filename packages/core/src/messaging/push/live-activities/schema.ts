import { z } from 'zod';
import { validationError } from '../../../foundation/errors.ts';
import { cleanId, isObject, normaliseFreeForm } from '../../../foundation/json.ts';
import { isMoment, MOMENT_OUT_OF_RANGE } from '../../../foundation/moments.ts';
import { parse } from '../../../foundation/parse.ts';
import { type BodyShape, PROJECT_FIELD } from '../../../foundation/pre-scan.ts';
import type { Environment } from '../../../foundation/scope.ts';
import { audienceId, isExactlyOneSet, userIds } from '../../sends/fields.ts';

/** Kinds of activity pushes. Source: Apple, Starting and updating Live Activities with push notifications. */
export const ACTIVITY_EVENTS = ['start', 'update', 'end'] as const;
export type ActivityEvent = (typeof ACTIVITY_EVENTS)[number];
/** Statuses of an activity. Source: contract, Live activities and geofences. */
export const ACTIVITY_STATUSES = ['active', 'stale', 'ended', 'invalidated'] as const;
export type ActivityStatus = (typeof ACTIVITY_STATUSES)[number];

/**
 * Maximum characters of a userId and of an external id. Source: contract, Ingest and profiles; external ids are chosen
 * alike.
 */
const MAX_ID = 256;
/** Maximum characters of a type. Chosen: longer than a Swift type name. */
const MAX_TYPE = 128;
/** Maximum bytes of a state as JSON: the whole payload has 4,096. Source: transports, APNs. */
const MAX_STATE_BYTES = 4_096;
/** Maximum characters of an alert text. Chosen: as for a push. */
const MAX_TEXT = 4_096;

const id = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .transform((text, context) => {
      const clean = cleanId(text);
      if (clean !== null) return clean;
      context.addIssue({ code: 'custom', message: 'must not contain the character U+0000' });
      return z.NEVER;
    });
const state = z
  .custom<Readonly<Record<string, unknown>>>(isObject, 'must be an object')
  .refine(
    (value) => Buffer.byteLength(JSON.stringify(value)) <= MAX_STATE_BYTES,
    `must have at most ${MAX_STATE_BYTES} bytes`,
  );
const instant = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  .refine((at) => isMoment(at.getTime()), MOMENT_OUT_OF_RANGE);
const alert = z.strictObject({
  title: z.string().max(MAX_TEXT).describe('Title of the alert. At most 4,096 characters.'),
  body: z.string().max(MAX_TEXT).describe('Text of the alert. At most 4,096 characters.'),
  sound: z.string().min(1).max(MAX_TYPE).optional().describe('Name of the sound. Default: no sound.'),
});
/**
 * iOS does not count priority 5 against the app's update budget; 10 is immediate. Source: contract; transports, APNs.
 */
const priority = z.union([z.literal(5), z.literal(10)]);

/** An APNs token. Source: transports, Rules for every transport (5). */
const HEX = /^(?:[0-9a-fA-F]{2}){32,100}$/;
/** A token with simulated behaviour in `test`, such as `sandbox-dead-1`. Source: transports, Environments. */
const SANDBOX = /^sandbox-[a-z0-9-]{1,64}$/;

/** Body of `POST /push/live-activities/start-token`. Unknown keys are ignored, because devices send it. */
export const activityTokenBody = z
  .object({
    userId: id(MAX_ID).describe('Id of the user of the device. 1 to 256 characters.'),
    activityType: id(MAX_TYPE).describe('Your name of the kind of activity. 1 to 128 characters.'),
    externalId: id(MAX_ID)
      .nullish()
      .describe(
        'Your id of the activity. Required for kind update; null or omitted for push_to_start. At most 256 characters.',
      ),
    /** The device's own activity id, which stays when the token changes. Source: Apple, ActivityKit, `Activity.id`. */
    activityId: id(MAX_ID)
      .nullish()
      .describe("ActivityKit's id of the activity. It stays when the token changes. Null or omitted: unknown."),
    pushToken: z
      .string()
      .refine((text) => HEX.test(text) || SANDBOX.test(text), 'must be the hexadecimal token of an activity')
      .describe('Token of ActivityKit, in hexadecimal.'),
    platform: z.literal('ios').default('ios').describe('Platform of the device. Always ios.'),
    kind: z
      .enum(['push_to_start', 'update'])
      .default('update')
      .describe('Purpose of the token. push_to_start starts activities, update updates one. Default: update.'),
    attributesType: id(MAX_TYPE)
      .nullish()
      .describe('Swift type of the attributes. At most 128 characters. Null or omitted: unknown.'),
    environment: z
      .enum(['production', 'sandbox'])
      .nullish()
      .describe('APNs host that the token belongs to. Null or omitted: the one in the settings.'),
  })
  .refine(({ kind, externalId }) => kind === 'push_to_start' || Boolean(externalId), {
    path: ['externalId'],
    message: 'is required for kind update',
  });

const presentation = {
  staleDate: instant
    .nullish()
    .describe('When the state becomes outdated. ISO 8601 with an offset. Null or omitted: never.'),
  relevanceScore: z
    .number()
    .min(0)
    .max(1_000_000)
    .optional()
    .describe('Order among activities; the highest comes first. 0 to 1,000,000. Default: none.'),
};

const startFields = z.strictObject({
  activityType: id(MAX_TYPE).describe('Your name of the kind of activity. 1 to 128 characters.'),
  externalId: id(MAX_ID).describe('Your id of the activity, used to update and end it. 1 to 256 characters.'),
  attributesType: id(MAX_TYPE).describe('Swift type of the attributes. 1 to 128 characters.'),
  attributes: state.describe('Attributes of the activity, which do not change. At most 4,096 bytes of JSON.'),
  contentState: state.describe('State to show. At most 4,096 bytes of JSON.'),
  alert: alert.describe('Alert that appears when the activity starts.'),
  userIds: userIds
    .optional()
    .describe('Ids of the users to send to. At most 1,000. Exactly one of userIds and audienceId.'),
  audienceId: audienceId.describe('Id of the audience to send to. Exactly one of userIds and audienceId.'),
  ...presentation,
  priority: priority.default(10).describe('APNs priority, 5 or 10. 10 delivers at once; 5 saves power. Default: 10.'),
});

/** Body of `POST /push/live-activities/start`. */
export const activityStartBody = startFields.refine((sent) => isExactlyOneSet(sent.userIds, sent.audienceId), {
  path: ['userIds'],
  message: 'pass exactly one of userIds and audienceId',
});

/** Body of `PATCH /push/live-activities/:externalId`. */
export const activityUpdateBody = z.strictObject({
  contentState: state.describe('State to show. At most 4,096 bytes of JSON.'),
  ...presentation,
  priority: priority
    .default(5)
    .describe("APNs priority, 5 or 10. 10 delivers at once; 5 does not count against iOS's budget. Default: 5."),
  alert: alert.optional().describe('Alert that appears with the update. Default: none.'),
});

/** Optional body of `POST /push/live-activities/:externalId/end`. */
export const activityEndBody = z.strictObject({
  contentState: state.optional().describe('Last state to show. At most 4,096 bytes of JSON. Default: unchanged.'),
  /** When it leaves the lock screen; past: at once; absent: the system decides. */
  dismissalDate: instant
    .nullish()
    .describe(
      'When the activity leaves the lock screen. ISO 8601 with an offset; a past time removes it at once. Null or omitted: iOS decides.',
    ),
});

/** The fields that are read of a registration. */
export const ACTIVITY_TOKEN_SHAPE: BodyShape = {
  names: [...Object.keys(activityTokenBody.shape), PROJECT_FIELD],
  cut: [],
};

export type ActivityToken = z.output<typeof activityTokenBody>;
export type ActivityStart = z.output<typeof activityStartBody>;
export type ActivityUpdate = z.output<typeof activityUpdateBody>;
export type ActivityEnd = z.output<typeof activityEndBody>;
/** The parsers throw VALIDATION_ERROR. Free-form values are made storable. */
export const parseActivityToken = (body: unknown, environment: Environment): ActivityToken => {
  const parsed = parse(activityTokenBody, body);
  if (environment === 'test' || HEX.test(parsed.pushToken)) return parsed;
  throw validationError({ pushToken: ['is allowed only in environment test'] });
};
export const parseActivityStart = (body: unknown): ActivityStart => {
  const { attributes, contentState, alert, ...rest } = parse(activityStartBody, body);
  return { ...rest, ...normaliseFreeForm({ attributes, contentState, alert }) };
};
export const parseActivityUpdate = (body: unknown): ActivityUpdate => {
  const { contentState, alert, ...rest } = parse(activityUpdateBody, body);
  return { ...rest, ...normaliseFreeForm(alert === undefined ? { contentState } : { contentState, alert }) };
};
export const parseActivityEnd = (body: unknown): ActivityEnd => {
  const { contentState, ...rest } = parse(activityEndBody, body === undefined ? {} : body);
  return contentState === undefined ? rest : { ...rest, ...normaliseFreeForm({ contentState }) };
};
