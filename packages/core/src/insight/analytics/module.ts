import type { WorkflowsApi } from '../../automation/workflows/api.ts';
import type { SendChanges } from '../../messaging/sends/sums/sums.ts';
import type { FollowedLog } from '../../people/events/followed/followed.ts';
import type { Plan } from '../../platform/plans/plan.ts';
import type { UsageOf } from '../../platform/plans/usage.ts';
import type { Platform } from '../../platform/platform.ts';
import { analyticsEngine } from './analytics.ts';
import { sampleEraser } from './erase.ts';
import { keptFigures } from './figures.ts';
import type { FunnelLog } from './funnel.ts';
import { querySlots } from './query-slots/query-slots.ts';
import { sharedQuerySlots } from './query-slots/store.ts';
import { asker } from './question.ts';
import { rollUp } from './roll-up.ts';
import { rollUpSends, type WorkflowsOf } from './sends/roll-up.ts';
import { sendQuarterStore } from './sends/store.ts';
import { analyticsStore } from './store.ts';
import { sweeper } from './sweep.ts';
import type { AnalyticsTables } from './tables.ts';

export type AnalyticsNeeds = {
  /** Passes each event once, in order. */
  readonly followedLog: FollowedLog;
  readonly eventLog: FunnelLog;
  readonly sendChanges: SendChanges;
  readonly workflowsOf: WorkflowsOf;
  /** Statistics of one workflow's runs. */
  readonly countRuns: WorkflowsApi['figures'];
  readonly planOf: (orgId: string) => Promise<Plan>;
  readonly usageOf: UsageOf;
  readonly scopeIdsOfAll: () => Promise<readonly number[]>;
};

/** Functions for other modules. */
export type Analytics = {
  /** `countRuns` within the query slots of the org and its plan's retention. */
  readonly workflowFigures: WorkflowsApi['figures'];
};

/** Roll-ups of ingested events, and queries on them. Built after automation, whose runs it counts. */
export const analyticsModule = (platform: Platform<AnalyticsTables>, needs: AnalyticsNeeds) => {
  const { storage, tables, clock, scopes } = platform;
  const { followedLog, eventLog, sendChanges, workflowsOf, countRuns, planOf, usageOf, scopeIdsOfAll } = needs;
  const store = analyticsStore({ db: storage.db, tables });
  const sendQuarters = sendQuarterStore({ db: storage.db, tables });
  // A SQLite file has one process that answers queries.
  const shared = storage.dialect.name === 'postgres' ? sharedQuerySlots({ storage, tables }) : null;
  const retentionDays = async (orgId: string): Promise<number> => (await planOf(orgId)).retentionDays;
  const ask = asker({ clock, retentionDays, querySlots: querySlots(shared) });

  return {
    name: 'analytics',
    api: analyticsEngine(platform, { ask, eventLog, planOf, usageOf }),
    internal: { workflowFigures: keptFigures(ask, countRuns) } satisfies Analytics,
    erasers: [sampleEraser({ storage, tables, log: followedLog })],
    maintenance: [
      { name: 'roll-ups', run: rollUp({ log: followedLog, tables }) },
      { name: 'roll-ups of sends', run: rollUpSends({ storage, tables, changes: sendChanges, workflowsOf }) },
      {
        name: 'roll-ups past their time',
        run: sweeper({ clock, store, sendQuarters, scopes, scopeIdsOfAll, retentionDays }),
      },
    ],
  };
};
