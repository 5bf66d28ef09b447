import type { Clock } from '../../foundation/clock.ts';
import type { ScopeDirectory } from '../../foundation/scope.ts';
import { hourOf, quarterOf } from './quarters.ts';
import type { SendQuarters } from './sends/store.ts';
import type { AnalyticsStore } from './store.ts';

const DAY_MS = 86_400_000;
/** Interval of looking for expired roll-ups. Chosen. */
const EVERY_MS = 3_600_000;
/** Scopes per step, and rows deleted per statement. Chosen: some milliseconds. */
const SCOPES = 50;
const SLICE = 200;

export type SweepDeps = {
  readonly clock: Clock;
  readonly store: Pick<AnalyticsStore, 'forget'>;
  readonly sendQuarters: Pick<SendQuarters, 'forget'>;
  readonly scopes: ScopeDirectory;
  readonly scopeIdsOfAll: () => Promise<readonly number[]>;
  readonly retentionDays: (orgId: string) => Promise<number>;
};

/** Deletes roll-ups beyond the retention of their org, scope by scope; true if more is left. */
export const sweeper = ({ clock, store, sendQuarters, scopes, scopeIdsOfAll, retentionDays }: SweepDeps) => {
  let nextMs = 0;
  let left: number[] = [];
  return async (): Promise<boolean> => {
    const nowMs = clock.now().getTime();
    if (left.length === 0) {
      if (nowMs < nextMs) return false;
      nextMs = nowMs + EVERY_MS;
      left = [...(await scopeIdsOfAll())];
    }
    const some = left.slice(0, SCOPES);
    const scopeAt = await scopes.load(some);
    for (const scopeId of some) {
      const scope = scopeAt(scopeId);
      const before = quarterOf(nowMs - (await retentionDays(scope.orgId)) * DAY_MS);
      while ((await store.forget(scope, hourOf(before), SLICE)) >= SLICE);
      while ((await sendQuarters.forget(scope, before, SLICE)) >= SLICE);
    }
    left = left.slice(SCOPES);
    return left.length > 0;
  };
};
