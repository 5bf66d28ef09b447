// Made of the schemas in answers.ts by `npm run openapi`.

import type { ImportWarning } from '../../runs/answers.generated.ts';
import type { DryRunMessage } from '../../../messaging/sends/answers.generated.ts';
import type { FilterMismatch } from '../../../people/events/answers.generated.ts';

/** What a step would send. */
export interface SimulatedSend {
  /** Channel. */
  readonly channel: 'push' | 'email' | 'sms';
  /** Class of the send. */
  readonly class: 'marketing' | 'transactional';
  /** Subscription category; null if there is none. */
  readonly category: string | null;
  /** A/B test of the step; null if there is none. */
  readonly abTestId: string | null;
  /** Variant of the user; null without a running test, and without a database. */
  readonly variant: string | null;
  /** Messages that would be sent. */
  readonly messages: readonly DryRunMessage[];
}

/** A step of a simulated run. */
export interface SimulatedStep {
  /** Path of the step in the workflow. */
  readonly path: string;
  /** Type of the step. */
  readonly type: 'send_email' | 'send_push' | 'send_sms' | 'update_profile' | 'webhook' | 'branch' | 'wait' | 'ai_action';
  /** Name of the step; null if it has none. */
  readonly name: string | null;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** When the step would start. */
  readonly startedAt: Date;
  /** When the step would end. */
  readonly finishedAt: Date;
  /** Result of the step. */
  readonly outcome: 'ok' | 'skipped' | 'suppressed' | 'error' | 'ai_unavailable' | 'timed_out' | 'cancelled';
  /** Why the step would not succeed; null if it would. */
  readonly reason: string | null;
  /** Output of the step; null without output. */
  readonly output: Readonly<Record<string, unknown>> | null;
  /** HTTP status of the called service; null if none is called. */
  readonly httpStatus: number | null;
  /** Whether the result is mocked: taken from the request, or assumed because no service was called. */
  readonly isMocked: boolean;
  /** What the step would send; null if nothing. */
  readonly send: SimulatedSend | null;
  /** Traits that the step would change; a null unsets a trait. */
  readonly changes: Readonly<Record<string, unknown>>;
}

/** What a workflow would do for an event; nothing is written or sent. */
export interface Simulation {
  /** The simulated workflow. */
  readonly workflow: {
    /** Name of the workflow. */
    readonly name: string;
    /** Version of the workflow; null if it is not stored. */
    readonly version: number | null;
  };
  /**
   * `event`: the trigger has another name; `filter`: a filter does not match; `audience`: the user is not a member;
   * `inactive`: disabled, the steps show what it would do.
   */
  readonly verdict: 'started' | 'inactive' | 'event' | 'filter' | 'audience';
  /** Filters that do not match; only for `filter`. */
  readonly filters?: readonly FilterMismatch[] | undefined;
  /** Audience without the user; only for `audience`. */
  readonly audienceId?: string | undefined;
  /** The simulated run; null if none would start. */
  readonly run: {
    /** Status at the end. */
    readonly status: 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled';
    /** Result; null if the run did not end. */
    readonly outcome: 'ok' | 'partial' | 'error' | null;
    /** Why the run ended before its last step; null if it did not. */
    readonly exitReason: 'on_error_stop' | 'branch_exit' | 'wait_timed_out' | null;
    /** What failed, in one sentence; null if nothing did. */
    readonly error: string | null;
    /** When the run would start. */
    readonly startedAt: Date;
    /** When the run would end; null if it does not end. */
    readonly completedAt: Date | null;
    /** Outputs of steps by `saveAs`. */
    readonly context: Readonly<Record<string, unknown>>;
    /** Traits of the user at the end. */
    readonly traits: Readonly<Record<string, unknown>>;
  } | null;
  /** Steps, in the order of their execution. */
  readonly steps: readonly SimulatedStep[];
  /** Problems of the workflow that do not prevent saving it. */
  readonly warnings: readonly ImportWarning[];
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly SimulatedSend: SimulatedSend;
  readonly SimulatedStep: SimulatedStep;
  readonly Simulation: Simulation;
}
