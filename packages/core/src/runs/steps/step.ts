import type { ProfileView } from '../../profiles/view.ts';
import type { SendLookup } from '../../sending/accept/send-lookup.ts';
import type { Write } from '../../storage/write-set.ts';
import type { Step } from '../../workflows/schema.ts';
import type { RunRow } from '../store.ts';

/** What one step did, and what is to be written with it. */
export type StepResult = {
  readonly outcome: 'ok' | 'suppressed' | 'error';
  readonly reason?: string;
  readonly sendId?: string;
  /** The person's traits from now on; absent: unchanged. */
  readonly left?: Pick<ProfileView, 'traits' | 'isTruncated'>;
  readonly writes?: readonly Write[];
  readonly wakes?: readonly string[];
};

/** What a step may look at. Nothing here touches the database. */
export type StepContext = {
  readonly run: RunRow;
  readonly path: string;
  readonly now: Date;
  /** As the steps before it in the same plan left it; undefined: the person has no profile. */
  readonly profile: ProfileView | undefined;
  /** What was read for the sends of the batch that this step is in. */
  readonly lookup: SendLookup;
};

/** One step type: pure, so that a plan whose guard failed can be made again. */
export type StepHandler<Type extends Step['type']> = (
  config: Extract<Step, { type: Type }>['config'],
  context: StepContext,
) => StepResult;

/** A handler per type that this version runs; `wait` is the run's own business. */
export type StepHandlers = {
  readonly [Type in Exclude<Step['type'], 'wait'>]: StepHandler<Type>;
};
