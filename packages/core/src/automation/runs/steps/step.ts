import { z } from 'zod';
import type { Channel } from '../../../foundation/channel.ts';
import type { InScope } from '../../../foundation/scope.ts';
import type { RequestedTracking } from '../../../messaging/email/tracking.ts';
import type { MessageChange } from '../../../messaging/sends/finalize/change.ts';
import type { SendRequest } from '../../../messaging/sends/schema.ts';
import type { UsedTemplate } from '../../../messaging/templates/use.ts';
import type { Known } from '../../../people/audiences/known.ts';
import type { Condition } from '../../../people/audiences/predicate/types.ts';
import type { ProfileView } from '../../../people/profiles/view.ts';
import type { Gate } from '../../../platform/plans/plan.ts';
import type { StepUsage } from '../../ai/answers.generated.ts';
import type { ImportWarning } from '../answers.generated.ts';
import type { Arm, StoredStep } from '../cursor.ts';
import type { ExitReason, StepOutcome } from '../schema.ts';
import type { RenderedGroup } from './rendered.ts';

/** The run that a step belongs to, as far as steps may see it. */
export type StepRun = {
  readonly id: string;
  readonly scope: InScope;
  readonly person: string;
  readonly depth: number;
  readonly runBudget: number;
  readonly budgetRunId: string | null;
  readonly workflowId: string;
  readonly triggerEvent: Readonly<Record<string, unknown>>;
  /** From 1; of this step. */
  readonly attempt: number;
  /** What earlier steps saved, by their `saveAs`. */
  readonly saved: Readonly<Record<string, unknown>>;
  /** When this step said `waitUntil`; null: it has not. */
  readonly waitingSince: Date | null;
  /** What made a waiting step due before its time; null: its time came. */
  readonly wokenBy: Readonly<Record<string, unknown>> | null;
};

/** What a step may name that is of a plan. Source: contract, Plan gates. */
export type NamedGate = Extract<Gate, 'templates' | 'abTests'>;

/** What a step may use while it runs. */
export type RunContext = {
  readonly run: StepRun;
  readonly path: string;
  readonly now: Date;
  /** Aborted when the worker has to stop; the step is then run again under another lease. */
  readonly signal: AbortSignal;
  /** The person as they are now; one statement for all steps of a batch that ask. Undefined: there is no profile. */
  profile(): Promise<ProfileView | undefined>;
  /** The stored template of that channel as it is now, one statement for each that steps of a batch name; null: there is none. */
  template(channel: Channel, id: string): Promise<UsedTemplate | null>;
  /** Every text of the variants of an A/B test of that channel. Absent: there are no tests. */
  variantTexts?(channel: Channel, abTestId: string): Promise<readonly string[]>;
  /** Whether the org's plan has what a step names, as it is now. Absent: every plan has all of it. */
  mayUse?(gate: NamedGate): Promise<boolean>;
  /** The time zone that the project's settings name; null: none. */
  orgTimezone(): Promise<string | null>;
  /** Tracking of emails whose step leaves it out, by the project's settings. Absent: none. */
  mailTracking?(): Promise<RequestedTracking>;
  /** What a condition asks of the person besides their profile and the run. Absent: nothing of it is known. */
  known?(asked: Condition): Promise<Known>;
};

/** A send as a step asks for it. */
export type StepSend = Omit<SendRequest, 'source' | 'workflowRunId' | 'stepPath' | 'depth' | 'budget'>;

/** What a step's plan may look at. Nothing here touches the database. */
export type PlanContext = Pick<RunContext, 'run' | 'path'> & {
  readonly now: Date;
  /** As the steps before it in the same plan left it; undefined: the person has no profile. */
  readonly profile: ProfileView | undefined;
  /** Where this service's own links lead; null: the operator has not said. */
  readonly publicUrl: string | null;
  /** Sends in the run's own transaction, so that a crash can neither lose nor repeat it. For types that say `sends`. */
  send(asked: StepSend): StepDone;
  /** What a step that asks a model writes as it begins to wait for the answer; null: in the sandbox none is asked. */
  askModel(): Pick<StepWait, 'writes' | 'wakes'> | null;
  /** What a step that posts writes as it begins to wait for the answer; null: in the sandbox nothing is posted. */
  post(asked: StepPost): Pick<StepWait, 'writes' | 'wakes'> | null;
};

/** What a step posts. */
export type StepPost = {
  readonly url: string;
  /** Texts, and between them the names of secrets: what these hold is read when it is posted. */
  readonly headers: Readonly<Record<string, readonly (string | { readonly secret: string })[]>>;
  /** JSON; null: the event that started the run. */
  readonly body: unknown;
  /** Milliseconds of one attempt. */
  readonly limitMs: number;
  readonly isSigned: boolean;
};

/** A write of a send's plan, which steps pass on as it is: of its statement the published types know nothing. */
export type PlannedWrite = { readonly row: Readonly<Record<string, unknown>>; readonly tag: string };

/** What one step did, and what is to be written with it. */
export type StepDone = {
  readonly outcome: StepOutcome;
  readonly reason?: string;
  readonly sendId?: string;
  readonly httpStatus?: number;
  /** What it took of a model; kept on the step's row. */
  readonly usage?: StepUsage;
  /** Kept on the step's row, and for later steps under the config's `saveAs`. JSON values. */
  readonly output?: Readonly<Record<string, unknown>>;
  /** The person's traits from now on; absent: unchanged. */
  readonly left?: Pick<ProfileView, 'traits' | 'isTruncated'>;
  /** Into an arm of this step, or out of the run with this `exitReason`; absent: to the step behind it. */
  readonly goesTo?: { readonly arm: string } | { readonly exit: ExitReason };
  readonly writes?: readonly PlannedWrite[];
  /** Of messages that ended as they were made. */
  readonly changes?: readonly MessageChange[];
  readonly wakes?: readonly string[];
};

/** An event that a step waits for: its literal name, and properties as the filters of a trigger compare them. */
export type Awaited = { readonly eventType: string; readonly filters?: Readonly<Record<string, string>> | undefined };

/** A step that is not over: it is run again at that time, or when it is woken, with `waitingSince` set. */
export type StepWait = {
  readonly waitUntil: Date;
  /** Wakes it before that time: an event of the run's person, from the moment on at which this is on disk. */
  readonly awaits?: Awaited | undefined;
  /** Written as it begins to wait. */
  readonly writes?: readonly PlannedWrite[];
  readonly wakes?: readonly string[];
};

/** A step that could not be done and is tried again at that time, as its next attempt. */
export type StepRetry = { readonly retryAt: Date };

export type StepResult = StepDone | StepWait | StepRetry;

/** Pure: asked again, with newer facts, where the person changed between reading and writing. */
export type StepPlan = ((context: PlanContext) => StepResult) & {
  /** Of a plan that may be long work: does it in slices before the plan is asked with the same context. */
  readonly prepare?: (context: PlanContext) => Promise<void>;
};

/** Something that an import points out without refusing it; `path` is within the step's config. */
export type Finding = Pick<ImportWarning, 'path' | 'code' | 'message'>;

/** Names under which steps save, whatever they save. */
export type SavedNames = { has(name: string): boolean };

/** The schema of a list of steps, for types with arms. */
export type NestedSteps = z.ZodType<readonly StoredStep[], readonly StoredStep[]>;

/** One step type. Written as methods, so that types with different configs fit into one list: see `defineStep`. */
export type StepDefinition<Type extends string = string, Config extends z.ZodObject = z.ZodObject> = {
  readonly type: Type;
  config(nested: NestedSteps): Config;
  /** The channel that it sends on: what its sends need is read before it is planned. */
  readonly sends?: Channel | undefined;
  /** Its row of the table of rendered fields; absent: no field is a template. */
  readonly renders?: readonly RenderedGroup[] | undefined;
  /**
   * What an import warns of besides placeholders; what it refuses beyond types is a refinement of the schema.
   *
   * @param saved names under which steps before this one may have saved something
   */
  check?(config: z.output<Config>, saved: SavedNames): Iterable<Finding>;
  /** The name of the event that it may wait for: what nobody waits for is not looked up as it comes. */
  awaits?(config: z.output<Config>): string | undefined;
  /** The lists of steps within; their keys hold no dots. */
  arms?(config: z.output<Config>): readonly Arm[];
  /**
   * Does what may be done once only, or takes time: once per lease, outside any transaction. What it answers is pure.
   * The step before it may not be on disk yet, unless it changed the person. A throw is a defect and fails the run.
   */
  run(config: z.output<Config>, context: RunContext): StepPlan | Promise<StepPlan>;
};

/**
 * Declares a step type. Its functions are only ever given configs that its own schema let in, which is why a list of
 * all types may call them without naming the type.
 *
 * @param definition `config` is the schema, or, for a type with arms, makes it of the schema of nested steps
 */
export const defineStep = <Type extends string, Config extends z.ZodObject>({
  config,
  ...rest
}: Omit<StepDefinition<Type, Config>, 'config'> & {
  readonly config: Config | ((nested: NestedSteps) => Config);
}): StepDefinition<Type, Config> => ({
  ...rest,
  config: (nested) => (config instanceof z.ZodObject ? config : config(nested)),
});
