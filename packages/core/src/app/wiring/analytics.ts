// Wires what is counted over time: roll-ups behind the ingest, and the questions that are answered from them.

import { runStore } from '../../automation/runs/store.ts';
import type { WorkflowsApi } from '../../automation/workflows/api.ts';
import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { ScopeDirectory } from '../../foundation/scope.ts';
import { analyticsEngine } from '../../insight/analytics/analytics.ts';
import { sampleEraser } from '../../insight/analytics/erase.ts';
import { keptFigures } from '../../insight/analytics/figures.ts';
import { asker } from '../../insight/analytics/question.ts';
import { rollUp } from '../../insight/analytics/roll-up.ts';
import { rollUpSends } from '../../insight/analytics/sends/roll-up.ts';
import { sendQuarterStore } from '../../insight/analytics/sends/store.ts';
import { analyticsStore } from '../../insight/analytics/store.ts';
import { sweeper } from '../../insight/analytics/sweep.ts';
import { sharedTurns } from '../../insight/analytics/turns/store.ts';
import { orgTurns } from '../../insight/analytics/turns/turns.ts';
import { sendChanges } from '../../messaging/sends/sums/store.ts';
import { followedLog } from '../../people/events/followed/store.ts';
import { eventStore } from '../../people/events/store.ts';
import type { Plans } from '../../platform/plans/plans.ts';
import type { UsageOf } from '../../platform/plans/usage.ts';
import type { Tables } from '../tables.ts';

export type AnalyticsPartsDeps = {
  readonly storage: Storage;
  readonly tables: Tables;
  readonly clock: Clock;
  readonly scopes: ScopeDirectory;
  readonly scopeIdsOfAll: () => Promise<readonly number[]>;
  /** For how many days what happened in an org is kept. */
  readonly retentionDays: (orgId: string) => Promise<number>;
  readonly planOf: Plans['of'];
  readonly usageOf: UsageOf;
};

export const analyticsOf = (deps: AnalyticsPartsDeps) => {
  const { storage, tables, clock, planOf, usageOf, retentionDays } = deps;
  const { db, dialect } = storage;
  const followed = followedLog({ storage, tables });
  const store = analyticsStore({ db, tables });
  // A SQLite file has one process that answers questions.
  const shared = dialect.name === 'postgres' ? sharedTurns({ storage, tables }) : null;
  const ask = asker({ clock, retentionDays, turns: orgTurns(shared) });
  const api = analyticsEngine({
    ...{ storage, tables, clock, ask },
    log: eventStore({ storage, tables }),
    planOf,
    usageOf,
  });
  return {
    api,
    /** What became of a workflow's runs is asked as everything else. */
    figures: (count: WorkflowsApi['figures']): WorkflowsApi['figures'] => keptFigures(ask, count),
    upkeep: [
      { name: 'roll-ups', run: rollUp({ log: followed, tables }) },
      {
        name: 'roll-ups of sends',
        run: rollUpSends({
          storage,
          tables,
          changes: sendChanges({ db, dialect, tables, clock }),
          workflowsOf: (own, scope, ids) => runStore({ db: own, dialect, tables }).workflowsOf(scope, ids),
        }),
      },
      {
        name: 'roll-ups past their time',
        run: sweeper({ ...deps, store, sendQuarters: sendQuarterStore({ db, tables }) }),
      },
    ],
    /** It comes after the events. */
    eraser: sampleEraser({ storage, tables, log: followed }),
  };
};
