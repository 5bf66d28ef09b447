import type { z } from 'zod';
import type { Channel } from '../../foundation/channel.ts';
import type { Frozen } from '../../foundation/frozen.ts';
import type { ListQuery, Page } from '../../foundation/page.ts';
import type { Environment, Scope } from '../../foundation/scope.ts';
import type { abTestBodies, abTestPatches, completeBody } from './schema.ts';

/** A new test: what its variants say in place of the send's own fields, and how often; weights sum to 100. */
export type AbTestInput<C extends Channel> = Frozen<z.input<(typeof abTestBodies)[C]>>;

/** What changes of a test. `variants` and `metric` may change until the first message was given a variant. */
export type AbTestPatch<C extends Channel> = Frozen<z.input<(typeof abTestPatches)[C]>>;

/** What a test is completed with. */
export interface AbTestCompletion extends Frozen<z.input<typeof completeBody>> {}

/** A test of what to say: a send that names it gives each of its people one of the variants, always the same one. */
export type AbTest = {
  readonly id: string;
  readonly orgId: string;
  readonly projectId: string;
  readonly environment: Environment;
  readonly name: string;
  readonly channel: Channel;
  /** Sends that name a `paused` or a `completed` one say what they say themselves. */
  readonly status: 'running' | 'paused' | 'completed';
  /** In their order; what one leaves out is the send's own. */
  readonly variants: readonly AbTestVariant[];
  readonly metric: AbTestMetric;
  readonly winnerKey: string | null;
  /** When the first message was given a variant; from then on variants and metric stay as they are. */
  readonly assignedAt: Date | null;
  readonly startedAt: Date;
  readonly completedAt: Date | null;
  readonly updatedAt: Date;
};

/** Besides these it has the fields of the channel that it says in its own way, such as `title` and `body`. */
export type AbTestVariant = { readonly key: string; readonly weight: number } & Readonly<Record<string, unknown>>;

/** What counts as success: within `windowHours` after a message was sent, that it was opened or clicked, or an event. */
export type AbTestMetric = {
  readonly type: 'open' | 'click' | 'event';
  readonly eventType?: string | undefined;
  readonly windowHours: number;
};

/** How one variant fared. Rates are 0 to 1. */
export type AbTestVariantStats = {
  readonly key: string;
  readonly weight: number;
  /** People, or where nobody is known devices or addresses, that were given it. */
  readonly assigned: number;
  /** Those of them whom a message was sent to; conversions are theirs. */
  readonly reached: number;
  /** Messages, each of the next six. */
  readonly sent: number;
  readonly delivered: number;
  readonly failed: number;
  readonly suppressed: number;
  readonly uniqueOpened: number;
  readonly uniqueClicked: number;
  /** Times; those of machines are left out, as in the counts of sends. */
  readonly opened: number;
  readonly clicked: number;
  /** People who did what the metric names. */
  readonly converted: number;
  /** `uniqueOpened` and `uniqueClicked` of `sent`; 0 where none was sent. */
  readonly openRate: number;
  readonly clickRate: number;
  /** `converted` of `reached`; 0 where nobody was. */
  readonly conversionRate: number;
  /** Of the conversion rate against that of the first variant, as a share of it; null for the first, and where it is 0. */
  readonly lift: number | null;
  /** Where the conversion rate lies with 95 %: Wilson's score interval. */
  readonly ci95: readonly [low: number, high: number];
  /** That its conversion rate is the greatest of all, by posteriors over uniform priors. */
  readonly probabilityToBeBest: number;
};

/** How a test stands. */
export type AbTestStats = {
  readonly id: string;
  readonly status: AbTest['status'];
  readonly metric: AbTestMetric;
  readonly variants: readonly AbTestVariantStats[];
  /**
   * Whether people were spread as the weights say. `warning`: they were not, by chance less than once in a thousand times,
   * so something favours a variant and the figures mislead.
   */
  readonly srm: { readonly chi2: number; readonly pValue: number; readonly warning: boolean };
  /** The variant of the greatest conversion rate; null where nobody converted, or several share it. */
  readonly leader: string | null;
  /** The leader's rate differs from each other one's, at 5 % for all comparisons together; false beside a warning. */
  readonly significant: boolean;
  /** The test has more messages than were looked at. */
  readonly isPartial: boolean;
  readonly updatedAt: Date;
};

/** Which tests a list shows. */
export type AbTestQuery = Pick<ListQuery, 'limit' | 'cursor' | 'count'> & {
  readonly status?: AbTest['status'] | undefined;
};

/** Tests of what to say. They belong to one environment of a project. */
export type AbTestsApi = {
  /** Running from the start. Throws VALIDATION_ERROR. */
  create<C extends Channel>(scope: Scope, channel: C, body: AbTestInput<C>): Promise<AbTest>;
  /** Newest first. Throws VALIDATION_ERROR for a limit, a cursor or a status that there is not. */
  list(scope: Scope, channel: Channel, query?: AbTestQuery): Promise<Page<AbTest>>;
  /** Throws NOT_FOUND, also for another channel's test. */
  get(scope: Scope, channel: Channel, id: string): Promise<AbTest>;
  /**
   * Running and paused change into each other, and either into completed. Throws NOT_FOUND, VALIDATION_ERROR, CONFLICT
   * `immutable` for other variants or another metric once a message was given a variant, `final` for a completed test.
   */
  update<C extends Channel>(scope: Scope, channel: C, id: string, body: AbTestPatch<C>): Promise<AbTest>;
  /** Ends it, with a winner where one is named. Throws NOT_FOUND, VALIDATION_ERROR, CONFLICT `final`. */
  complete(scope: Scope, channel: Channel, id: string, body?: AbTestCompletion): Promise<AbTest>;
  /** Reads its messages, up to 500,000 of them. Throws NOT_FOUND. */
  stats(scope: Scope, channel: Channel, id: string): Promise<AbTestStats>;
};
