import { z } from 'zod';
import type { BeckonOptions } from './api.ts';

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
  db: z.string().min(1),
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

const KEYS = Object.keys(beckonOptions.shape);

/** Letters that two names share at the same distance from their start; enough to spot a slip. */
const likeness = (left: string, right: string): number => {
  let same = 0;
  for (let at = 0; at < Math.min(left.length, right.length); at += 1)
    if (left[at]?.toLowerCase() === right[at]?.toLowerCase()) same += 1;
  return same;
};

/** Options that were checked once. Throws TypeError that names every bad key, with the nearest known one. */
export const parseOptions = (options: unknown): BeckonOptions => {
  const parsed = beckonOptions.safeParse(options);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => {
          const nearest = KEYS.toSorted((a, b) => likeness(key, b) - likeness(key, a))[0];
          return `${key} is not an option (did you mean ${nearest}?)`;
        })
      : [`${issue.path.join('.') || 'options'}: ${issue.message}`],
  );
  throw new TypeError(`createBeckon: ${problems.join('; ')}`);
};
