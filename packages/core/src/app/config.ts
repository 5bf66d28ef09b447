import { promises } from 'node:dns';
import { closestMatch } from 'leven';
import { z } from 'zod';
import { aiBaseUrl, aiKey, aiModels, aiPrices } from '../automation/ai/schema.ts';
import { isPool } from '../database/postgres/host.ts';
import { PROVIDERS } from '../delivery/providers/names.ts';
import type { OutboundOptions } from '../delivery/providers/outbound.ts';
import type { OwnTransport } from '../delivery/providers/own-transport.ts';
import { AI_WIRES } from '../delivery/transports/ai/port.ts';
import { ENVIRONMENTS } from '../foundation/scope.ts';
import { SOCIAL_PROVIDERS } from '../identity/auth-settings/social-providers.ts';
import { MAX_CALLS } from '../platform/limits/call-rates.ts';
import { planList } from '../platform/plans/plan.ts';
import { tenantName } from '../platform/tenancy/schema.ts';
import type { AccountHook } from './host/hooks.ts';
import type { BeckonOptions } from './options.ts';

/**
 * Longest provider time limit: below the lease of a row, with time to store the result. Source: transports, Rules for
 * every transport (3).
 */
const MAX_LIMIT_MS = 25_000;
/** Maximum days that links of emails may be served. Chosen: ten years. */
const MAX_LINK_DAYS = 3_650;
/** The database whose rows end with the process. */
const IN_MEMORY = 'sqlite::memory:';
const RESERVED: ReadonlySet<string> = new Set(['sandbox', ...Object.values(PROVIDERS).flat()]);

const clock = z.custom<NonNullable<BeckonOptions['clock']>>(
  (value) => typeof value === 'object' && value !== null && 'now' in value && typeof value.now === 'function',
  'must have now()',
);
const log = z.custom<NonNullable<BeckonOptions['log']>>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    ['info', 'warn', 'error'].every((name) => typeof Reflect.get(value, name) === 'function'),
  'must have info(), warn() and error()',
);

const isFunction = (value: unknown): boolean => typeof value === 'function';
const transport = {
  name: z
    .string()
    .regex(/^[a-z0-9-]{1,32}$/, 'must be 1 to 32 of a to z, 0 to 9 and hyphens')
    .refine((name) => !RESERVED.has(name), 'must not be the name of a provider'),
  make: z.custom<OwnTransport<never>['make']>(isFunction, 'must be a function'),
  limitMs: z.int().min(1).max(MAX_LIMIT_MS).optional(),
};
const ownTransport = z.strictObject(transport).optional();
const transports = z.strictObject({
  push: z.strictObject({ ios: ownTransport, android: ownTransport, web: ownTransport }).optional(),
  email: z
    .strictObject({ ...transport, from: z.strictObject({ email: z.email(), name: z.string().nullable() }) })
    .optional(),
  sms: ownTransport,
});
const hook = z
  .strictObject({
    during: z.custom<(...args: never) => void>(isFunction, 'must be a function').optional(),
    after: z.custom<(...args: never) => void>(isFunction, 'must be a function').optional(),
  })
  .optional();

const accountHook = z
  .strictObject({
    before: z.custom<NonNullable<AccountHook['before']>>(isFunction, 'must be a function').optional(),
    during: z.custom<(...args: never) => void>(isFunction, 'must be a function').optional(),
    after: z.custom<(...args: never) => void>(isFunction, 'must be a function').optional(),
  })
  .optional();

const hosts = z.array(z.string().min(1)).optional();
const ports = z.array(z.int().min(1).max(65_535)).optional();
const endpoint = z.url({ protocol: /^https?$/ });

/** As `setServers` of node:dns accepts it. */
const isNameServer = (text: string): boolean => {
  try {
    new promises.Resolver().setServers([text]);
    return true;
  } catch {
    return false;
  }
};

const elsewhere = z.strictObject({ endpoint: endpoint.optional() }).optional();

/** Allowed and denied hosts; see OutboundOptions. */
const outboundKeys = {
  allowCidrs: hosts,
  ca: z.string().min(1).optional(),
  apns: z.strictObject({ production: endpoint, sandbox: endpoint }).optional(),
  fcm: z.strictObject({ endpoint: endpoint.optional(), tokenUris: hosts }).optional(),
  webPush: z.strictObject({ allowedHosts: hosts, allowedPorts: ports }).optional(),
  smtp: z.strictObject({ allowedPorts: ports, allowedHosts: hosts }).optional(),
  webhooks: z.strictObject({ httpsOnly: z.boolean().optional() }).optional(),
  ses: elsewhere,
  sendgrid: elsewhere,
  postmark: elsewhere,
  mailgun: elsewhere,
  resend: elsewhere,
  twilio: elsewhere,
  telnyx: elsewhere,
} satisfies Record<keyof OutboundOptions, z.ZodType>;
const outbound = z.strictObject(outboundKeys);

const ai = z.strictObject({
  models: aiModels.optional(),
  shared: z
    .strictObject({
      wire: z.enum(AI_WIRES).optional(),
      baseUrl: aiBaseUrl.optional(),
      key: aiKey.optional(),
      prices: aiPrices.optional(),
    })
    .optional(),
});
/** Maximum email sends of an organization per minute. Chosen: one per millisecond. */
const MAX_MAILS_A_MINUTE = 60_000;

const calls = z.int().min(1).max(MAX_CALLS);

/** An organization or a project, by its name or by its id. */
const tenantReference = z.union([z.strictObject({ name: tenantName }), z.strictObject({ id: z.string().min(1) })], {
  error: 'must be { name } or { id }',
});

/** Options of `createBeckon`. */
export const beckonOptions = z.strictObject({
  db: z.custom<BeckonOptions['db']>(
    (value) => (typeof value === 'string' && value !== '') || isPool(value),
    'must be sqlite:PATH, sqlite::memory:, postgres://USER@HOST/DATABASE or a pg.Pool',
  ),
  masterKey: z.string().min(1).optional(),
  org: tenantReference.optional(),
  project: tenantReference.optional(),
  environment: z.enum(ENVIRONMENTS).optional(),
  migrate: z.enum(['auto', 'check']).optional(),
  durability: z.enum(['full', 'process']).optional(),
  trustPath: z.boolean().optional(),
  pollMs: z.int().min(10).max(60_000).optional(),
  poolSize: z.int().min(2).max(1_000).optional(),
  preparedNames: z.boolean().optional(),
  clock: clock.optional(),
  log: log.optional(),
  publicUrl: endpoint.refine((url) => !url.endsWith('/'), 'must not end with a slash').optional(),
  auth: z
    .strictObject({
      breachFile: z.string().min(1).optional(),
      hashThreads: z.int().min(1).max(64).optional(),
      hashMemoryMiB: z.int().min(64).max(65_536).optional(),
      captchaUrls: z
        .strictObject({ turnstile: endpoint.optional(), hcaptcha: endpoint.optional(), recaptcha: endpoint.optional() })
        .optional(),
      providerUrls: z
        .partialRecord(
          z.enum(SOCIAL_PROVIDERS),
          z.strictObject({
            issuer: z.string().min(1).optional(),
            authorization: endpoint.optional(),
            token: endpoint.optional(),
            jwks: endpoint.optional(),
            userinfo: endpoint.optional(),
            emails: endpoint.optional(),
          }),
        )
        .optional(),
    })
    .optional(),
  email: z
    .strictObject({
      linkDays: z.int().min(1).max(MAX_LINK_DAYS).optional(),
      dnsServers: z
        .array(z.string().refine(isNameServer, 'must be an address such as 192.0.2.53 or 192.0.2.53:53'))
        .optional(),
      requireVerifiedDomains: z.boolean().optional(),
      mailsPerMinute: z.int().min(1).max(MAX_MAILS_A_MINUTE).optional(),
    })
    .optional(),
  limits: z
    .strictObject({
      callsPerMinute: calls.optional(),
      ingestPerSecond: calls.optional(),
      ingestBurst: calls.optional(),
    })
    .optional(),
  plans: planList.optional(),
  sms: z.strictObject({ resendOnAmbiguous: z.boolean().optional() }).optional(),
  outbound: outbound.optional(),
  ai: ai.optional(),
  sandbox: z
    .strictObject({ callModels: z.boolean().optional(), deliverWebhookSteps: z.boolean().optional() })
    .optional(),
  transports: transports.optional(),
  hooks: z.strictObject({ messages: hook, events: hook, auth: accountHook }).optional(),
  meter: z
    .custom<NonNullable<BeckonOptions['meter']>>(
      (value) =>
        typeof value === 'object' &&
        value !== null &&
        ['count', 'time'].every((name) => typeof Reflect.get(value, name) === 'function'),
      'must have count() and time()',
    )
    .optional(),
});

const KEYS = new Map(Object.keys(beckonOptions.shape).map((key) => [key.toLowerCase(), key]));
/** Edit distance up to which an unknown name counts as a typing error. Chosen. */
const MAX_DISTANCE = 3;

const unknownOption = (key: string): string => {
  const maxDistance = Math.min(MAX_DISTANCE, Math.floor(key.length / 2));
  const nearest = KEYS.get(closestMatch(key.toLowerCase(), [...KEYS.keys()], { maxDistance }) ?? '');
  return `${key} is not an option${nearest === undefined ? '' : ` (did you mean ${nearest}?)`}`;
};

/** Options that require each other. */
const missingOptions = ({ db, masterKey, org, project, environment }: z.output<typeof beckonOptions>): string[] => [
  ...(masterKey === undefined && db !== IN_MEMORY
    ? [
        'masterKey: is missing. Make one with newMasterKey(), keep it, and pass it at every start, such as process.env.BECKON_MASTER_KEY',
      ]
    : []),
  ...((org === undefined) === (project === undefined) ? [] : ['org and project: pass both or neither']),
  ...(environment !== undefined && project === undefined ? ['environment: needs org and project'] : []),
];

/** Validates options once. Throws TypeError that names every bad key, with the nearest known one. */
export const parseOptions = (options: unknown): BeckonOptions => {
  const parsed = beckonOptions.safeParse(options);
  const problems = parsed.success
    ? missingOptions(parsed.data)
    : parsed.error.issues.flatMap((issue) =>
        issue.code === 'unrecognized_keys'
          ? issue.keys.map(unknownOption)
          : [`${issue.path.join('.') || 'options'}: ${issue.message}`],
      );
  // Safe: parameters and results of functions cannot be checked; the rest matches the schema.
  if (parsed.success && problems.length === 0) return parsed.data as BeckonOptions;
  throw new TypeError(`createBeckon: ${problems.join('; ')}`);
};
