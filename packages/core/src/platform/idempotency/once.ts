import type { Write } from '../../database/commit/write-set.ts';
import type { Db } from '../../database/storage.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { AdapterRequest, IdempotencyOptions } from './api.ts';

/** A request's own name for itself, within (scope, route). */
export type NamedRequest = {
  /** 1 to 256 characters. */
  readonly key: string;
  /** What is asked for: `email.send`, or an adapter's own name of it. */
  readonly route: string;
  /** SHA-256 as hex over what was asked. */
  readonly bodyHash: string;
  /** What errors call the key. Default `idempotencyKey`. */
  readonly field?: string;
};

/**
 * What a remembered answer is written with. An engine that writes what the request asked for adds these writes to its
 * own plan, so that both are on disk or neither is. `lost` is what it throws when a guard of the plan failed: somebody
 * else answers for the key by now.
 */
export type Once = {
  /** Of the write that is guarded: a plan of which it failed is lost to another request. */
  readonly tag: string;
  /** @param answer the data of the answer, as it goes out */
  writes(answer: unknown, now: Date): readonly Write[];
  lost(): Error;
  /** The same for work that has a transaction of its own. Throws what `lost` gives. */
  inside(db: Db, answer: unknown, now: Date): Promise<void>;
};

/** One call of an engine that may be repeated. */
export type Repeatable<T> = {
  /** What is done, such as `email.send`. */
  readonly operation: string;
  /** All of what was asked; equal requests are equal as JSON. */
  readonly asked: unknown;
  readonly options: IdempotencyOptions;
  /** A stored answer as `work` would give it: JSON has no dates. */
  revive(stored: unknown): T;
};

/**
 * Does the work of a call once per key in 24 h; of a call without a key always. The first answer again to the same
 * request. Throws as IdempotencyOptions says, and what `work` throws, which is not kept.
 */
export type AnswerOnce = <T>(
  scope: InScope,
  call: Repeatable<T>,
  work: (once: Once | undefined) => Promise<T>,
) => Promise<T>;

/** Of an engine that keeps no keys: a call with one is a mistake in the wiring. */
export const withoutKeys: AnswerOnce = async (_, { options }, work) => {
  if (options.idempotencyKey !== undefined) throw new TypeError('no idempotency keys are kept here');
  return work(undefined);
};

/** The name that a call gives itself. Throws TypeError for what is asked that is no JSON. */
export const nameOf = (
  key: string,
  adapter: AdapterRequest | undefined,
  operation: string,
  hashOf: () => string,
): NamedRequest =>
  adapter
    ? { key, route: adapter.operation, bodyHash: adapter.bodyHash, field: 'Idempotency-Key' }
    : { key, route: operation, bodyHash: hashOf() };
