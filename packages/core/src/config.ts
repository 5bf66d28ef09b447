import { closestMatch } from 'leven';
import { z } from 'zod';
import type { BeckonOptions } from './api.ts';
import { isPool } from './storage/postgres/host.ts';

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

const hosts = z.array(z.string().min(1)).optional();
const ports = z.array(z.int().min(1).max(65_535)).optional();
const endpoint = z.url({ protocol: /^https?$/ });

/** Hosts that are connected to; see OutboundOptions. */
const outbound = z.strictObject({
  allowCidrs: hosts,
  ca: z.string().min(1).optional(),
  apns: z.strictObject({ production: endpoint, sandbox: endpoint }).optional(),
  fcm: z.strictObject({ endpoint: endpoint.optional(), tokenUris: hosts }).optional(),
  webPush: z.strictObject({ allowedHosts: hosts, allowedPorts: ports }).optional(),
  smtp: z.strictObject({ allowedPorts: ports, allowedHosts: hosts }).optional(),
  twilio: z.strictObject({ endpoint: endpoint.optional() }).optional(),
});

/** What `createBeckon` takes. */
export const beckonOptions = z.strictObject({
  db: z.custom<BeckonOptions['db']>(
    (value) => (typeof value === 'string' && value !== '') || isPool(value),
    'must be sqlite:PATH, sqlite::memory:, postgres://USER@HOST/DATABASE or a pg.Pool',
  ),
  masterKey: z.string().min(1),
  migrate: z.enum(['auto', 'check']).optional(),
  durability: z.enum(['full', 'process']).optional(),
  pollMs: z.int().min(10).max(60_000).optional(),
  poolSize: z.int().min(2).max(1_000).optional(),
  preparedNames: z.boolean().optional(),
  clock: clock.optional(),
  log: log.optional(),
  publicUrl: endpoint.refine((url) => !url.endsWith('/'), 'must not end with a slash').optional(),
  sms: z.strictObject({ resendOnAmbiguous: z.boolean().optional() }).optional(),
  outbound: outbound.optional(),
});

const KEYS = new Map(Object.keys(beckonOptions.shape).map((key) => [key.toLowerCase(), key]));
/** Changes after which a name no longer looks like a slip of the finger. Ours. */
const MAX_DISTANCE = 3;

const unknownOption = (key: string): string => {
  const maxDistance = Math.min(MAX_DISTANCE, Math.floor(key.length / 2));
  const nearest = KEYS.get(closestMatch(key.toLowerCase(), [...KEYS.keys()], { maxDistance }) ?? '');
  return `${key} is not an option${nearest === undefined ? '' : ` (did you mean ${nearest}?)`}`;
};

/** Options that were checked once. Throws TypeError that names every bad key, with the known one that is near. */
export const parseOptions = (options: unknown): BeckonOptions => {
  const parsed = beckonOptions.safeParse(options);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map(unknownOption)
      : [`${issue.path.join('.') || 'options'}: ${issue.message}`],
  );
  throw new TypeError(`createBeckon: ${problems.join('; ')}`);
};
