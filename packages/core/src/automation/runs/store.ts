import { and, asc, desc, eq, gte, inArray, isNotNull, lt, sql } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import type { PageStart, TimeRange } from '../../foundation/page.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { RunStatus } from './schema.ts';
import type { RunTables } from './tables.ts';

export type RunRow = RunTables['runs']['$inferSelect'];
export type RunStepRow = RunTables['runSteps']['$inferSelect'];

/** Filter of a list of runs. */
export type RunFilter = TimeRange & {
  readonly status?: RunStatus | undefined;
  readonly workflowId?: string | undefined;
  readonly person?: string | undefined;
};

/** Ids from `from` inclusive to `before` exclusive. */
export type IdRange = { readonly from: string; readonly before: string };

/** Infrequent reads. */
export const runStore = ({ db, tables: { runs, runSteps, runBudgets } }: StoreContext<RunTables>) => {
  const within = (scope: InScope) => and(eq(runs.scopeId, scope.scopeId));
  const matching = (scope: InScope, { status, workflowId, person, fromMs, toMs }: RunFilter) =>
    and(
      within(scope),
      status === undefined ? undefined : eq(runs.status, status),
      workflowId === undefined ? undefined : eq(runs.workflowId, workflowId),
      person === undefined ? undefined : eq(runs.person, person),
      fromMs === null ? undefined : gte(runs.startedAt, new Date(fromMs)),
      toMs === null ? undefined : lt(runs.startedAt, new Date(toMs)),
    );
  const between = (scope: InScope, workflowId: string, { from, before }: IdRange) =>
    and(
      within(scope),
      eq(runs.workflowId, workflowId),
      gte(runs.triggerEventId, from),
      lt(runs.triggerEventId, before),
    );
  return {
    /** Newest first. */
    list: (scope: InScope, filter: RunFilter, { after, limit }: PageStart): Promise<RunRow[]> =>
      db
        .select()
        .from(runs)
        .where(and(matching(scope, filter), after === null ? undefined : lt(runs.id, after)))
        .orderBy(desc(runs.id))
        .limit(limit),
    count: async (scope: InScope, filter: RunFilter): Promise<number> => {
      const [row] = await db
        .select({ count: sql<number>`count(*)`.mapWith(Number) })
        .from(runs)
        .where(matching(scope, filter));
      return row?.count ?? 0;
    },
    /** Workflows of the existing runs among these ids. */
    workflowsOf: (scope: InScope, ids: readonly string[]): Promise<Pick<RunRow, 'id' | 'workflowId'>[]> =>
      db
        .select({ id: runs.id, workflowId: runs.workflowId })
        .from(runs)
        .where(and(within(scope), inArray(runs.id, [...ids]))),
    get: async (scope: InScope, id: string): Promise<RunRow | undefined> => {
      const [row] = await db
        .select()
        .from(runs)
        .where(and(within(scope), eq(runs.id, id)));
      return row;
    },
    /** Runs of these profiles, for erasure. */
    idsOf: async (scope: InScope, people: readonly string[], limit: number): Promise<string[]> =>
      (
        await db
          .select({ id: runs.id })
          .from(runs)
          .where(and(within(scope), inArray(runs.person, [...people])))
          .limit(limit)
      ).map(({ id }) => id),
    /** Ended runs with ids below `below`. */
    ended: async (scope: InScope, below: string, limit: number): Promise<string[]> =>
      (
        await db
          .select({ id: runs.id })
          .from(runs)
          .where(and(within(scope), lt(runs.id, below), isNotNull(runs.completedAt)))
          .orderBy(asc(runs.id))
          .limit(limit)
      ).map(({ id }) => id),
    remove: async (scope: InScope, ids: readonly string[]): Promise<void> => {
      await db.delete(runs).where(and(within(scope), inArray(runs.id, [...ids])));
    },
    removeSteps: async (scope: InScope, ids: readonly string[]): Promise<void> => {
      await db.delete(runSteps).where(and(eq(runSteps.scopeId, scope.scopeId), inArray(runSteps.runId, [...ids])));
    },
    /** Number of runs started from a run's share. */
    drawn: async (scope: InScope, runId: string): Promise<number> => {
      const [row] = await db
        .select({ used: runBudgets.used })
        .from(runBudgets)
        .where(and(eq(runBudgets.scopeId, scope.scopeId), eq(runBudgets.runId, runId)));
      return row?.used ?? 0;
    },
    removeShares: async (scope: InScope, ids: readonly string[]): Promise<void> => {
      await db
        .delete(runBudgets)
        .where(and(eq(runBudgets.scopeId, scope.scopeId), inArray(runBudgets.runId, [...ids])));
    },
    /** Runs of these workflows that an event started. */
    startedBy: async (scope: InScope, triggerEventId: string, workflowIds: readonly string[]): Promise<RunRow[]> =>
      workflowIds.length === 0
        ? []
        : db
            .select()
            .from(runs)
            .where(
              and(within(scope), inArray(runs.workflowId, [...workflowIds]), eq(runs.triggerEventId, triggerEventId)),
            ),
    /** Newest runs of a workflow whose event ids are in the range. */
    countedRuns: (scope: InScope, workflowId: string, { from, before }: IdRange, limit: number) =>
      db
        .select({
          id: runs.id,
          triggerEventId: runs.triggerEventId,
          workflowVersion: runs.workflowVersion,
          status: runs.status,
          outcome: runs.outcome,
          exitReason: runs.exitReason,
          cursor: runs.cursor,
          startedAt: runs.startedAt,
          dueAt: runs.dueAt,
        })
        .from(runs)
        .where(between(scope, workflowId, { from, before }))
        .orderBy(desc(runs.triggerEventId))
        .limit(limit),
    /**
     * Outcomes of the steps of these runs; the last attempt counts. Uses no join: if PostgreSQL's planner expects one
     * row, as for a tenant newer than its statistics, it may compare every step with every other.
     */
    countedSteps: (scope: InScope, runIds: readonly string[]) => {
      const { runId, path, type, outcome, attempt } = runSteps;
      const nth = sql<number>`row_number() over (partition by ${runId}, ${path} order by ${attempt} desc)`.as('nth');
      const attempts = db
        .select({ path, type, outcome, nth })
        .from(runSteps)
        .where(and(eq(runSteps.scopeId, scope.scopeId), inArray(runId, [...runIds])))
        .as('attempts');
      return db
        .select({
          path: attempts.path,
          type: attempts.type,
          outcome: attempts.outcome,
          count: sql<number>`count(*)`.mapWith(Number),
        })
        .from(attempts)
        .where(eq(attempts.nth, 1))
        .groupBy(attempts.path, attempts.type, attempts.outcome);
    },
    steps: (scope: InScope, runId: string): Promise<RunStepRow[]> =>
      db
        .select()
        .from(runSteps)
        .where(and(eq(runSteps.scopeId, scope.scopeId), eq(runSteps.runId, runId)))
        .orderBy(asc(runSteps.startedAt), asc(runSteps.path)),
  };
};
