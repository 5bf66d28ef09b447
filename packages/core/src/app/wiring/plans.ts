// Wires what orgs may do: their plans, the quotas of these, and how long what they have is kept.

import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Upkeep } from '../../jobs/maintenance.ts';
import { quotas } from '../../people/events/quota.ts';
import { plansEngine } from '../../platform/plans/plans.ts';
import { planStatements } from '../../platform/plans/statements.ts';
import { planUsage } from '../../platform/plans/usage.ts';
import type { Tenancy } from '../../platform/tenancy/tenancy.ts';
import type { Beckon } from '../api.ts';
import type { BeckonOptions } from '../options.ts';
import type { Tables } from '../tables.ts';
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
    quotas: quotas({ storage, hot: planStatements(tables), plans, clock }),
    upkeep: [{ name: 'counted events', run: usage.sweep }] satisfies readonly Upkeep[],
    retention: retentionOf({ storage, tables, clock, scopes, scopeIdsOfAll, plans }),
  };
};
