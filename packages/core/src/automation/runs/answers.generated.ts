// Made of the schemas in answers.ts by `npm run openapi`.

import type { StepUsage } from '../ai/answers.generated.ts';

/** A problem of a workflow that does not prevent saving it. */
export interface ImportWarning {
  /** Name of the workflow. */
  readonly name: string;
  /** Field of the warning, such as `steps.0.config.subject`. */
  readonly path: string;
  /** Stable code of the warning. */
  readonly code: 'unknown_audience' | 'unknown_template' | 'unknown_ab_test' | 'hidden_variants' | 'unknown_variable' | 'unclosed_tag' | 'empty_path' | 'unknown_filter' | 'only_in_workflows' | 'stray_brace' | 'foreign_tag' | 'not_rendered' | 'no_provider' | 'no_model' | 'missing_secret' | 'no_subject' | 'no_person';
  /** The warning, in one sentence. */
  readonly message: string;
}

/** The event that started a run, as the run stores it. */
export interface TriggerEvent {
  /** Id of the event. */
  readonly id: string;
  /** Name of the event. */
  readonly eventType: string;
  /** Part of the application that sent the event. */
  readonly module: string;
  /** Properties of the event. */
  readonly properties: Readonly<Record<string, unknown>>;
  /** When the event happened (ISO 8601). */
  readonly timestamp: string;
  /** User of the event; null if only the anonymous id is known. */
  readonly userId: string | null;
  /** Anonymous id of the visitor; null if there is none. */
  readonly anonymousId: string | null;
}

/** One execution of a workflow for one user and one event. */
export interface Run {
  /** Id of the run. */
  readonly id: string;
  /** Organization of the run. */
  readonly orgId: string;
  /** Project of the run. */
  readonly projectId: string;
  /** Environment of the run. */
  readonly environment: 'prod' | 'test';
  /** Id of the workflow. */
  readonly workflowId: string;
  /** Name of the workflow. */
  readonly workflowName: string;
  /** Version of the workflow that the run executes. */
  readonly workflowVersion: number;
  /** User of the run; null if only the anonymous id is known. */
  readonly userId: string | null;
  /** Anonymous id of the visitor; null if there is none. */
  readonly anonymousId: string | null;
  /** Event that started the run. */
  readonly triggerEventId: string;
  /** Copy of the event that started the run. */
  readonly triggerEvent: TriggerEvent;
  /** Status of the run. */
  readonly status: 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled';
  /** Result; `partial`: some steps failed. Null until the run ends or a step fails. */
  readonly outcome: 'ok' | 'partial' | 'error' | null;
  /** Runs that caused this one, one after the other; 0 for an event from outside. */
  readonly depth: number;
  /** Why the run ended before its last step; null if it did not. */
  readonly exitReason: 'on_error_stop' | 'branch_exit' | 'wait_timed_out' | null;
  /** Path of the next step. */
  readonly cursor: string;
  /** When the next step is due; null if the run has ended. */
  readonly next_step_at: Date | null;
  /** Attempts at the next step so far. */
  readonly attempt: number;
  /** When the run started. */
  readonly startedAt: Date;
  /** When the run ended; null before that. */
  readonly completedAt: Date | null;
  /** What failed, in one sentence; null if nothing did. */
  readonly error: string | null;
  /** Outputs of steps by `saveAs`. */
  readonly context: Readonly<Record<string, unknown>>;
}

/** One attempt at a step of a run. */
export interface RunStep {
  /** Path of the step in the workflow. */
  readonly path: string;
  /** Type of the step. */
  readonly type: 'send_email' | 'send_push' | 'send_sms' | 'update_profile' | 'webhook' | 'branch' | 'wait' | 'ai_action';
  /** Result of the step. */
  readonly outcome: 'ok' | 'skipped' | 'suppressed' | 'error' | 'ai_unavailable' | 'timed_out' | 'cancelled';
  /** Why the step did not succeed, such as `invalid_address`; null if it did. */
  readonly reason: string | null;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** When the attempt started. */
  readonly startedAt: Date;
  /** When the attempt ended. */
  readonly finishedAt: Date;
  /** Send of the step; null if it sent nothing. */
  readonly sendId: string | null;
  /** HTTP status of the called service; null if none was called. */
  readonly httpStatus: number | null;
  /** Output of the step, which later steps read by `saveAs`; null without output. */
  readonly output: Readonly<Record<string, unknown>> | null;
  /** What an AI step used; null for other steps. */
  readonly usage: StepUsage | null;
}

/** A run with its executed steps. */
export interface RunWithSteps extends Run {
  /** Executed steps, in their order. */
  readonly steps: readonly RunStep[];
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly ImportWarning: ImportWarning;
  readonly TriggerEvent: TriggerEvent;
  readonly Run: Run;
  readonly RunStep: RunStep;
  readonly RunWithSteps: RunWithSteps;
}
