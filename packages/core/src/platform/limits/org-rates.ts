import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import { notFound, validationError } from '../../foundation/errors.ts';
import { sharedCache } from '../../jobs/shared-cache.ts';
import type { CallKind, LimitsApi, OrgCallKind } from './api.ts';
import { MAX_CALLS, ORG_KINDS } from './call-rates.ts';
import { callRateStore } from './store.ts';
import type { LimitTables } from './tables.ts';

/** Whether an organization may have its own rates; `require` throws `tier_required` otherwise. */
export type OfPlans = {
  readonly allows: (orgId: string, gate: 'rateLimits') => Promise<boolean>;
  readonly require: (of: { readonly orgId: string }, gate: 'rateLimits') => Promise<void>;
};

type Rates = Readonly<Partial<Record<string, number>>>;

const checkRate = (kind: string, perMinute: number | null): void => {
  if (!ORG_KINDS.some((one) => one === kind))
    throw validationError({ kind: [`must be one of ${ORG_KINDS.join(', ')}`] });
  if (perMinute === null) return;
  if (!Number.isInteger(perMinute) || perMinute < 1 || perMinute > MAX_CALLS)
    throw validationError({ perMinute: [`must be a whole number from 1 to ${MAX_CALLS}`] });
};

/** Call rates set for organizations in place of the defaults. */
export const callRates = ({
  storage,
  tables,
  clock,
  isOrg,
  plans,
}: {
  readonly storage: Pick<Storage, 'db' | 'outsideTransaction' | 'wake'>;
  readonly tables: LimitTables;
  readonly clock: Clock;
  readonly isOrg: (orgId: string) => Promise<boolean>;
  readonly plans: OfPlans;
}) => {
  const store = callRateStore({ db: storage.db, tables });
  const cache = sharedCache<string, Rates>({
    storage,
    clock,
    topic: null,
    nameOf: (orgId) => orgId,
    read: async (orgIds) => {
      const rows = Map.groupBy(await store.ofOrgs(orgIds), ({ orgId }) => orgId);
      return (orgId) => Object.fromEntries((rows.get(orgId) ?? []).map(({ kind, perMinute }) => [kind, perMinute]));
    },
  });
  const set: LimitsApi['setCallRate'] = async (orgId, kind, perMinute) => {
    if (!(await isOrg(orgId))) throw notFound('org with this id');
    checkRate(kind, perMinute);
    if (perMinute === null) {
      await store.remove(orgId, kind);
    } else {
      await plans.require({ orgId }, 'rateLimits');
      await store.set(orgId, kind, perMinute);
    }
    cache.forget(orgId);
  };
  return {
    /** The organization's own rate of a kind, at most 10 s old. Throws errors of the database. */
    of: async (orgId: string, kind: CallKind): Promise<number | undefined> => {
      const rate = (await cache.get(orgId))[kind];
      // The plan may have changed since the rate was set.
      return rate === undefined || !(await plans.allows(orgId, 'rateLimits')) ? undefined : rate;
    },
    set,
    list: async (orgId: string): Promise<Readonly<Partial<Record<OrgCallKind, number>>>> => cache.get(orgId),
  };
};
