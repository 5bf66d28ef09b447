// Plans as data: gates, events per month and retention. A plan includes the gates of all plans before it. The last one,
// `unlimited`, always exists and includes everything.

import { z } from 'zod';
import { BeckonError } from '../../foundation/errors.ts';
import { UNLIMITED } from '../tenancy/schema.ts';

/**
 * Features that a plan may include. Source: interface, Plan gates. `jwtClaims`, `sso` and `scim` belong to end-user
 * authentication.
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

/** A plan of an organization. */
export type Plan = {
  readonly name: string;
  /** Included gates, also those of the plans before it. */
  readonly gates: readonly Gate[];
  /** Events per UTC month; null: unlimited. */
  readonly eventsPerMonth: number | null;
  /** Retention of events and analytics in days, 1 to 400. */
  readonly retentionDays: number;
};

/** Maximum retention in days. Source: interface, Analytics range. */
export const MAX_RETENTION_DAYS = 400;
/** Maximum plans of a deployment. Chosen. */
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

/** Plans of a deployment from the lowest; each lists the gates that it adds. */
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
  /** From the lowest; the last one is `unlimited`. */
  readonly all: readonly Plan[];
  /** Finds a plan by name. */
  find(name: string): Plan | undefined;
  /** The plan of an organization whose plan no longer exists: the lowest, since nobody granted more. */
  readonly least: Plan;
  /** The lowest plan that includes a gate. */
  opens(gate: Gate): Plan;
};

/** The plans of a deployment. Throws nothing. */
export const planTable = (inputs: readonly PlanInput[] = DEFAULT_PLANS): PlanTable => {
  const open = new Set<Gate>();
  const limited = inputs.map(({ gates, ...rest }): Plan => {
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

/** The 402 for a gate that the plan does not include. Throws nothing. */
export const tierRequired = (gate: Gate, requiredPlan: string): BeckonError =>
  new BeckonError(
    'tier_required',
    `The plan of this organization does not include ${gate}. It requires plan ${requiredPlan} or higher.`,
    {
      details: { requiredPlan },
    },
  );
