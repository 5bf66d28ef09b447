// What a project sets about its messages: values that all channels share, and values of one channel.

import { z } from 'zod';
import { PROVIDERS } from '../../delivery/providers/names.ts';
import { providerBodies } from '../../delivery/providers/schema.ts';
import type { Channel } from '../../foundation/channel.ts';
import { SEND_CLASSES } from '../../foundation/channel.ts';
import { domainOf, mailAddress } from '../../foundation/email-address.ts';
import { isTimeZone } from '../../foundation/time-zones.ts';
import { callbackChange } from '../callbacks/email-settings.ts';

/** Days as `days` of quiet hours name them; the number of a day of the week is its place, Sunday first. */
export const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
/** A message waits at most a week; ours. */
const MAX_DEFER_MINUTES = 7 * 1_440;
/** Rules of one project, and what one of them may allow; ours. */
const MAX_RULES = 20;
const MAX_PER_RULE = 10_000;
/** Units of a window; ours: at most 90 days of them, see `UNIT_MS`. */
const MAX_UNITS = 129_600;
const MAX_WINDOW_MS = 90 * 86_400_000;

/** Milliseconds of each unit: windows roll, so that a day is 24 hours. */
export const UNIT_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const;

/** A time of day, hours and minutes. */
export const clockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 22:00');

/** Source: contract, Settings; semantics, Quiet hours. */
export const quietHours = z.strictObject({
  enabled: z.boolean().default(false),
  start: clockTime.default('22:00'),
  end: clockTime.default('08:00'),
  /** The local days on which a window starts; empty: every day. */
  days: z.array(z.enum(DAYS)).max(DAYS.length).default([]),
  behavior: z.enum(['defer', 'suppress']).default('defer'),
  /** Counted from when a message was first deferred. */
  maxDeferMinutes: z.int().min(1).max(MAX_DEFER_MINUTES).default(1_440),
  exemptClasses: z.array(z.enum(SEND_CLASSES)).max(SEND_CLASSES.length).default(['transactional']),
});
export type QuietHours = Readonly<z.output<typeof quietHours>>;

const units = ['minute', 'hour', 'day', 'week'] as const satisfies readonly (keyof typeof UNIT_MS)[];

/** Source: contract, Settings; semantics, Frequency caps. */
export const frequencyCap = z.strictObject({
  enabled: z.boolean().default(false),
  rules: z
    .array(
      z.strictObject({
        channel: z.enum(['push', 'email', 'sms', 'all']),
        max: z.int().min(1).max(MAX_PER_RULE),
        per: z
          .strictObject({ n: z.int().min(1).max(MAX_UNITS), unit: z.enum(units) })
          .refine(({ n, unit }) => n * UNIT_MS[unit] <= MAX_WINDOW_MS, 'must be at most 90 days'),
        class: z.enum([...SEND_CLASSES, 'all']).default('marketing'),
      }),
    )
    .max(MAX_RULES)
    .default([]),
});
export type FrequencyCap = Readonly<z.output<typeof frequencyCap>>;

/** Of mails whose request does not say. */
export const trackingSetting = z.strictObject({
  opens: z.boolean().default(false),
  clicks: z.boolean().default(false),
});

/** Providers in the order in which they stand in for each other; empty: all that are configured, in our order. */
const providerList = <Name extends string>(names: readonly [Name, ...Name[]]) =>
  z
    .array(z.enum(names))
    .max(names.length)
    .refine((list) => new Set(list).size === list.length, 'must name each provider once')
    .default([]);

/** Where bounces of mails come back to: the domain of their return paths, whose mail `beckon bounce-ingest` reads. */
export const bounceDomain = z
  .string()
  .max(190)
  .refine((domain) => mailAddress(`b@${domain}`) !== null, 'must be a domain such as bounces.example.com')
  .transform((domain) => domainOf(mailAddress(`b@${domain}`) ?? ''));

/** Values that every channel shows and changes. Source: contract, Settings. */
export const sharedSettings = {
  orgDefaultTimezone: z.string().max(64).refine(isTimeZone, 'must be an IANA time zone such as Europe/Paris'),
  frequencyCap,
  addressFromTraits: z.boolean(),
};
export type SharedSettings = {
  readonly orgDefaultTimezone: string | null;
  readonly frequencyCap: FrequencyCap;
  readonly addressFromTraits: boolean;
};

/** Values of one channel. */
export const channelSettings = {
  push: { quietHours, reactivateOnRegister: z.boolean() },
  email: { quietHours, tracking: trackingSetting, providers: providerList(PROVIDERS.email), bounceDomain },
  sms: { quietHours, providers: providerList(PROVIDERS.sms) },
} as const satisfies Record<Channel, Readonly<Record<string, z.ZodType>>>;
export type ChannelSettings = {
  readonly push: {
    readonly quietHours: QuietHours;
    /** Whether a token that registers again becomes active. Source: contract, Decided, push.reactivateOnRegister. */
    readonly reactivateOnRegister: boolean;
  };
  readonly email: {
    readonly quietHours: QuietHours;
    readonly tracking: Readonly<z.output<typeof trackingSetting>>;
    readonly providers: readonly (typeof PROVIDERS.email)[number][];
    /** Null: mails bounce to whom they are from. */
    readonly bounceDomain: string | null;
  };
  readonly sms: { readonly quietHours: QuietHours; readonly providers: readonly (typeof PROVIDERS.sms)[number][] };
};

const optional = (shape: Readonly<Record<string, z.ZodType>>) =>
  Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, schema.nullable().optional()]));

/** The part of a channel's body that is kept here; null goes back to the default. */
export const ownBodies = {
  push: z.strictObject(optional({ ...sharedSettings, ...channelSettings.push })),
  email: z.strictObject(optional({ ...sharedSettings, ...channelSettings.email })),
  sms: z.strictObject(optional({ ...sharedSettings, ...channelSettings.sms })),
} as const satisfies Record<Channel, z.ZodType>;

/** Whole bodies of a change of settings, providers among them. */
export const settingsBodies: Readonly<Record<Channel, z.ZodType>> = {
  push: providerBodies.push.extend(ownBodies.push.shape),
  email: providerBodies.email.extend({ ...ownBodies.email.shape, callbacks: callbackChange }),
  sms: providerBodies.sms.extend(ownBodies.sms.shape),
};
