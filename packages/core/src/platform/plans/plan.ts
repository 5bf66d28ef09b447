// Plans as data: what each of them opens, how many events a month it takes and how long it keeps them. A plan opens
// whatever those before it open. The last one, `unlimited`, is always there and opens everything.

import { z } from 'zod';
import { BeckonError } from '../../foundation/errors.ts';
import { UNLIMITED } from '../tenancy/schema.ts';

/**
 * What a plan may keep to those who pay for it. Source: interface, Plan gates. `jwtClaims`, `sso` and `scim` are of
 * end-user authentication.
 */
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
] as const;
export type Gate = (typeof GATES)[number];

/** What an org may do. */
export type Plan = {
  readonly name: string;
  /** What it opens, that of the plans before it included. */
  readonly gates: readonly Gate[];
  /** Events of a UTC month that are counted; null: any number. */
  readonly eventsPerMonth: number | null;
  /** Days that events and figures are kept, 1 to 400. */
  readonly retentionDays: number;
};

/** Days that anything is kept at most. Source: interface, Analytics range. */
export const MAX_RETENTION_DAYS = 400;
/** Plans of a table; ours. */
const MAX_PLANS = 50;

const plan = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9_-]{0,31}$/, 'must be 1 to 32 of a to z, 0 to 9, _ and -, and begin with a letter')
    .refine((name) => name !== UNLIMITED, `must not be ${UNLIMITED}, which is always there`),
  gates: z.array(z.enum(GATES)),
  eventsPerMonth: z.int().min(0).nullable(),
  retentionDays: z.int().min(1).max(MAX_RETENTION_DAYS),
});

/** Plans of a deployment, from the least on; each names the gates that it adds. */
export const planList = z
  .array(plan)
  .max(MAX_PLANS)
  .refine((plans) => new Set(plans.map(({ name }) => name)).size === plans.length, 'must have names that differ');
export type PlanInput = z.infer<typeof plan>;

/** Source: interface, Plan gates; contract, Plans. */
const DEFAULT_PLANS: readonly PlanInput[] = [
  { name: 'free', gates: [], eventsPerMonth: 10_000, retentionDays: 30 },
  {
    name: 'starter',
    gates: ['audienceSends', 'scheduledSends', 'abTests', 'templates'],
    eventsPerMonth: 100_000,
    retentionDays: 90,
  },
  {
    name: 'growth',
    gates: ['geofences', 'liveActivities', 'workflowBundles', 'jwtClaims', 'sharedModels'],
    eventsPerMonth: 1_000_000,
    retentionDays: MAX_RETENTION_DAYS,
  },
  {
    name: 'business',
    gates: ['sso', 'scim', 'rateLimits'],
    eventsPerMonth: null,
    retentionDays: MAX_RETENTION_DAYS,
  },
];

export type PlanTable = {
  /** From the least on; the last one is `unlimited`. */
  readonly all: readonly Plan[];
  /** By its name; absent: there is none. */
  find(name: string): Plan | undefined;
  /** What an org has whose plan the table lacks: the least, since nobody said that it may do more. */
  readonly least: Plan;
  /** The least plan that opens a gate. */
  opens(gate: Gate): Plan;
};

/** The table of a deployment. Throws nothing. */
export const planTable = (given: readonly PlanInput[] = DEFAULT_PLANS): PlanTable => {
  const open = new Set<Gate>();
  const limited = given.map(({ gates, ...rest }): Plan => {
    for (const gate of gates) open.add(gate);
    return { ...rest, gates: [...open] };
  });
  const unlimited: Plan = {
    name: UNLIMITED,
    gates: GATES,
    eventsPerMonth: null,
    retentionDays: MAX_RETENTION_DAYS,
  };
  const all = [...limited, unlimited];
  const byName = new Map(all.map((one) => [one.name, one]));
  return {
    all,
    find: (name) => byName.get(name),
    least: all[0] ?? unlimited,
    opens: (gate) => all.find(({ gates }) => gates.includes(gate)) ?? unlimited,
  };
};

/** The 402 for what a plan does not open. Throws nothing. */
export const tierRequired = (gate: Gate, requiredPlan: string): BeckonError =>
  new BeckonError(
    'tier_required',
    `The plan of this organization does not include ${gate}. It requires plan ${requiredPlan} or higher.`,
    {
      details: { requiredPlan },
    },
  );
