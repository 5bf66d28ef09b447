import type { z } from 'zod';
import type { Channel } from '../../foundation/channel.ts';
import type { Frozen } from '../../foundation/frozen.ts';
import type { ListQuery, Page } from '../../foundation/page.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { AbTest, AbTestStats } from './answers.generated.ts';
import type { abTestBodies, abTestPatches, completeBody } from './schema.ts';

/** A new test: what its variants say in place of the send's own fields, and how often; weights sum to 100. */
export type AbTestInput<C extends Channel> = Frozen<z.input<(typeof abTestBodies)[C]>>;

/** What changes of a test. `variants` and `metric` may change until the first message was given a variant. */
export type AbTestPatch<C extends Channel> = Frozen<z.input<(typeof abTestPatches)[C]>>;

/** What a test is completed with. */
export interface AbTestCompletion extends Frozen<z.input<typeof completeBody>> {}

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
