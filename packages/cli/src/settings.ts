import { isIP } from 'node:net';
import type { Gate } from '@beckon/core';
import { z } from 'zod';
import { parseDuration } from './duration.ts';

// A copy of core's list, because core takes half a second to load and every command reads its configuration.
/** Features that a plan may include. */
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
  'must be an array of plans such as {"name":"basic","gates":["templates"],"eventsPerMonth":50000,"retentionDays":90}';

const NAME =
  'names must be unique, start with a letter, have 1 to 32 characters of a to z, 0 to 9, _ and -, and not be "unlimited"';

const plan = z.strictObject(
  {
    name: z.string(PLANS).regex(/^(?!unlimited$)[a-z][a-z0-9_-]{0,31}$/, NAME),
    gates: z.array(z.enum(GATES, `gates must be some of ${GATES.join(', ')}`), PLANS),
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

const haveUniqueNames = (named: readonly { readonly name: string }[]): boolean =>
  new Set(named.map(({ name }) => name)).size === named.length;

/** Plans: an array in a file, the same as JSON in a variable. */
const plans = z
  .union([z.array(z.unknown()), json], PLANS)
  .pipe(z.array(plan, PLANS).max(50, 'must be at most 50 plans').refine(haveUniqueNames, NAME));

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

/** A list: an array in a file, comma-separated in a variable. */
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
 * Every configuration key and its schema. Messages never contain the value, which may be a misplaced secret.
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

/** A configuration key; keys of groups are dotted. */
export type Key = keyof typeof settings;
/** Parsed values; a key without a value is absent. */
export type Values = { readonly [K in Key]?: z.output<(typeof settings)[K]> };

/** All keys, in the order above. */
// Proof of the cast: these are the keys of the object above.
export const KEYS = Object.keys(settings) as Key[];

const isKey = (name: string): name is Key => Object.hasOwn(settings, name);

/** The environment variable of a key: `log.format` is `BECKON_LOG_FORMAT`. */
export const variableOf = (key: Key): string =>
  `BECKON_${key
    .replace(/([A-Z])/g, '_$1')
    .replaceAll('.', '_')
    .toUpperCase()}`;

/** The name as a key, or null if it is unknown. */
export const knownKey = (name: string): Key | null => (isKey(name) ? name : null);

/** A value of one source. `from` names the source in messages: `--port`, `BECKON_PORT`, a file and its key. */
export type RawSetting = { readonly value: unknown; readonly from: string };

/**
 * Parses the values of all sources.
 *
 * @param problems receives one message per invalid value
 */
export const parseSettings = (raw: ReadonlyMap<Key, RawSetting>, problems: string[]): Values => {
  const parsed: Partial<Record<Key, unknown>> = {};
  for (const [key, { value, from }] of raw) {
    const result = settings[key].safeParse(value);
    if (result.success) parsed[key] = result.data;
    else problems.push(`${from} ${result.error.issues[0]?.message ?? 'is invalid'}`);
  }
  // Proof of the cast: every entry is the output of the schema of its key.
  return parsed as Values;
};
