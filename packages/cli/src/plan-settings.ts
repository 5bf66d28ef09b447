import type { Gate } from '@beckon/core';
import { z } from 'zod';

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
export const plans = z
  .union([z.array(z.unknown()), json], PLANS)
  .pipe(z.array(plan, PLANS).max(50, 'must be at most 50').refine(areDistinct, NAME));
