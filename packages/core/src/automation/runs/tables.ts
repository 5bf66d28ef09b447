import { sql } from 'drizzle-orm';
import type { Columns } from '../../database/columns.ts';
import type { StepUsage } from '../ai/answers.generated.ts';
import type { ExitReason, RunOutcome, RunStatus, StepOutcome } from './schema.ts';
import type { Step } from './steps/list.ts';

/** Runs of workflows, their steps and budgets. */
export const runTables = (c: Columns) => ({
  runs: c.table(
    'runs',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      workflowId: c.id('workflow_id').notNull(),
      workflowVersion: c.int('workflow_version').notNull(),
      workflowName: c.text('workflow_name').notNull(),
      person: c.text('person').notNull(),
      triggerEventId: c.id('trigger_event_id').notNull(),
      triggerEvent: c.json<Record<string, unknown>>('trigger_event').notNull(),
      status: c.text('status').$type<RunStatus>().notNull(),
      outcome: c.text('outcome').$type<RunOutcome>(),
      depth: c.int('depth').notNull(),
      /** How many runs may follow from this one, directly or not (events/run-budget.ts). */
      runBudget: c.int('run_budget').notNull(),
      /** The run whose budget this one belongs to; null: it has a budget of its own. */
      budgetRunId: c.id('budget_run_id'),
      exitReason: c.text('exit_reason').$type<ExitReason>(),
      /** Path of the step that is next, such as `3.else.0`. */
      cursor: c.text('cursor').notNull(),
      attempt: c.int('attempt').notNull(),
      startedAt: c.time('started_at').notNull(),
      completedAt: c.time('completed_at'),
      error: c.text('error'),
      /** Outputs of steps by their `saveAs`. */
      context: c.json<Record<string, unknown>>('context').notNull(),
      /** `next_step_at` on the wire: when the next step is due; null once the run is over. */
      dueAt: c.time('due_at'),
      /** Set while a step waits: when it began to. */
      waitingSince: c.time('waiting_since'),
      /** Why a waiting step was resumed before its time. */
      wokenBy: c.json<Record<string, unknown>>('woken_by'),
      /** Event that a step waits for: name, and required property values. */
      awaitsEvent: c.text('awaits_event'),
      awaitsFilters: c.json<Record<string, string>>('awaits_filters'),
      leaseUntil: c.time('lease_until'),
      fence: c.int('fence').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.id] }),
      c.unique('runs_trigger').on(t.scopeId, t.workflowId, t.triggerEventId, t.person),
      c.index('runs_person').on(t.scopeId, t.person, t.id),
      c.index('runs_awaiting').on(t.scopeId, t.person, t.awaitsEvent).where(sql`awaits_event is not null`),
      c.index('runs_due').on(t.dueAt, t.id).where(sql`due_at is not null`),
    ],
  ),
  /** Use of a run's budget. No row: nothing was used. */
  runBudgets: c.table(
    'run_budgets',
    {
      scopeId: c.scope('scope_id').notNull(),
      runId: c.id('run_id').notNull(),
      /** Runs that were started. */
      used: c.int('used').notNull(),
      /** Runs that failed because the budget was used up. */
      refused: c.int('refused').notNull(),
      /** The budget. */
      maxRuns: c.int('max_runs').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.runId] })],
  ),
  runSteps: c.table(
    'run_steps',
    {
      scopeId: c.scope('scope_id').notNull(),
      runId: c.id('run_id').notNull(),
      path: c.text('path').notNull(),
      attempt: c.int('attempt').notNull(),
      type: c.text('type').$type<Step['type']>().notNull(),
      outcome: c.text('outcome').$type<StepOutcome>().notNull(),
      reason: c.text('reason'),
      startedAt: c.time('started_at').notNull(),
      finishedAt: c.time('finished_at').notNull(),
      sendId: c.id('send_id'),
      httpStatus: c.int('http_status'),
      output: c.json<Record<string, unknown>>('output'),
      usage: c.json<StepUsage>('usage'),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.runId, t.path, t.attempt] })],
  ),
});

export type RunTables = ReturnType<typeof runTables>;
