import type { z } from 'zod';
import type { Channel } from '../../foundation/channel.ts';
import type { Frozen } from '../../foundation/frozen.ts';
import type { ListQuery, Page } from '../../foundation/page.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { AbTest, AbTestStats } from './answers.generated.ts';
import type { abTestBodies, abTestPatches, completeBody } from './schema.ts';

/** A new test: variants with the fields that replace those of the send, and their weights; weights sum to 100. */
export type AbTestInput<C extends Channel> = Frozen<z.input<(typeof abTestBodies)[C]>>;

/** Changes of a test. `variants` and `metric` may change until the first message has a variant. */
export type AbTestPatch<C extends Channel> = Frozen<z.input<(typeof abTestPatches)[C]>>;

/** The optional winner of a completed test. */
export interface AbTestCompletion extends Frozen<z.input<typeof completeBody>> {}

/** Filters of a list. */
export type AbTestQuery = Pick<ListQuery, 'limit' | 'cursor' | 'count'> & {
  readonly status?: AbTest['status'] | undefined;
};

/** A/B tests of message content. They belong to one environment of a project. */
export type AbTestsApi = {
  /** A new test is running. Throws VALIDATION_ERROR. */
  create<C extends Channel>(scope: Scope, channel: C, body: AbTestInput<C>): Promise<AbTest>;
  /** Newest first. Throws VALIDATION_ERROR for an invalid limit, cursor or status. */
  list(scope: Scope, channel: Channel, query?: AbTestQuery): Promise<Page<AbTest>>;
  /** Throws NOT_FOUND, also for a test of another channel. */
  get(scope: Scope, channel: Channel, id: string): Promise<AbTest>;
  /**
   * A test changes between running and paused, and from either to completed. Throws NOT_FOUND, VALIDATION_ERROR,
   * CONFLICT `immutable` for new variants or another metric after the first message got a variant, `final` for a
   * completed test.
   */
  update<C extends Channel>(scope: Scope, channel: C, id: string, body: AbTestPatch<C>): Promise<AbTest>;
  /** Completes the test, optionally with a winner. Throws NOT_FOUND, VALIDATION_ERROR, CONFLICT `final`. */
  complete(scope: Scope, channel: Channel, id: string, body?: AbTestCompletion): Promise<AbTest>;
  /** Reads its messages, up to 500,000 of them. Throws NOT_FOUND. */
  stats(scope: Scope, channel: Channel, id: string): Promise<AbTestStats>;
};
