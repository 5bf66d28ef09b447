import type { Write } from '../../database/commit/write-set.ts';
import type { Db } from '../../database/storage.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { AdapterRequest, IdempotencyOptions } from './api.ts';

/** The idempotency key of a request, within (scope, route). */
export type NamedRequest = {
  /** 1 to 256 characters. */
  readonly key: string;
  /** The operation: `email.send`, or an adapter's name of it. */
  readonly route: string;
  /** SHA-256 as hex over the request. */
  readonly bodyHash: string;
  /** Name of the key in errors. Default `idempotencyKey`. */
  readonly field?: string;
};

/**
 * Stores the response of a request. A module adds these writes to its own plan, so that both are on disk or neither is.
 * `lost` is the error to throw if a guard of the plan failed: another request then holds the key.
 */
export type Once = {
  /** Tag of the guarded write; if it fails, another request holds the key. */
  readonly tag: string;
  /** @param answer the data of the response */
  writes(answer: unknown, now: Date): readonly Write[];
  lost(): Error;
  /** The same for work with its own transaction. Throws the error of `lost`. */
  inTransaction(db: Db, answer: unknown, now: Date): Promise<void>;
};

/** A call that may be repeated. */
export type Repeatable<T> = {
  /** The operation, such as `email.send`. */
  readonly operation: string;
  /** The whole input; equal requests are equal as JSON. */
  readonly input: unknown;
  readonly options: IdempotencyOptions;
  /** Converts a stored response to the result of `work`: JSON has no dates. */
  revive(stored: unknown): T;
};

/**
 * Runs a call once per key in 24 h, and always without a key. The same request gets the first response again. Throws as
 * IdempotencyOptions says, and errors of `work`, which are not stored.
 */
export type AnswerOnce = <T>(
  scope: InScope,
  call: Repeatable<T>,
  work: (once: Once | undefined) => Promise<T>,
) => Promise<T>;

/** For modules without idempotency keys: a call with one is a wiring error. */
export const withoutKeys: AnswerOnce = async (_, { options }, work) => {
  if (options.idempotencyKey !== undefined) throw new TypeError('no idempotency keys are kept here');
  return work(undefined);
};

/** The idempotency key of a call. Throws TypeError if the input is no JSON. */
export const nameOf = (
  key: string,
  adapter: AdapterRequest | undefined,
  operation: string,
  hashOf: () => string,
): NamedRequest =>
  adapter
    ? { key, route: adapter.operation, bodyHash: adapter.bodyHash, field: 'Idempotency-Key' }
    : { key, route: operation, bodyHash: hashOf() };
