import type { PostgresClient } from '../../database/postgres/host.ts';

/**
 * What an adapter over another protocol, such as @beckon/http, says of a request that named itself there. A host program
 * needs none of it.
 */
export type AdapterRequest = {
  /** What is asked for in that protocol, such as `POST /email/send`; keys of two operations are two keys. */
  readonly operation: string;
  /** SHA-256 as hex over what the protocol calls the request. */
  readonly bodyHash: string;
  /** Told where the answer is the first one again. */
  onReplayed(): void;
};

/** How a call is made safe to repeat. */
export type IdempotencyOptions = {
  /**
   * The caller's own name for what it asks: 1 to 256 characters, such as `order-17`. It is kept for 24 h per scope and
   * operation with the answer, which is written in the transaction of what the call creates; the same body is answered
   * the same again. What is thrown is not kept.
   *
   * Throws VALIDATION_ERROR `idempotency_mismatch` for another body (compared as JSON, whatever the order of its keys),
   * CONFLICT `idempotency_in_progress` while the first call still runs, for at most 30 s.
   */
  readonly idempotencyKey?: string | undefined;
  /** For adapters alone. */
  readonly adapter?: AdapterRequest | undefined;
};

/** How a call takes part in a transaction of the host's own, so that both are one commit. */
export type JoinOptions = {
  /**
   * A connection of node-postgres (`pg.PoolClient`) on which the host has begun a transaction in Beckon's own database.
   * The call is answered when its statements are done; it is on disk, and the worker is woken, with the host's COMMIT. Of
   * a transaction that is rolled back, or whose process dies before, nothing is left. Until the answer the host leaves
   * the connection alone; whoever writes about the same person waits for its end, so it should be short. An idempotency
   * key is then kept with the host's transaction, too.
   *
   * Throws TypeError on SQLite and for a client that is not in a transaction; CONFLICT `transaction_conflict` where the
   * transaction lost a race that a savepoint cannot undo (roll it back and run it again), OVERLOADED where others
   * changed the same person five times meanwhile, LOCK_TIMEOUT by the host's own `lock_timeout`. After each of these the
   * transaction is as it was before the call.
   */
  readonly client?: PostgresClient | undefined;
};
