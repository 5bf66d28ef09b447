import { bulkInsert, bulkSelect, bulkUpdate } from '../../database/statements/bulk.ts';
import { LEASE_MS } from '../../jobs/registration.ts';
import { sendHasStatus } from '../../messaging/sends/finalize/send-has-status.ts';
import type { SendStatus } from '../../messaging/sends/schema.ts';
import type { Platform } from '../../platform/platform.ts';
import type { RunTables } from './tables.ts';

const SCOPE = ['scopeId'] as const;

/**
 * Maximum failed runs stored per share to show that it is used up. Chosen: as many as workflows that one event may
 * start. Without a limit, events without budget would write rows endlessly.
 */
export const MAX_REFUSED = 100;

/** A run is unique per workflow, event and profile. */
const UNIQUE_KEY = [...SCOPE, 'workflowId', 'triggerEventId', 'person'] as const;
const STARTED = [
  ...UNIQUE_KEY,
  'id',
  'workflowVersion',
  'workflowName',
  'triggerEvent',
  'status',
  'depth',
  'runBudget',
  'budgetRunId',
  'cursor',
  'attempt',
  'startedAt',
  'context',
  'fence',
] as const;

/** Identifies a run with its position and profile. */
const POSITION = [...SCOPE, 'id', 'cursor', 'attempt', 'person'] as const;

const RUN_COLUMNS = [
  ...POSITION,
  'workflowId',
  'workflowVersion',
  'workflowName',
  'triggerEventId',
  'triggerEvent',
  'status',
  'outcome',
  'depth',
  'runBudget',
  'budgetRunId',
  'exitReason',
  'startedAt',
  'completedAt',
  'error',
  'context',
  'dueAt',
  'waitingSince',
  'wokenBy',
  'awaitsEvent',
  'awaitsFilters',
  'leaseUntil',
  'fence',
] as const;

/** Updates a step after its send ended with one of these statuses. */
const stepEnded = (runSteps: RunTables['runSteps'], id: string, statuses: readonly SendStatus[]) =>
  bulkUpdate(id, runSteps, {
    where: [...SCOPE, 'runId', 'path', 'sendId'],
    set: { outcome: 'value', reason: 'value' },
    when: (column) => `${column('outcome')} = 'ok' and ${sendHasStatus(column, 'send_id', statuses)}`,
  });

/** Statements of runs: start in ingest, steps in the worker. */
export const runStatements = ({ runs, runSteps, runBudgets }: RunTables) => ({
  start: bulkInsert('runs.start', runs, [...STARTED, 'dueAt'], { conflict: { target: UNIQUE_KEY } }),
  /** A run that the writing process steps at once: see jobs/local-handoff.ts. */
  startLeased: bulkInsert('runs.adopt', runs, STARTED, { conflict: { target: UNIQUE_KEY }, leasedMs: LEASE_MS }),
  /** A run that ends at its start. */
  stop: bulkInsert('runs.stop', runs, [...STARTED, 'outcome', 'error', 'completedAt'], {
    conflict: { target: UNIQUE_KEY },
  }),
  /** Moves waiting runs of an anonymous profile to the user it was merged into. */
  moveMerged: bulkUpdate('runs.follow', runs, {
    where: [...SCOPE, 'person'],
    set: { person: 'value' },
    when: (column) => `${column('due_at')} is not null`,
  }),
  /** Runs of these profiles that wait for an event of that name. */
  awaiting: bulkSelect(
    'runs.awaiting',
    runs,
    [...SCOPE, 'person', 'awaitsEvent'],
    [...SCOPE, 'id', 'person', 'cursor', 'awaitsEvent', 'awaitsFilters', 'waitingSince', 'dueAt'],
  ),
  /**
   * Makes a run due when its event arrived. Compares the wait that was read, so a wait that ended or already has its
   * event is unchanged. A leased run has timed out and is unchanged too.
   */
  wake: bulkUpdate('runs.wake', runs, {
    where: [...SCOPE, 'id', 'cursor', 'waitingSince'],
    set: { dueAt: 'value', wokenBy: 'value', awaitsEvent: 'null', awaitsFilters: 'null' },
    when: (column) => `${column('awaits_event')} is not null and ${column('lease_until')} is null`,
    isOrdered: true,
  }),
  /**
   * Guarded by the fence, and by the profile: a run that was merged meanwhile is stepped again for the user. Guarded by
   * the lease, which it ends: a step whose commit succeeded without an answer is not written twice.
   */
  advance: bulkUpdate('runs.advance', runs, {
    where: [...SCOPE, 'id', 'fence', 'person'],
    set: {
      status: 'value',
      outcome: 'value',
      exitReason: 'value',
      cursor: 'value',
      attempt: 'value',
      completedAt: 'value',
      error: 'value',
      dueAt: 'value',
      waitingSince: 'value',
      wokenBy: 'value',
      awaitsEvent: 'value',
      awaitsFilters: 'value',
      context: 'value',
      leaseUntil: 'null',
    },
    when: (column) => `${column('lease_until')} is not null`,
    isGuarded: true,
  }),
  /** Guarded by the position that was read. The new fence invalidates the lease of a worker. */
  cancel: bulkUpdate('runs.cancel', runs, {
    where: [...POSITION],
    set: {
      status: 'value',
      completedAt: 'value',
      dueAt: 'null',
      waitingSince: 'null',
      wokenBy: 'null',
      awaitsEvent: 'null',
      awaitsFilters: 'null',
      leaseUntil: 'null',
      fence: 'increment',
    },
    when: (column) => `${column('due_at')} is not null`,
    isGuarded: true,
  }),
  /** Makes an ended run due again at its step. */
  retry: bulkUpdate('runs.retry', runs, {
    where: [...POSITION, 'status'],
    set: {
      status: 'value',
      outcome: 'value',
      exitReason: 'null',
      attempt: 'value',
      completedAt: 'null',
      error: 'null',
      person: 'value',
      dueAt: 'value',
      fence: 'increment',
    },
    when: (column) => `${column('due_at')} is null`,
    isGuarded: true,
  }),
  /**
   * Makes a waiting run due with an external result. Unchanged if the run ended, is at another step or already has a
   * result.
   */
  resume: bulkUpdate('runs.tell', runs, {
    where: [...SCOPE, 'id', 'cursor', 'attempt'],
    set: { dueAt: 'value', wokenBy: 'value' },
    when: (column) =>
      `${column('due_at')} is not null and ${column('waiting_since')} is not null and ${column('woken_by')} is null`,
    isOrdered: true,
  }),
  recordStep: bulkInsert('runs.record_step', runSteps, [
    ...SCOPE,
    'runId',
    'path',
    'attempt',
    'type',
    'outcome',
    'reason',
    'startedAt',
    'finishedAt',
    'sendId',
    'httpStatus',
    'output',
    'usage',
  ]),
  stepSuppressed: stepEnded(runSteps, 'runs.step_suppressed', ['suppressed', 'cancelled']),
  stepFailed: stepEnded(runSteps, 'runs.step_failed', ['failed']),
  /** Complete rows. */
  ofIds: bulkSelect('runs.of_ids', runs, [...SCOPE, 'id'], RUN_COLUMNS),
  /** Columns that events of runs inherit. */
  causes: bulkSelect('runs.causes', runs, [...SCOPE, 'id'], [...SCOPE, 'id', 'depth', 'runBudget', 'budgetRunId']),
  drawn: bulkSelect('runs.drawn', runBudgets, [...SCOPE, 'runId'], [...SCOPE, 'runId', 'used', 'refused']),
  /**
   * Guarded: a share is never exceeded. The insert of a first row is not compared, so the plan must respect the share.
   */
  draw: bulkInsert('runs.draw', runBudgets, [...SCOPE, 'runId', 'used', 'refused', 'maxRuns'], {
    conflict: {
      target: [...SCOPE, 'runId'],
      add: ['used', 'refused'],
      when: (column) =>
        `${column('used')} + excluded."used" <= excluded."max_runs" and ${column('refused')} + excluded."refused" <= ${MAX_REFUSED}`,
    },
    isGuarded: true,
    isOrdered: true,
  }),
  stepsOf: bulkSelect(
    'runs.steps_of',
    runSteps,
    [...SCOPE, 'runId'],
    [...SCOPE, 'runId', 'path', 'type', 'outcome', 'reason', 'startedAt'],
  ),
});

export type RunStatements = ReturnType<typeof runStatements>;

/** The platform and the statements of runs. Commits group rows by statement object, so all parts share one set. */
export type RunsContext = Platform<RunTables> & { readonly statements: RunStatements };
