import { write } from '../../database/commit/write-set.ts';
import type { Claimed } from '../../database/statements/claim.ts';
import type { Storage } from '../../database/storage.ts';
import type { Ids } from '../../foundation/ids.ts';
import { anonymousIdOf, userIdOf } from '../../foundation/person.ts';
import { type InProject, type Scope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import { type SpendWork, spendWork } from '../../jobs/concurrency/work-slices.ts';
import type { LocalHandoff } from '../../jobs/local-handoff.ts';
import { LEASE_MS } from '../../jobs/registration.ts';
import { MAX_DEPTH } from '../../people/events/catalog.ts';
import type { Emitter, LoadedEmitter } from '../../people/events/emit.ts';
import { freshEntries, type IngestDraft, type Item, type Reaction } from '../../people/events/pipeline.ts';
import { EXTERNAL_BUDGET } from '../../people/events/run-budget.ts';
import type { TriggerEvent } from './answers.generated.ts';
import { type RunFacts, runCompleted, runStarted } from './lifecycle.ts';
import type { LoggedFailure, LoggedRun, RunLog } from './run-log.ts';
import { type Drawn, drawsFrom, type Grant, loadDrawn } from './shares.ts';
import type { RunStatements } from './statements.ts';
import type { Step } from './steps/list.ts';
import type { RunRow } from './store.ts';

/** Name of the queue of runs, and its wake topic. */
export const RUNS = 'runs';

/** A workflow that an event starts. */
export type Startable = {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  /** Delay of the first step; 0 without steps. */
  readonly firstDelayMinutes: number;
  /** Null without steps. */
  readonly firstStepType: Step['type'] | null;
};

/** `error` of a run stopped for its depth, and `reason` of its step. */
export const TOO_DEEP = 'depth_exceeded';
/** The same for a run stopped because the budget of its originating event is used up. */
export const FAN_OUT = 'fan_out';
type StopReason = typeof TOO_DEEP | typeof FAN_OUT;

/** Result of a workflow for an event: null if it does not start, and the work units of the evaluation. */
export type TriggerVerdict = { readonly starts: Startable | null; readonly units: number };

/** Evaluates the project's active workflows for an event lazily, from the loaded cache. */
export type StartedBy = (
  project: InProject,
  event: Pick<Item, 'eventType' | 'properties'>,
  isMember: (audienceId: string) => boolean,
) => Iterable<TriggerVerdict>;

export type StartDeps = {
  readonly storage: Pick<Storage, 'select'>;
  readonly hot: RunStatements;
  readonly ids: Ids;
  readonly emitter: Emitter;
  /** Takes runs whose first step is due at once. Absent: all runs are claimed. */
  readonly handoff?: Pick<LocalHandoff<RunRow>, 'capacity' | 'take'>;
  /** Logs committed runs. */
  readonly log?: RunLog | undefined;
  loadTriggers(projects: readonly InProject[]): Promise<StartedBy>;
};

const MINUTE_MS = 60_000;

/** Copy of the trigger event in a run. */
const eventOf = (item: Item, person: string): TriggerEvent => ({
  id: item.id,
  eventType: item.eventType,
  module: item.module,
  properties: item.properties,
  timestamp: item.timestamp.toISOString(),
  userId: userIdOf(person),
  anonymousId: item.anonymousId ?? anonymousIdOf(person),
});

type Start = {
  readonly workflow: Startable;
  readonly item: Item;
  readonly person: string;
  readonly runBudget: NonNullable<Grant>;
};
type Loaded = {
  readonly startedBy: StartedBy;
  readonly emission: LoadedEmitter;
  readonly drawn: Drawn;
  readonly hasHooks: boolean;
  readonly spend: SpendWork;
};
/** Work units of planning one run. Measured, with a margin. */
const START_UNITS = 200;
/** Weight of a run beyond an ordinary row, and bytes of its event copy that weigh as much as a row. Measured. */
const RUN_WEIGHT = 3;
const BYTES_PER_WEIGHT = 1_024;

/** Budget of a run that is stopped at its start. */
const NO_SHARE = { runBudget: 0, budgetRunId: null } as const;

/** Columns of a run at its first step. */
const AT_START = {
  outcome: null,
  exitReason: null,
  completedAt: null,
  error: null,
  waitingSince: null,
  wokenBy: null,
  awaitsEvent: null,
  awaitsFilters: null,
} as const;

/** Starts a run per matching workflow, and moves waiting runs of merged profiles to the user. */
export const startRuns = ({ storage, hot, ids, emitter, handoff, log, loadTriggers }: StartDeps): Reaction<Loaded> => {
  const rowOf = (draft: IngestDraft, { workflow, item, person, runBudget }: Start) => ({
    ...scopeOf(item.scope),
    id: ids.next(),
    workflowId: workflow.id,
    workflowVersion: workflow.version,
    workflowName: workflow.name,
    person,
    triggerEventId: item.id,
    triggerEvent: { ...eventOf(item, person) },
    depth: item.depth,
    ...runBudget,
    cursor: '0',
    attempt: 1,
    startedAt: draft.now,
    context: {},
    fence: 0,
  });

  /** Stores a failed run whose first step has the reason. */
  const stop = (
    draft: IngestDraft,
    { hasSubscribers, emit }: LoadedEmitter,
    start: Start,
    reason: StopReason,
  ): LoggedFailure => {
    const { now } = draft;
    const { scope } = start.item;
    const row = rowOf(draft, start);
    const failed = { status: 'failed', outcome: 'error', error: reason } as const;
    draft.writes.push(write(hot.stop, { ...row, ...failed, completedAt: now }));
    const { firstStepType } = start.workflow;
    const steps =
      firstStepType === null ? [] : [{ path: row.cursor, type: firstStepType, outcome: 'error' as const, reason }];
    for (const step of steps) {
      const of = {
        ...scopeOf(scope),
        runId: row.id,
        attempt: row.attempt,
        sendId: null,
        httpStatus: null,
        output: null,
        usage: null,
      };
      draft.writes.push(write(hot.recordStep, { ...of, ...step, startedAt: now, finishedAt: now }));
    }
    // Raised without waking: at this depth the event could start no run.
    if (hasSubscribers(scope, 'workflow.run_completed'))
      draft.writes.push(...emit(runCompleted({ ...row, scope, depth: MAX_DEPTH }, failed, steps, now)).writes);
    return { ...row, error: reason, path: row.cursor };
  };

  /** Writes the run with this process's lease; returns the row as stored. */
  const startLeased = (draft: IngestDraft, start: Start): Claimed<RunRow> => {
    const row = { ...rowOf(draft, start), status: 'running' as const, fence: 1 };
    draft.writes.push(write(hot.startLeased, row));
    const leaseUntil = new Date(draft.now.getTime() + LEASE_MS);
    return { ...row, ...AT_START, dueAt: leaseUntil, leaseUntil };
  };

  /** Writes the run for workers to claim when it is due. */
  const startQueued = (draft: IngestDraft, start: Start): Omit<RunFacts, 'scope'> => {
    const { workflow } = start;
    const dueAt = new Date(draft.now.getTime() + workflow.firstDelayMinutes * MINUTE_MS);
    const status = dueAt > draft.now ? ('waiting' as const) : ('running' as const);
    const row = { ...rowOf(draft, start), status, dueAt };
    draft.writes.push(write(hot.start, row));
    draft.wakes.add(RUNS);
    return row;
  };

  const publish = (
    draft: IngestDraft,
    { hasSubscribers, emit }: LoadedEmitter,
    { item }: Start,
    run: Omit<RunFacts, 'scope'>,
  ): void => {
    if (!hasSubscribers(item.scope, 'workflow.run_started')) return;
    const { writes, wakes } = emit(runStarted({ ...run, scope: item.scope }, item.id, draft.now));
    draft.writes.push(...writes);
    for (const topic of wakes) draft.wakes.add(topic);
  };

  return {
    name: 'workflow triggers',
    load: async (items, { hasHooks = false, spend = spendWork }) => {
      const scopes = scopesOf(items);
      const [startedBy, emission] = await Promise.all([loadTriggers(scopes), emitter.load(scopes)]);
      const drawing: Item[] = [];
      for (const item of items) {
        if (typeof item.budget?.budgetRunId !== 'string' || item.kind === 'changed') continue;
        for (const { starts, units } of startedBy(item.scope, item, () => true)) {
          const rest = spend(units, item.scope.orgId);
          if (rest !== undefined) await rest;
          if (starts === null) continue;
          drawing.push(item);
          break;
        }
      }
      return { startedBy, emission, drawn: await loadDrawn({ storage, hot }, drawing), hasHooks, spend };
    },
    plan: async (draft, { startedBy, emission, drawn, hasHooks, spend }) => {
      const capacity = hasHooks ? (handoff?.capacity() ?? 0) : 0;
      const handedOver: Claimed<RunRow>[] = [];
      const started: LoggedRun[] = [];
      const stopped: LoggedFailure[] = [];
      const draws = drawsFrom(hot, drawn);
      for (const { scope, from, to } of draft.merges)
        draft.writes.push(write(hot.moveMerged, { ...scopeOf(scope), person: from, newPerson: to }));
      for (const { item, person } of freshEntries(draft)) {
        if (item.kind === 'changed') continue;
        const isMember = (audienceId: string): boolean => draft.isMember(item.scope, person, audienceId);
        const workflows: Startable[] = [];
        for (const { starts, units } of startedBy(item.scope, item, isMember)) {
          const rest = spend(units + (starts === null ? 0 : START_UNITS), item.scope.orgId);
          if (rest !== undefined) await rest;
          if (starts !== null) workflows.push(starts);
        }
        if (workflows.length === 0) continue;
        draft.extraWeight +=
          workflows.length * (RUN_WEIGHT + JSON.stringify(item.properties).length / BYTES_PER_WEIGHT);
        if (item.depth >= MAX_DEPTH) {
          for (const workflow of workflows)
            stopped.push(stop(draft, emission, { workflow, item, person, runBudget: NO_SHARE }, TOO_DEEP));
          continue;
        }
        const budget = draft.budgets.get(item.id) ?? item.budget ?? EXTERNAL_BUDGET;
        for (const [at, runBudget] of draws.grant(item.scope, budget, workflows.length).entries()) {
          const workflow = workflows[at];
          if (!workflow) continue;
          if (runBudget === null) {
            const noShare = { runBudget: 0, budgetRunId: budget.budgetRunId };
            stopped.push(stop(draft, emission, { workflow, item, person, runBudget: noShare }, FAN_OUT));
            continue;
          }
          const start = { workflow, item, person, runBudget };
          const isNow = workflow.firstDelayMinutes === 0 && handedOver.length < capacity;
          const run = isNow ? startLeased(draft, start) : null;
          if (run) handedOver.push(run);
          const row = run ?? startQueued(draft, start);
          started.push({ ...scopeOf(item.scope), id: row.id, workflowId: workflow.id, triggerEventId: item.id });
          publish(draft, emission, start, row);
        }
      }
      draft.writes.push(...draws.writes());
      if (handedOver.length > 0) draft.hooks.push({ items: [], afterCommit: () => handoff?.take(handedOver) });
      if (!hasHooks || log === undefined || started.length + stopped.length === 0) return;
      draft.hooks.push({
        items: [],
        afterCommit: () => {
          log.started(started);
          log.failed(stopped);
        },
      });
    },
  };
};

const scopesOf = (items: readonly Item[]): readonly Scope[] => [
  ...new Map(items.map(({ scope }) => [scopeKey(scope), scope])).values(),
];
