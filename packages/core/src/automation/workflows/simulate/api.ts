import type { z } from 'zod';
import type { Channel, SendClass } from '../../../foundation/channel.ts';
import type { Frozen } from '../../../foundation/frozen.ts';
import type { DryRunMessage } from '../../../messaging/sends/api.ts';
import type { Mismatch } from '../../../people/events/api.ts';
import type { ExitReason, RunOutcome, RunStatus, StepOutcome } from '../../runs/schema.ts';
import type { STEP_TYPES } from '../../runs/steps/catalog.ts';
import type { ImportWarning } from '../../runs/steps/import-warnings.ts';
import type { simulateBody } from './schema.ts';

/** An event and a person, and what the world answers a workflow that is simulated. */
export interface SimulateInput extends Frozen<z.input<typeof simulateBody>> {}

/** What a step would send. */
export type SimulatedSend = {
  readonly channel: Channel;
  readonly class: SendClass;
  readonly category: string | null;
  readonly abTestId: string | null;
  /** The key of the variant whose bucket the person is in; null: no running test, or, without a database, none is known. */
  readonly variant: string | null;
  readonly messages: readonly DryRunMessage[];
};

export type SimulatedStep = {
  readonly path: string;
  readonly type: (typeof STEP_TYPES)[number];
  readonly name: string | null;
  readonly attempt: number;
  /** When it would begin; of a step that waits, when it would begin to. */
  readonly startedAt: Date;
  readonly finishedAt: Date;
  readonly outcome: StepOutcome;
  readonly reason: string | null;
  readonly output: Readonly<Record<string, unknown>> | null;
  readonly httpStatus: number | null;
  /** It was not run: its answer was given, or assumed as that of a service that nobody asked. */
  readonly isStandIn: boolean;
  readonly send: SimulatedSend | null;
  /** Traits that it would change, with their new values; null: unset. */
  readonly changes: Readonly<Record<string, unknown>>;
};

/** A run that did not take place. */
export type Simulation = {
  readonly workflow: { readonly name: string; readonly version: number | null };
  /**
   * `started`; `event`: it listens to another name; `filter`: the event does not fit (`filters`); `audience`: the person is
   * not in it (`audienceId`). `inactive`: it is disabled, and what follows is what it would do.
   */
  readonly verdict: 'started' | 'inactive' | 'event' | 'filter' | 'audience';
  readonly filters?: readonly Mismatch[];
  readonly audienceId?: string;
  /** Null where no run would start. */
  readonly run: {
    readonly status: RunStatus;
    readonly outcome: RunOutcome | null;
    readonly exitReason: ExitReason | null;
    readonly error: string | null;
    readonly startedAt: Date;
    readonly completedAt: Date | null;
    /** What steps saved. */
    readonly context: Readonly<Record<string, unknown>>;
    /** The person's traits at the end. */
    readonly traits: Readonly<Record<string, unknown>>;
  } | null;
  readonly steps: readonly SimulatedStep[];
  /** What saving the workflow would point out in its texts and fields. */
  readonly warnings: readonly ImportWarning[];
};
