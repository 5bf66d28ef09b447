import type { Platform } from '../platform.ts';
import type { PlansApi } from './api.ts';
import type { Plans, QuotaStatements } from './plans.ts';
import { type RetentionNeeds, retention } from './retention.ts';
import { planStatements } from './statements.ts';
import type { PlanTables } from './tables.ts';
import { planUsage } from './usage.ts';

/** Functions for other modules. Reads of plans go through `Plans`. */
export type CountedEvents = {
  /** Statements with which ingest counts events of a month. */
  readonly quotaStatements: QuotaStatements;
};

/** Plans of organizations, and their counted events. */
export const plansModule = (
  { storage, tables, clock }: Platform<PlanTables>,
  { plans }: { readonly plans: Pick<Plans, 'api'> },
) => {
  const { usageOf, sweep } = planUsage({ storage, tables, clock });
  return {
    name: 'plans',
    openApi: { ...plans.api, usageOf } satisfies PlansApi,
    maintenance: [{ name: 'counted events', run: sweep }],
    internal: { quotaStatements: planStatements(tables) } satisfies CountedEvents,
  };
};

/** Deletes rows older than the retention of their organization's plan. Built after every module with such rows. */
export const retentionModule = ({ clock, scopes }: Platform<unknown>, needs: RetentionNeeds) => ({
  name: 'retention',
  maintenance: [retention({ clock, scopes, ...needs })],
});
