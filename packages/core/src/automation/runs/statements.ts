import { bulkInsert, bulkSelect, bulkUpdate } from '../../database/statements/bulk.ts';
import { LEASE_MS } from '../../jobs/registration.ts';
import { sendStandsAs } from '../../messaging/sends/finalize/send-stands-as.ts';
import type { SendStatus } from '../../messaging/sends/schema.ts';
import type { Platform } from '../../platform/platform.ts';
import type { RunTables } from './tables.ts';

const SCOPE = ['scopeId'] as const;

/**
 * Failed runs of one share that are written to tell that nothing is left of it; chosen: as many as one event may start.
 * Without a bound an event that is out of runs would still write rows without end.
 */
export const MAX_REFUSED = 100;

/** A run starts once per workflow, event and person. */
const ONCE = [...SCOPE, 'workflowId', 'triggerEventId', 'person'] as const;
const STARTED = [
  ...ONCE,
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

/** The run, where it stands and whose it is. */
const STANDS = [...SCOPE, 'id', 'cursor', 'attempt', 'person'] as const;

const RUN_COLUMNS = [
  ...STANDS,
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

/** What a step shows once its send stands so. */
const stepEnded = (runSteps: RunTables['runSteps'], id: string, statuses: readonly SendStatus[]) =>
  bulkUpdate(id, runSteps, {
    where: [...SCOPE, 'runId', 'path', 'sendId'],
    set: { outcome: 'value', reason: 'value' },
    when: (column) => `${column('outcome')} = 'ok' and ${sendStandsAs(column, 'send_id', statuses)}`,
  });

/** The statements of runs: their start inside ingest, their steps inside the worker. */
export const runStatements = ({ runs, runSteps, runBudgets }: RunTables) => ({
  start: bulkInsert('runs.start', runs, [...STARTED, 'dueAt'], { conflict: { target: ONCE } }),
  /** A run that the process which writes it steps at once: see jobs/local-handoff.ts. */
  adopt: bulkInsert('runs.adopt', runs, STARTED, { conflict: { target: ONCE }, leasedMs: LEASE_MS }),
  /** A run that ends as it starts. */
  stop: bulkInsert('runs.stop', runs, [...STARTED, 'outcome', 'error', 'completedAt'], { conflict: { target: ONCE } }),
  /** Waiting runs of somebody anonymous follow the user that they turned out to be. */
  follow: bulkUpdate('runs.follow', runs, {
    where: [...SCOPE, 'person'],
    set: { person: 'value' },
    when: (column) => `${column('due_at')} is not null`,
  }),
  /** Runs that wait for an event of that name, of these people. */
  awaiting: bulkSelect(
    'runs.awaiting',
    runs,
    [...SCOPE, 'person', 'awaitsEvent'],
    [...SCOPE, 'id', 'person', 'cursor', 'awaitsEvent', 'awaitsFilters', 'waitingSince', 'dueAt'],
  ),
  /**
   * What a run waits for has come: it is due at once. The wait that was read is compared, so that one which is over, or
   * has its event, is left alone; one that a worker has leased has timed out, and nothing is done to it.
   */
  wake: bulkUpdate('runs.wake', runs, {
    where: [...SCOPE, 'id', 'cursor', 'waitingSince'],
    set: { dueAt: 'value', wokenBy: 'value', awaitsEvent: 'null', awaitsFilters: 'null' },
    when: (column) => `${column('awaits_event')} is not null and ${column('lease_until')} is null`,
    isOrdered: true,
  }),
  /**
   * Guarded by the fence, and by the person: a run that was merged meanwhile is stepped again as the user. Guarded by
   * the lease, which this ends: a step whose commit took place and was not answered is not taken a second time.
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
  /** Guarded by where the run stood when it was read; a worker that has it in hand is shut out by the fence. */
  cancel: bulkUpdate('runs.cancel', runs, {
    where: [...STANDS],
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
  /** A run that is over is due again, at the step that it stands at. */
  retry: bulkUpdate('runs.retry', runs, {
    where: [...STANDS, 'status'],
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
   * What a step waited for elsewhere has come: its run is due with it. One that is over, stands elsewhere or has been told
   * is left alone.
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
  /** Whole rows, of what is done for them elsewhere. */
  ofIds: bulkSelect('runs.of_ids', runs, [...SCOPE, 'id'], RUN_COLUMNS),
  /** What their events inherit. */
  causes: bulkSelect('runs.causes', runs, [...SCOPE, 'id'], [...SCOPE, 'id', 'depth', 'runBudget', 'budgetRunId']),
  drawn: bulkSelect('runs.drawn', runBudgets, [...SCOPE, 'runId'], [...SCOPE, 'runId', 'used', 'refused']),
  /** Guarded: a share is never exceeded. A first row is not compared, so its plan has to be. */
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

/** The platform and the statements of runs. A commit groups rows by statement object, so all share one set. */
export type RunsContext = Platform<RunTables> & { readonly statements: RunStatements };
