import { z } from 'zod';
import type { Channel } from '../../../foundation/channel.ts';
import type { InScope } from '../../../foundation/scope.ts';
import type { RequestedTracking } from '../../../messaging/email/tracking.ts';
import type { MessageChange } from '../../../messaging/sends/finalize/change.ts';
import type { SendRequest } from '../../../messaging/sends/schema.ts';
import type { UsedTemplate } from '../../../messaging/templates/use.ts';
import type { ConditionFacts } from '../../../people/audiences/condition-facts.ts';
import type { Condition } from '../../../people/audiences/predicate/types.ts';
import type { ProfileView } from '../../../people/profiles/view.ts';
import type { Gate } from '../../../platform/plans/plan.ts';
import type { StepUsage } from '../../ai/answers.generated.ts';
import type { ImportWarning } from '../answers.generated.ts';
import type { Arm, StoredStep } from '../cursor.ts';
import type { ExitReason, StepOutcome } from '../schema.ts';
import type { RenderedGroup } from './rendered.ts';

/** The run as its steps see it. */
export type StepRun = {
  readonly id: string;
  readonly scope: InScope;
  readonly person: string;
  readonly depth: number;
  readonly runBudget: number;
  readonly budgetRunId: string | null;
  readonly workflowId: string;
  readonly triggerEvent: Readonly<Record<string, unknown>>;
  /** Attempt of this step, from 1. */
  readonly attempt: number;
  /** Outputs of earlier steps, by `saveAs`. */
  readonly saved: Readonly<Record<string, unknown>>;
  /** When this step returned `waitUntil`; null: it has not. */
  readonly waitingSince: Date | null;
  /** What resumed a waiting step before its time; null: its time was reached. */
  readonly wokenBy: Readonly<Record<string, unknown>> | null;
};

/** Features that steps may use only if the plan includes them. Source: contract, Plan gates. */
export type NamedGate = Extract<Gate, 'templates' | 'abTests'>;

/** What a step may use while it runs. */
export type RunContext = {
  readonly run: StepRun;
  readonly path: string;
  readonly now: Date;
  /** Aborted when the worker must stop; the step then runs again under another lease. */
  readonly signal: AbortSignal;
  /** The current profile, loaded with one statement for all requesting steps of a batch. Undefined: no profile. */
  profile(): Promise<ProfileView | undefined>;
  /** The current template of a channel, loaded once per template and batch; null: not found. */
  template(channel: Channel, id: string): Promise<UsedTemplate | null>;
  /** All texts of an A/B test's variants. Absent: there are no tests. */
  variantTexts?(channel: Channel, abTestId: string): Promise<readonly string[]>;
  /** Whether the org's plan includes a feature now. Absent: plans include everything. */
  mayUse?(gate: NamedGate): Promise<boolean>;
  /** The project's time zone; null: none. */
  orgTimezone(): Promise<string | null>;
  /** Tracking of emails whose step leaves it out, by the project's settings. Absent: none. */
  mailTracking?(): Promise<RequestedTracking>;
  /** Facts of a condition besides the profile and the run. Absent: all unknown. */
  known?(asked: Condition): Promise<ConditionFacts>;
};

/** A send requested by a step. */
export type StepSend = Omit<SendRequest, 'source' | 'workflowRunId' | 'stepPath' | 'depth' | 'budget'>;

/** What a step's plan may read. Nothing here uses the database. */
export type PlanContext = Pick<RunContext, 'run' | 'path'> & {
  readonly now: Date;
  /** The profile after earlier steps of the same plan; undefined: no profile. */
  readonly profile: ProfileView | undefined;
  /** Base URL of this service's links; null: not configured. */
  readonly publicUrl: string | null;
  /** Sends within the run's transaction, so that a crash neither loses nor repeats it. For types with `sends`. */
  send(asked: StepSend): StepDone;
  /** Writes of a step that starts to wait for a model's answer; null in the sandbox, where no model is called. */
  askModel(): Pick<StepWait, 'writes' | 'wakes'> | null;
  /** Writes of a step that starts to wait for a response; null in the sandbox, where nothing is posted. */
  post(asked: StepPost): Pick<StepWait, 'writes' | 'wakes'> | null;
};

/** A request that a step posts. */
export type StepPost = {
  readonly url: string;
  /** Texts and names of secrets; the secrets are read when the request is posted. */
  readonly headers: Readonly<Record<string, readonly (string | { readonly secret: string })[]>>;
  /** JSON; null: the trigger event of the run. */
  readonly body: unknown;
  /** Timeout of one attempt, in milliseconds. */
  readonly limitMs: number;
  readonly isSigned: boolean;
};

/** A write of a send's plan, which steps pass on; the published types do not expose its statement. */
export type PlannedWrite = { readonly row: Readonly<Record<string, unknown>>; readonly tag: string };

/** Result of a step, and what must be written with it. */
export type StepDone = {
  readonly outcome: StepOutcome;
  readonly reason?: string;
  readonly sendId?: string;
  readonly httpStatus?: number;
  /** Model usage; stored in the step's row. */
  readonly usage?: StepUsage;
  /** JSON values. Stored in the step's row, and for later steps under the config's `saveAs`. */
  readonly output?: Readonly<Record<string, unknown>>;
  /** New traits of the user; absent: unchanged. */
  readonly nextTraits?: Pick<ProfileView, 'traits' | 'isTruncated'>;
  /** Enters an arm of this step, or ends the run with this `exitReason`; absent: continues after the step. */
  readonly goesTo?: { readonly arm: string } | { readonly exit: ExitReason };
  readonly writes?: readonly PlannedWrite[];
  /** Changes of messages that ended while they were planned. */
  readonly changes?: readonly MessageChange[];
  readonly wakes?: readonly string[];
};

/** An event that a step waits for: its literal name, and filters compared like a trigger's. */
export type Awaited = { readonly eventType: string; readonly filters?: Readonly<Record<string, string>> | undefined };

/** A step that continues later: it runs again at that time or when it is resumed, with `waitingSince` set. */
export type StepWait = {
  readonly waitUntil: Date;
  /** Event of the run's user that resumes the step earlier, if it is stored after this wait. */
  readonly awaits?: Awaited | undefined;
  /** Writes of the commit in which the wait starts. */
  readonly writes?: readonly PlannedWrite[];
  readonly wakes?: readonly string[];
};

/** A step that failed and runs again at that time, as its next attempt. */
export type StepRetry = { readonly retryAt: Date };

export type StepResult = StepDone | StepWait | StepRetry;

/** Pure: it is called again with newer facts if the profile changed between read and write. */
export type StepPlan = ((context: PlanContext) => StepResult) & {
  /** For plans with long work: does the work in slices before the plan is called with the same context. */
  readonly prepare?: (context: PlanContext) => Promise<void>;
};

/** An import warning; `path` is relative to the step's config. */
export type Finding = Pick<ImportWarning, 'path' | 'code' | 'message'>;

/** Names under which earlier steps save outputs. */
export type SavedNames = { has(name: string): boolean };

/** Schema of nested steps, for types with arms. */
export type NestedSteps = z.ZodType<readonly StoredStep[], readonly StoredStep[]>;

/** A step type. Declared with methods, so that types with different configs fit one list: see `defineStep`. */
export type StepDefinition<Type extends string = string, Config extends z.ZodObject = z.ZodObject> = {
  readonly type: Type;
  config(nested: NestedSteps): Config;
  /** Channel of its sends, for which data is loaded before planning. */
  readonly sends?: Channel | undefined;
  /** Its row of the table of rendered fields; absent: no field is a template. */
  readonly renders?: readonly RenderedGroup[] | undefined;
  /**
   * Import warnings besides placeholders. Rejections beyond types are refinements of the schema.
   *
   * @param saved names under which earlier steps may have saved outputs
   */
  check?(config: z.output<Config>, saved: SavedNames): Iterable<Finding>;
  /** Name of the event it may wait for; other events are not looked up in ingest. */
  awaits?(config: z.output<Config>): string | undefined;
  /** Nested lists of steps; their keys contain no dots. */
  arms?(config: z.output<Config>): readonly Arm[];
  /**
   * Does work that must not be repeated or takes time: once per lease, outside any transaction. The returned plan is
   * pure. The previous step may not be committed yet, unless it changed the profile. A throw is a defect and fails the
   * run.
   */
  run(config: z.output<Config>, context: RunContext): StepPlan | Promise<StepPlan>;
};

/**
 * Declares a step type. Its functions only receive configs that its schema validated, so a list of all types may call
 * them without knowing the type.
 *
 * @param definition `config` is the schema, or for a type with arms a function of the schema of nested steps
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
