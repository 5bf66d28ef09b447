import { isIP } from 'node:net';
import type { Gate } from '@beckon/core';
import { z } from 'zod';
import { parseDuration } from './duration.ts';

// Said again, since core takes half a second to load and every command reads its configuration.
/** What a plan may keep to those who pay for it. */
export const GATES = [
  'audienceSends',
  'scheduledSends',
  'abTests',
  'templates',
  'geofences',
  'liveActivities',
  'workflowBundles',
  'jwtClaims',
  'sharedModels',
  'sso',
  'scim',
  'rateLimits',
] as const satisfies readonly Gate[];

const PLANS =
  'must be a list of plans such as {"name":"basic","gates":["templates"],"eventsPerMonth":50000,"retentionDays":90}';

const NAME = 'names must be 1 to 32 of a to z, 0 to 9, _ and -, begin with a letter, differ, and not be unlimited';

const plan = z.strictObject(
  {
    name: z.string(PLANS).regex(/^(?!unlimited$)[a-z][a-z0-9_-]{0,31}$/, NAME),
    gates: z.array(z.enum(GATES, `gates must be of ${GATES.join(', ')}`), PLANS),
    eventsPerMonth: z.int(PLANS).min(0, PLANS).nullable(),
    retentionDays: z.int(PLANS).min(1, 'retentionDays must be 1 to 400').max(400, 'retentionDays must be 1 to 400'),
  },
  PLANS,
);

const json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: PLANS });
    return z.NEVER;
  }
});

const areDistinct = (given: readonly { readonly name: string }[]): boolean =>
  new Set(given.map(({ name }) => name)).size === given.length;

/** The table of plans: of a file an array, of a variable the same as JSON. */
const plans = z
  .union([z.array(z.unknown()), json], PLANS)
  .pipe(z.array(plan, PLANS).max(50, 'must be at most 50').refine(areDistinct, NAME));

const text = z.string().trim().min(1, 'must not be empty');

const wholeNumber = z.union(
  [
    z.int(),
    z
      .string()
      .regex(/^\d{1,9}$/)
      .transform(Number),
  ],
  'must be a whole number',
);

const yesOrNo = z.union(
  [z.boolean(), z.enum(['true', '1', 'false', '0']).transform((word) => word === 'true' || word === '1')],
  'must be true or false',
);

const duration = z.string().transform((word, context) => {
  const ms = parseDuration(word);
  if (ms !== null) return ms;
  context.addIssue({ code: 'custom', message: 'must be a time such as 20s, 5m or 500ms' });
  return z.NEVER;
});

/** A list: of a file an array, of a variable its parts between commas. */
const listOf = <Item extends z.ZodType>(item: Item, error: string) =>
  z
    .union([z.array(z.unknown()), z.string().transform((words) => words.split(',').map((word) => word.trim()))])
    .pipe(z.array(item, error).min(1, error));

const isNetwork = (word: string): boolean => {
  const [address = '', bits = ''] = word.split('/');
  const version = isIP(address);
  return version !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128);
};

const NETWORK = 'must be a list of networks such as 10.0.0.0/8';
const PORTS = 'must be a list of ports';
const PROXIES = 'must be 0 to 16';
const CALLS = 'must be 1 to 1000000';
const MAILS = 'must be 1 to 60000';
const LINK_DAYS = 'must be 1 to 3650';
const HTTPS = z.url({ protocol: /^https$/, error: 'must be an https URL' });

const calls = wholeNumber.pipe(z.number().min(1, CALLS).max(1_000_000, CALLS));

const oneOf = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.enum(words, `must be ${words.join(' or ')}`);

/**
 * Every key of the configuration and what it takes, from whichever source. Messages never repeat a value, which may
 * be a secret in the wrong place.
 */
export const settings = {
  db: text.regex(/^(sqlite:|postgres(ql)?:\/\/)./, 'must be sqlite:PATH or postgres://USER@HOST/DATABASE'),
  dataDir: text,
  masterKey: text,
  publicUrl: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }),
  host: text,
  port: wholeNumber.pipe(z.number().max(65_535, 'must be 0 to 65535').min(0, 'must be 0 to 65535')),
  trustedProxies: wholeNumber.pipe(z.number().min(0, PROXIES).max(16, PROXIES)),
  shutdownTimeout: duration,
  'log.format': oneOf(['json', 'pretty']),
  'log.level': oneOf(['info', 'warn', 'error', 'silent']),
  durability: oneOf(['full', 'process']),
  'sqlite.trustPath': yesOrNo,
  'postgres.preparedNames': yesOrNo,
  migrate: oneOf(['auto', 'check', 'off']),
  env: oneOf(['prod', 'test']),
  'worker.enabled': yesOrNo,
  'metrics.host': text,
  'metrics.port': wholeNumber.pipe(z.number().max(65_535, 'must be 0 to 65535').min(0, 'must be 0 to 65535')),
  'metrics.token': text,
  'net.allowCidrs': listOf(z.string(NETWORK).refine(isNetwork, NETWORK), NETWORK),
  'smtp.allowedPorts': listOf(wholeNumber.pipe(z.number().min(1, PORTS).max(65_535, PORTS)), PORTS),
  'webpush.allowedHosts': listOf(text, 'must be a list of hosts'),
  'fcm.tokenUris': listOf(HTTPS, 'must be a list of https URLs'),
  'limits.callsPerMinute': calls,
  'limits.ingestPerSecond': calls,
  'limits.ingestBurst': calls,
  plans,
  'email.mailsPerMinute': wholeNumber.pipe(z.number().min(1, MAILS).max(60_000, MAILS)),
  'email.linkDays': wholeNumber.pipe(z.number().min(1, LINK_DAYS).max(3_650, LINK_DAYS)),
  'email.requireVerifiedDomains': yesOrNo,
  'email.dnsServers': listOf(text, 'must be a list of addresses'),
  'sms.resendOnAmbiguous': yesOrNo,
  'ai.models.generate': text,
  'ai.models.decide': text,
  'ai.models.extract': text,
  'ai.shared.wire': oneOf(['openai', 'anthropic']),
  'ai.shared.baseUrl': z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }),
  'ai.shared.key': text,
  'sandbox.callModels': yesOrNo,
  'sandbox.deliverWebhookSteps': yesOrNo,
  'webhooks.httpsOnly': yesOrNo,
  'endpoints.apns.url': HTTPS,
  'endpoints.fcm.url': HTTPS,
  'endpoints.twilio.url': HTTPS,
  'endpoints.telnyx.url': HTTPS,
  'endpoints.ses.url': HTTPS,
  'endpoints.sendgrid.url': HTTPS,
  'endpoints.postmark.url': HTTPS,
  'endpoints.mailgun.url': HTTPS,
  'endpoints.resend.url': HTTPS,
} as const;

/** The name of one key, dotted where it stands in a group. */
export type Key = keyof typeof settings;
/** What the keys mean once parsed; a key that no source gives is absent. */
export type Values = { readonly [K in Key]?: z.output<(typeof settings)[K]> };

/** All keys, in the order of the table. */
// Proof of the cast: these are the own keys of that very object.
export const KEYS = Object.keys(settings) as Key[];

const isKey = (name: string): name is Key => Object.hasOwn(settings, name);

/** The environment variable of a key: `log.format` is `BECKON_LOG_FORMAT`. */
export const variableOf = (key: Key): string =>
  `BECKON_${key
    .replace(/([A-Z])/g, '_$1')
    .replaceAll('.', '_')
    .toUpperCase()}`;

/** A key as somebody spelled it, or null. */
export const knownKey = (name: string): Key | null => (isKey(name) ? name : null);

/** A value as one source gave it. `from` names the place for people: `--port`, `BECKON_PORT`, a file and its key. */
export type Given = { readonly value: unknown; readonly from: string };

/**
 * Parses what the sources gave.
 *
 * @param problems each bad value is added as one sentence
 */
export const parseSettings = (given: ReadonlyMap<Key, Given>, problems: string[]): Values => {
  const parsed: Partial<Record<Key, unknown>> = {};
  for (const [key, { value, from }] of given) {
    const result = settings[key].safeParse(value);
    if (result.success) parsed[key] = result.data;
    else problems.push(`${from} ${result.error.issues[0]?.message ?? 'is not valid'}`);
  }
  // Proof of the cast: every entry is what the schema of its own key answered.
  return parsed as Values;
};
