import type { Db } from '../../database/storage.ts';
import { notFound, validationError } from '../../foundation/errors.ts';
import { stableJson } from '../../foundation/hash.ts';
import { idOf, listPage, timeRange } from '../../foundation/page.ts';
import { anonymousIdOf, userIdOf, userPerson } from '../../foundation/person.ts';
import { type InScope, type Scope, scopeKey } from '../../foundation/scope.ts';
import { budgetOfRun } from '../../people/events/run-budget.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Run, RunStep, TriggerEvent } from './answers.generated.ts';
import type { RunsApi } from './api.ts';
import { comparePaths } from './cursor.ts';
import { RUN_STATUSES } from './schema.ts';
import { FAN_OUT, TOO_DEEP } from './start.ts';
import { type RunRow, type RunStepRow, runStore } from './store.ts';
import type { RunTables } from './tables.ts';

const runOf = (scope: Scope, row: RunRow): Run => ({
  id: row.id,
  orgId: scope.orgId,
  projectId: scope.projectId,
  environment: scope.environment,
  workflowId: row.workflowId,
  workflowName: row.workflowName,
  workflowVersion: row.workflowVersion,
  userId: userIdOf(row.person),
  anonymousId: anonymousIdOf(row.person),
  triggerEventId: row.triggerEventId,
  // Safe: only `startRuns` writes it.
  triggerEvent: row.triggerEvent as unknown as TriggerEvent,
  status: row.status,
  outcome: row.outcome,
  depth: row.depth,
  exitReason: row.exitReason,
  cursor: row.cursor,
  next_step_at: row.dueAt,
  attempt: row.attempt,
  startedAt: row.startedAt,
  completedAt: row.completedAt,
  error: row.error,
  context: row.context,
});

const stepOf = (row: RunStepRow): RunStep => ({
  path: row.path,
  type: row.type,
  outcome: row.outcome,
  reason: row.reason,
  attempt: row.attempt,
  startedAt: row.startedAt,
  finishedAt: row.finishedAt,
  sendId: row.sendId,
  httpStatus: row.httpStatus,
  output: row.output,
  usage: row.usage,
});

/** Order of execution; within a millisecond, the order of the definition. */
const inOrder = (a: RunStep, b: RunStep): number =>
  a.startedAt.getTime() - b.startedAt.getTime() || comparePaths(a.path, b.path) || a.attempt - b.attempt;

/** Reads a run with its steps. Throws NOT_FOUND. */
export const readRun =
  (store: ReturnType<typeof runStore>): RunsApi['get'] =>
  async (scope, id) => {
    const row = await store.get(scope, id);
    if (!row) throw notFound('run with this id', scope);
    return { ...runOf(scope, row), steps: (await store.steps(scope, id)).map(stepOf).sort(inOrder) };
  };

/** A run that an event started, or that was stopped at its start. */
export type StartedRun = {
  readonly id: string;
  readonly workflowId: string;
  readonly workflowName: string;
  readonly workflowVersion: number;
  /** Why it was stopped at its start; null: it was not. */
  readonly stopped: 'depth' | 'fan_out' | null;
};

/** Verdicts for runs stopped at their start, by the run's error. */
const STOPPED: ReadonlyMap<string, 'depth' | 'fan_out'> = new Map([
  [TOO_DEEP, 'depth'],
  [FAN_OUT, 'fan_out'],
]);

/** Reads of runs for other modules. */
export type RunReads = {
  /** Runs of these workflows that an event started, including those stopped at their start. */
  runsOf(scope: InScope, eventId: string, workflowIds: readonly string[]): Promise<readonly StartedRun[]>;
  /** Depth of a run, and whether its budget is used up; null if the run does not exist. */
  runStateOf(scope: InScope, runId: string): Promise<{ readonly depth: number; readonly isSpent: boolean } | null>;
  /** Workflows of the existing runs among these, read in the caller's transaction. */
  workflowsOf(db: Db, scope: InScope, runIds: readonly string[]): Promise<readonly Pick<RunRow, 'id' | 'workflowId'>[]>;
};

/** Reads of runs. Public functions: see RunsApi. */
export const runsEngine = ({
  storage,
  tables,
}: Pick<Platform<RunTables>, 'storage' | 'tables'>): RunReads & {
  readonly api: Pick<RunsApi, 'list' | 'get'>;
} => {
  const store = runStore({ db: storage.db, dialect: storage.dialect, tables });
  const api: Pick<RunsApi, 'list' | 'get'> = {
    list: async (scope, query = {}) => {
      const { status, workflowId, userId } = query;
      if (status !== undefined && !RUN_STATUSES.includes(status))
        throw validationError({ status: [`must be one of ${RUN_STATUSES.join(', ')}`] });
      const person = userId === undefined ? undefined : userPerson(userId);
      const filter = { status, workflowId, person, ...timeRange(query) };
      return listPage(query, {
        binding: `runs/${scopeKey(scope)}/${stableJson(filter)}`,
        read: async (place) => (await store.list(scope, filter, place)).map((row) => runOf(scope, row)),
        count: () => store.count(scope, filter),
        positionOf: idOf,
      });
    },
    get: readRun(store),
  };
  return {
    api,
    runsOf: async (scope, eventId, workflowIds) =>
      (await store.startedBy(scope, eventId, workflowIds)).map((run) => ({
        ...run,
        stopped: STOPPED.get(run.error ?? '') ?? null,
      })),
    workflowsOf: (db, scope, ids) => runStore({ db, dialect: storage.dialect, tables }).workflowsOf(scope, ids),
    runStateOf: async (scope, runId) => {
      const run = await store.get(scope, runId);
      if (!run) return null;
      const { runs, budgetRunId } = budgetOfRun(run);
      return { depth: run.depth, isSpent: (await store.drawn(scope, budgetRunId ?? run.id)) >= runs };
    },
  };
};
