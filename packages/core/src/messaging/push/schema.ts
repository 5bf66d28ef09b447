import { z } from 'zod';
import type { EndpointRules } from '../../delivery/transports/web-push/subscription.ts';
import { PLATFORMS } from '../../foundation/device-platform.ts';
import { fieldErrorsOf, validationError } from '../../foundation/errors.ts';
import { cleanId } from '../../foundation/json.ts';
import { anonymousPerson, type Person, userPerson } from '../../foundation/person.ts';
import { isPlaceholderUserId } from '../../foundation/placeholder-user-id.ts';
import { type BodyShape, PROJECT_FIELD } from '../../foundation/pre-scan.ts';
import { deviceTimeZone } from '../../foundation/time-zones.ts';
import { deviceToken, endpointProblem } from './device-token.ts';

/** Maximum characters of a userId or anonymousId. Source: contract, Ingest and profiles. */
const MAX_ID = 256;
/** Maximum characters of a locale or time zone. Chosen: as for an event's context. */
const MAX_TAG = 64;
/** Maximum characters of an app version. Chosen: longer than real ones. */
const MAX_VERSION = 128;

const clean = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .transform((text, context) => {
      const storable = cleanId(text);
      if (storable !== null) return storable;
      context.addIssue({ code: 'custom', message: 'must not contain the character U+0000' });
      return z.NEVER;
    });

/** Body of `POST /push/tokens`. Unknown keys are ignored, because devices send it. */
export const registrationBody = z.object({
  token: z
    .string()
    .min(1)
    .describe(
      'Push token of the device. An APNs token, an FCM registration token, or a Web Push subscription as JSON.',
    ),
  platform: z.enum(PLATFORMS).describe('Platform of the device.'),
  userId: clean(MAX_ID)
    .nullish()
    .describe(
      'Id of the user of the device. At most 256 characters. Null detaches the user; omit it to keep the user.',
    ),
  anonymousId: clean(MAX_ID)
    .nullish()
    .describe('Id of the visitor without a user. At most 256 characters. Null removes it; omit it to keep it.'),
  locale: clean(MAX_TAG)
    .nullish()
    .describe('Language of the device, such as nl-BE. At most 64 characters. Null removes it; omit it to keep it.'),
  // Any type: no registration is rejected for its zone, and what `deviceTimeZone` cannot read counts as omitted.
  timezone: z
    .custom<string | null | undefined>(() => true)
    .optional()
    .meta({
      description:
        'Time zone of the device. An IANA name, or an offset such as GMT+05:30. Any other value counts as omitted. Null removes it.',
    }),
  appVersion: clean(MAX_VERSION)
    .nullish()
    .describe('Version of the app. At most 128 characters. Null removes it; omit it to keep it.'),
  apnsEnvironment: z
    .enum(['production', 'sandbox'])
    .nullish()
    .describe('APNs host that the token belongs to, for iOS. Null removes it; omit it to keep it.'),
});

/** Fields of a registration besides the token. */
export const TOKEN_FIELDS = ['person', 'locale', 'timezone', 'appVersion', 'apnsEnvironment'] as const;
export type TokenField = (typeof TOKEN_FIELDS)[number];

type TokenInput = {
  readonly person: Person | null;
  readonly locale: string | null;
  readonly timezone: string | null;
  readonly appVersion: string | null;
  readonly apnsEnvironment: 'production' | 'sandbox' | null;
};

export type Registration = TokenInput & {
  readonly token: string;
  readonly platform: (typeof PLATFORMS)[number];
  /** The fields that the body has, with a value or null; the row keeps its other values. */
  readonly fields: readonly TokenField[];
  /** True if the userId was a placeholder and was read as null. */
  readonly hasPlaceholder: boolean;
};

const personOf = (userId: string | null | undefined, anonymousId: string | null | undefined): Person | null => {
  if (userId) return userPerson(userId);
  return anonymousId ? anonymousPerson(anonymousId) : null;
};

/**
 * Parses a registration. Throws VALIDATION_ERROR, also for an endpoint that the rules exclude; for a third-party
 * bridge's token the message names the `webhook` step.
 */
export const parseRegistration = (body: unknown, rules: EndpointRules = {}): Registration => {
  const parsed = registrationBody.safeParse(body);
  if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error));
  const { token: text, platform, anonymousId, locale, appVersion, apnsEnvironment } = parsed.data;
  const timezone = parsed.data.timezone === null ? null : (deviceTimeZone(parsed.data.timezone) ?? undefined);
  const hasPlaceholder = typeof parsed.data.userId === 'string' && isPlaceholderUserId(parsed.data.userId);
  // Null instead of omitted: a device that lost its user must not get further messages for that user.
  const userId = hasPlaceholder ? null : parsed.data.userId;
  const read = deviceToken(text, platform);
  const problem = read.ok ? endpointProblem(read.token, rules) : read.problem;
  if (!read.ok || problem !== null) throw validationError({ token: [problem ?? ''] });
  // Only APNs has two hosts that do not know each other's tokens.
  const host = platform === 'ios' ? apnsEnvironment : undefined;
  const isNamed: Record<TokenField, boolean> = {
    person: userId !== undefined || anonymousId !== undefined,
    locale: locale !== undefined,
    timezone: timezone !== undefined,
    appVersion: appVersion !== undefined,
    apnsEnvironment: host !== undefined,
  };
  return {
    token: read.token,
    platform,
    person: personOf(userId, anonymousId),
    locale: locale ?? null,
    timezone: timezone ?? null,
    appVersion: appVersion ?? null,
    apnsEnvironment: host ?? null,
    fields: TOKEN_FIELDS.filter((field) => isNamed[field]),
    hasPlaceholder,
  };
};

/** Maximum characters of an id in a report. Chosen: longer than Beckon's ids, which have 36. */
const MAX_REPORT_ID = 128;
/** Maximum characters of an action id. Source: `MAX_NAME_CHARACTERS` of content.ts. */
const MAX_ACTION = 128;

const unchanged = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((text) => cleanId(text) === text, 'must not contain the character U+0000');

/**
 * Bodies of `POST /push/track-open` and `/push/track-delivered`. Unknown keys are ignored, because devices send them.
 */
export const deliveredBody = z.object({
  sendId: unchanged(MAX_REPORT_ID).describe('Id of the send, from the data of the push.'),
  messageId: unchanged(MAX_REPORT_ID)
    .nullish()
    .describe('Id of the message, from the data of the push. Null or omitted: the report applies to the send.'),
});
export const openBody = deliveredBody.extend({
  clickAction: unchanged(MAX_ACTION)
    .nullish()
    .describe('Id of the action button that the user clicked. Default: none, the user opened the push itself.'),
});

/** The fields that are read of registrations and reports. */
export const REGISTRATION_SHAPE: BodyShape = {
  names: [...Object.keys(registrationBody.shape), PROJECT_FIELD],
  cut: [],
};
export const REPORT_SHAPE: BodyShape = { names: [...Object.keys(openBody.shape), PROJECT_FIELD], cut: [] };
