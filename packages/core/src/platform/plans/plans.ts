import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import { notFound, validationError } from '../../foundation/errors.ts';
import { sharedCache } from '../../jobs/shared-cache.ts';
import type { PlansApi } from './api.ts';
import { type Gate, type Plan, type PlanInput, planTable, tierRequired } from './plan.ts';
import type { PlanStatements } from './statements.ts';

/** Topic signalled when an organization's plan changes. */
const PLANS_CHANGED = 'plans.changed';

type OfOrg = { readonly orgId: string };

/** Throws `tier_required` unless the organization's plan includes the gate. */
export type RequirePlan = (of: OfOrg, gate: Gate) => Promise<void>;

/** Statements with which ingest counts events of a month. */
export type QuotaStatements = Pick<PlanStatements, 'usage' | 'count'>;

/** Functions for the rest of the program, in addition to the public ones. */
export type Plans = {
  readonly api: Omit<PlansApi, 'usageOf'>;
  /** At most 10 s old. Throws errors of the database. */
  of(orgId: string): Promise<Plan>;
  /** For several organizations. Throws as `of`. */
  load(orgIds: readonly string[]): Promise<(orgId: string) => Plan>;
  readonly require: RequirePlan;
  allows(orgId: string, gate: Gate): Promise<boolean>;
  close(): void;
};

/** Plans of the deployment, and those of organizations as stored by tenancy. */
export type PlanSource = {
  /** Plans of the deployment; default: those of the interface. */
  readonly plans?: readonly PlanInput[] | undefined;
  /** Names of plans of existing organizations. */
  readonly planNames: (orgIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Returns whether the organization exists. */
  readonly setPlan: (orgId: string, name: string) => Promise<boolean>;
};

/**
 * Reads the plans of organizations. Owns the cache, which it fills outside of transactions and clears when a plan
 * changes anywhere.
 */
export const plansEngine = ({
  storage,
  clock,
  plans: inputs,
  planNames,
  setPlan,
}: PlanSource & { readonly storage: Pick<Storage, 'outsideTransaction' | 'wake'>; readonly clock: Clock }): Plans => {
  const table = planTable(inputs);
  const cache = sharedCache<string, Plan>({
    storage,
    clock,
    topic: PLANS_CHANGED,
    nameOf: (orgId) => orgId,
    read: async (orgIds) => {
      const names = await planNames(orgIds);
      return (orgId) => table.find(names.get(orgId) ?? '') ?? table.least;
    },
  });
  const of = cache.get;
  const allows = async (orgId: string, gate: Gate): Promise<boolean> => (await of(orgId)).gates.includes(gate);
  const require: RequirePlan = async ({ orgId }, gate) => {
    if (!(await allows(orgId, gate))) throw tierRequired(gate, table.opens(gate).name);
  };

  return {
    of,
    load: cache.load,
    require,
    allows,
    api: {
      list: () => ({ data: table.all }),
      of: async (orgId) => {
        const name = (await planNames([orgId])).get(orgId);
        if (name === undefined) throw notFound('org with this id');
        return table.find(name) ?? table.least;
      },
      set: async (orgId, name) => {
        const plan = table.find(name);
        if (!plan) throw validationError({ plan: [`must be one of ${table.all.map((one) => one.name).join(', ')}`] });
        const isThere = await cache.change(() => setPlan(orgId, name));
        if (!isThere) throw notFound('org with this id');
        return plan;
      },
      require,
    },
    close: cache.close,
  };
};
