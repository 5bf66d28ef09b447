// Wires what orgs may do: their plans, the quotas of these, and how long what they have is kept.

import type { Beckon } from '../api.ts';
import { quotas } from '../events/quota.ts';
import type { BeckonOptions } from '../options.ts';
import { planHot } from '../plans/hot.ts';
import { plansEngine } from '../plans/plans.ts';
import { planUsage } from '../plans/usage.ts';
import type { Clock } from '../primitives/clock.ts';
import type { Storage } from '../storage/storage.ts';
import type { Tables } from '../tables.ts';
import type { Tenancy } from '../tenancy/tenancy.ts';
import type { Upkeep } from '../work/maintenance.ts';
import { retentionOf } from './retention.ts';

export type OrgPlansDeps = {
  readonly storage: Storage;
  readonly tables: Tables;
  readonly clock: Clock;
  readonly tenancy: Pick<Tenancy, 'planNames' | 'setPlan' | 'scopes' | 'scopeIdsOfAll'>;
  readonly options: Pick<BeckonOptions, 'plans'>;
};

export const orgPlansOf = ({ storage, tables, clock, tenancy, options }: OrgPlansDeps) => {
  const { planNames, setPlan, scopes, scopeIdsOfAll } = tenancy;
  const plans = plansEngine({ storage, clock, plans: options.plans, planNames, setPlan });
  const usage = planUsage({ storage, tables, clock });
  return {
    ...plans,
    api: { ...plans.api, usageOf: usage.usageOf } satisfies Beckon['plans'],
    /** In ingest behind `dedupe`. */
    quotas: quotas({ storage, hot: planHot(tables), plans, clock }),
    upkeep: [{ name: 'counted events', run: usage.sweep }] satisfies readonly Upkeep[],
    retention: retentionOf({ storage, tables, clock, scopes, scopeIdsOfAll, plans }),
  };
};
