import { and, asc, desc, eq, inArray, lt } from 'drizzle-orm';
import type { InScope } from '../primitives/scope.ts';
import type { StoreContext } from '../storage/context.ts';
import type { RunStatus } from './schema.ts';
import type { RunTables } from './tables.ts';

export type RunRow = RunTables['runs']['$inferSelect'];
export type RunStepRow = RunTables['runSteps']['$inferSelect'];

/** Which runs a list shows. */
export type RunFilter = {
  readonly status?: RunStatus | undefined;
  readonly workflowId?: string | undefined;
  readonly person?: string | undefined;
};

/** Cold reads. */
export const runStore = ({ db, tables: { runs, runSteps } }: StoreContext<RunTables>) => {
  const within = (scope: InScope) => and(eq(runs.scopeId, scope.scopeId));
  return {
    /** Newest first, older than `before`. */
    list: (scope: InScope, filter: RunFilter, limit: number, before?: string): Promise<RunRow[]> =>
      db
        .select()
        .from(runs)
        .where(
          and(
            within(scope),
            filter.status === undefined ? undefined : eq(runs.status, filter.status),
            filter.workflowId === undefined ? undefined : eq(runs.workflowId, filter.workflowId),
            filter.person === undefined ? undefined : eq(runs.person, filter.person),
            before === undefined ? undefined : lt(runs.id, before),
          ),
        )
        .orderBy(desc(runs.id))
        .limit(limit),
    get: async (scope: InScope, id: string): Promise<RunRow | undefined> => {
      const [row] = await db
        .select()
        .from(runs)
        .where(and(within(scope), eq(runs.id, id)));
      return row;
    },
    /** Those of these workflows that an event started. */
    startedBy: async (scope: InScope, triggerEventId: string, workflowIds: readonly string[]): Promise<RunRow[]> =>
      workflowIds.length === 0
        ? []
        : db
            .select()
            .from(runs)
            .where(
              and(within(scope), inArray(runs.workflowId, [...workflowIds]), eq(runs.triggerEventId, triggerEventId)),
            ),
    steps: (scope: InScope, runId: string): Promise<RunStepRow[]> =>
      db
        .select()
        .from(runSteps)
        .where(and(eq(runSteps.scopeId, scope.scopeId), eq(runSteps.runId, runId)))
        .orderBy(asc(runSteps.startedAt), asc(runSteps.path)),
  };
};
