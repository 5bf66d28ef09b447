// Delivery settings of a project: values shared by all channels, and values of one channel.

import { z } from 'zod';
import { PROVIDERS } from '../../delivery/providers/names.ts';
import { providerBodies } from '../../delivery/providers/schema.ts';
import type { Channel } from '../../foundation/channel.ts';
import { SEND_CLASSES } from '../../foundation/channel.ts';
import { domainOf, mailAddress } from '../../foundation/email-address.ts';
import { isTimeZone } from '../../foundation/time-zones.ts';
import { callbackChange } from '../callbacks/email-settings.ts';

/** Days of quiet hours; the index is the weekday number, Sunday first. */
export const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
/** Maximum deferral of a message, in minutes. Chosen: a week. */
const MAX_DEFER_MINUTES = 7 * 1_440;
/** Maximum rules of a project, and messages that one may allow. Chosen: far above real ones. */
const MAX_RULES = 20;
const MAX_PER_RULE = 10_000;
/** Maximum units of a window. Chosen: at most 90 days in total, see `UNIT_MS`. */
const MAX_UNITS = 129_600;
const MAX_WINDOW_MS = 90 * 86_400_000;

/** Milliseconds of each unit: windows roll, so a day is 24 hours. */
export const UNIT_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const;

/** A time of day in hours and minutes. */
export const clockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 22:00');

/** Source: contract, Settings; semantics, Quiet hours. */
export const quietHours = z.strictObject({
  enabled: z.boolean().default(false).describe('Whether quiet hours apply. Default: false.'),
  start: clockTime.default('22:00').describe("Start, in the user's local time, such as 22:00. Default: 22:00."),
  end: clockTime.default('08:00').describe("End, in the user's local time, such as 08:00. Default: 08:00."),
  /** Local weekdays on which a window starts; empty: every day. */
  days: z
    .array(z.enum(DAYS))
    .max(DAYS.length)
    .default([])
    .describe('Local days on which quiet hours start. Default: empty, every day.'),
  behavior: z
    .enum(['defer', 'suppress'])
    .default('defer')
    .describe('Whether a message waits for the end (defer) or is not sent (suppress). Default: defer.'),
  /** Counted from the first deferral of a message. */
  maxDeferMinutes: z
    .int()
    .min(1)
    .max(MAX_DEFER_MINUTES)
    .default(1_440)
    .describe('Longest wait of a message, in minutes. At most 10,080. Default: 1,440.'),
  exemptClasses: z
    .array(z.enum(SEND_CLASSES))
    .max(SEND_CLASSES.length)
    .default(['transactional'])
    .describe('Classes of messages that ignore quiet hours. Default: transactional.'),
});
export type QuietHours = Readonly<z.output<typeof quietHours>>;

const units = ['minute', 'hour', 'day', 'week'] as const satisfies readonly (keyof typeof UNIT_MS)[];

/** Source: contract, Settings; semantics, Frequency caps. */
export const frequencyCap = z.strictObject({
  enabled: z.boolean().default(false).describe('Whether the rules apply. Default: false.'),
  rules: z
    .array(
      z.strictObject({
        channel: z
          .enum(['push', 'email', 'sms', 'all'])
          .describe('Channel that the rule counts; all counts every channel.'),
        max: z.int().min(1).max(MAX_PER_RULE).describe('Messages per user in the window. 1 to 10,000.'),
        per: z
          .strictObject({
            n: z.int().min(1).max(MAX_UNITS).describe('Number of units. 1 to 129,600.'),
            unit: z.enum(units).describe('Unit of the window. A day is 24 hours.'),
          })
          .refine(({ n, unit }) => n * UNIT_MS[unit] <= MAX_WINDOW_MS, 'must be at most 90 days')
          .describe('Length of the rolling window. At most 90 days.'),
        class: z
          .enum([...SEND_CLASSES, 'all'])
          .default('marketing')
          .describe('Class of messages that the rule counts. Default: marketing.'),
      }),
    )
    .max(MAX_RULES)
    .default([])
    .describe('Limits per user. A message that exceeds any limit is suppressed. At most 20. Default: none.'),
});
export type FrequencyCap = Readonly<z.output<typeof frequencyCap>>;

/** Tracking of emails whose send or workflow step does not set it. */
export const trackingSetting = z.strictObject({
  opens: z.boolean().default(false).describe('Whether to track opens of emails that do not set it. Default: false.'),
  clicks: z.boolean().default(false).describe('Whether to track clicks in emails that do not set it. Default: false.'),
});

/**
 * Providers in fallback order; empty: all configured providers, in Beckon's order. It has no default: inside an
 * optional member that would replace the stored list wherever a change leaves it out.
 */
const providerList = <Name extends string>(names: readonly [Name, ...Name[]]) =>
  z
    .array(z.enum(names))
    .max(names.length)
    .refine((list) => new Set(list).size === list.length, 'must name each provider once');

/** Domain of return paths, where bounces arrive; `beckon bounce-ingest` reads its email. */
export const bounceDomain = z
  .string()
  .max(190)
  .refine((domain) => mailAddress(`b@${domain}`) !== null, 'must be a domain such as bounces.example.com')
  .transform((domain) => domainOf(mailAddress(`b@${domain}`) ?? ''));

/** Values that every channel shows and changes. Source: contract, Settings. */
export const sharedSettings = {
  orgDefaultTimezone: z
    .string()
    .max(64)
    .refine(isTimeZone, 'must be an IANA time zone such as Europe/Paris')
    .describe('IANA time zone for users without one, such as Europe/Paris. Omit it to keep the value.'),
  frequencyCap: frequencyCap.describe(
    'Limits of messages per user, for all channels. Replaces the stored rules; omit it to keep them.',
  ),
  addressFromTraits: z
    .boolean()
    .describe('Whether email and phone traits serve as addresses. Omit it to keep the value.'),
};
export type SharedSettings = {
  readonly orgDefaultTimezone: string | null;
  readonly frequencyCap: FrequencyCap;
  readonly addressFromTraits: boolean;
};

/** Values of one channel. */
export const channelSettings = {
  push: {
    quietHours: quietHours.describe(
      'Hours in which marketing messages wait. Replaces the stored value; omit it to keep it.',
    ),
    reactivateOnRegister: z
      .boolean()
      .describe('Whether registering reactivates an inactive token. Omit it to keep the value.'),
  },
  email: {
    quietHours: quietHours.describe(
      'Hours in which marketing messages wait. Replaces the stored value; omit it to keep it.',
    ),
    tracking: trackingSetting.describe(
      'Tracking of emails whose send does not set it. Replaces the stored value; omit it to keep it.',
    ),
    providers: providerList(PROVIDERS.email).describe(
      'Providers in order of preference. Later ones are used when earlier ones fail. Empty: all that are configured.',
    ),
    bounceDomain: bounceDomain.describe(
      'Domain of return paths, whose mail beckon bounce-ingest reads. At most 190 characters. Omit it to keep the value.',
    ),
  },
  sms: {
    quietHours: quietHours.describe(
      'Hours in which marketing messages wait. Replaces the stored value; omit it to keep it.',
    ),
    providers: providerList(PROVIDERS.sms).describe(
      'Providers in order of preference. Later ones are used when earlier ones fail. Empty: all that are configured.',
    ),
  },
} as const satisfies Record<Channel, Readonly<Record<string, z.ZodType>>>;
export type ChannelSettings = {
  readonly push: {
    readonly quietHours: QuietHours;
    /** True if a token that registers again becomes active. Source: contract, Decided, push.reactivateOnRegister. */
    readonly reactivateOnRegister: boolean;
  };
  readonly email: {
    readonly quietHours: QuietHours;
    readonly tracking: Readonly<z.output<typeof trackingSetting>>;
    readonly providers: readonly (typeof PROVIDERS.email)[number][];
    /** Null: emails bounce to their sender. */
    readonly bounceDomain: string | null;
  };
  readonly sms: { readonly quietHours: QuietHours; readonly providers: readonly (typeof PROVIDERS.sms)[number][] };
};

const optional = (shape: Readonly<Record<string, z.ZodType>>) =>
  Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => [
      name,
      schema
        .nullable()
        .optional()
        .describe(`${schema.description ?? ''} Null restores the default.`.trim()),
    ]),
  );

/** The part of a channel's body that this module stores; null resets a value to its default. */
export const storedBodies = {
  push: z.strictObject(optional({ ...sharedSettings, ...channelSettings.push })),
  email: z.strictObject(optional({ ...sharedSettings, ...channelSettings.email })),
  sms: z.strictObject(optional({ ...sharedSettings, ...channelSettings.sms })),
} as const satisfies Record<Channel, z.ZodType>;

/** Complete bodies of a settings change, with providers. */
export const settingsBodies: Readonly<Record<Channel, z.ZodType>> = {
  push: providerBodies.push.extend(storedBodies.push.shape),
  email: providerBodies.email.extend({
    ...storedBodies.email.shape,
    callbacks: callbackChange.describe(
      'Verification of delivery webhooks, by provider. Null removes all; omit it to keep them.',
    ),
  }),
  sms: providerBodies.sms.extend(storedBodies.sms.shape),
};
