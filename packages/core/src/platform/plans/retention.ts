// Retention of organizations' data: as many days as their plans include (reliability, P12). Ids begin with their time,
// so expired rows are a range of each scope's ids, found by the table's key. Maintenance walks over scopes and kinds of
// rows in slices; after a complete walk it pauses for an hour.
//
// Runs are among these rows, because workflow analytics count them and go back as far as the plan. Other rows have
// their own retention in their modules: webhook deliveries 30 days, requests with an idempotency key 24 hours, message
// ids 72 hours. Other queued work ends with its row.

import type { Clock } from '../../foundation/clock.ts';
import { nextTurn } from '../../foundation/contained.ts';
import { firstIdOf } from '../../foundation/derived-id.ts';
import type { InScope, ScopeDirectory } from '../../foundation/scope.ts';
import type { MaintenanceTask } from '../../jobs/maintenance.ts';
import type { Plans } from './plans.ts';

const DAY_MS = 86_400_000;
/** Rows per slice. Chosen: some milliseconds on a small machine, for which ingest waits. */
export const SLICE = 250;
/** Rows per step of maintenance, in slices between which others write. Chosen. */
export const STEP = 2_000;
/** Scopes and kinds checked per step if nothing has expired. Chosen. */
const MAX_CHECKS = 100;
/** Interval between walks. Chosen: retention is counted in days. */
const WALK_INTERVAL_MS = 3_600_000;

/** Rows with the retention of the plan. */
export type Expiring = {
  readonly name: string;
  /** Deletes up to `limit` rows of a scope with ids below `below`; returns how many. */
  expire(scope: InScope, below: string, limit: number): Promise<number>;
};

/** Order in which rows expire: sends after their messages, and before their runs. */
export const EXPIRY_ORDER = ['events', 'messages', 'sends', 'runs', 'auth audit'] as const;

/** Dependencies on other modules. */
export type RetentionNeeds = {
  readonly scopeIdsOfAll: () => Promise<readonly number[]>;
  readonly plans: Pick<Plans, 'of'>;
  /** In the order of `EXPIRY_ORDER`: rows that others depend on come last. */
  readonly list: readonly Expiring[];
};

type RetentionParts = RetentionNeeds & { readonly clock: Clock; readonly scopes: ScopeDirectory };

/** Each step returns whether more may be left. */
export const retention = ({ clock, scopes, scopeIdsOfAll, plans, list }: RetentionParts): MaintenanceTask => {
  let left: { readonly scopeId: number; readonly expiring: Expiring }[] = [];
  let walkedAt = Number.NEGATIVE_INFINITY;

  const isIdle = (now: number): boolean => now >= walkedAt && now - walkedAt < WALK_INTERVAL_MS;
  const begin = async (): Promise<void> => {
    const ids = await scopeIdsOfAll();
    // Processed from the end.
    left = ids.flatMap((scopeId) => list.map((expiring) => ({ scopeId, expiring }))).reverse();
  };

  return {
    name: 'retention',
    run: async () => {
      const now = clock.now().getTime();
      if (left.length === 0) {
        if (isIdle(now)) return false;
        walkedAt = now;
        await begin();
      }
      const next = left.slice(-MAX_CHECKS).map(({ scopeId }) => scopeId);
      const scopeOf = await scopes.load(next);
      let deleted = 0;
      for (let checks = 0; checks < MAX_CHECKS && deleted < STEP; checks += 1) {
        const last = left.at(-1);
        if (!last) return false;
        const { orgId } = scopeOf(last.scopeId);
        const { retentionDays } = await plans.of(orgId);
        const below = firstIdOf(now - retentionDays * DAY_MS);
        const count = await last.expiring.expire({ scopeId: last.scopeId }, below, SLICE);
        if (count < SLICE) left.pop();
        deleted += count;
        if (count > 0) await nextTurn();
      }
      return left.length > 0;
    },
  };
};
