import type { PostgresClient } from '../../database/postgres/host.ts';

/**
 * What an adapter of another protocol, such as @beckon/http, passes for a request with an idempotency key. A host
 * program does not need it.
 */
export type AdapterRequest = {
  /** The operation in that protocol, such as `POST /email/send`; each operation has its own keys. */
  readonly operation: string;
  /** SHA-256 as hex over the protocol's request. */
  readonly bodyHash: string;
  /** Called if the stored response is returned again. */
  onReplayed(): void;
};

/** Options that make a call safe to repeat. */
export type IdempotencyOptions = {
  /**
   * The caller's key of the request: 1 to 256 characters, such as `order-17`. It is stored with the response for 24 h
   * per scope and operation, in the transaction of what the call creates; a request with the same body gets the same
   * response. Errors are not stored.
   *
   * Throws VALIDATION_ERROR `idempotency_mismatch` for another body (compared as JSON, in any order of keys), CONFLICT
   * `idempotency_in_progress` while the first call runs, for at most 30 s.
   */
  readonly idempotencyKey?: string | undefined;
  /** For adapters only. */
  readonly adapter?: AdapterRequest | undefined;
};

/** Options for taking part in a transaction of the host, so that both are one commit. */
export type JoinOptions = {
  /**
   * A connection of node-postgres (`pg.PoolClient`) on which the host has begun a transaction in Beckon's own database.
   * The call resolves when its statements are done; it is on disk, and the worker is woken, with the host's COMMIT. If
   * the transaction is rolled back or its process dies before, nothing is left. The host must not use the connection
   * until the call resolves. Other writes to the same profile wait for the end of the transaction, so it should be
   * short. An idempotency key is then stored with the host's transaction, too.
   *
   * Throws TypeError on SQLite and for a client that is not in a transaction; CONFLICT `transaction_conflict` if the
   * transaction lost a race that a savepoint cannot undo (roll it back and run it again), OVERLOADED if others changed
   * the same profile five times meanwhile, LOCK_TIMEOUT by the host's own `lock_timeout`. After each of these the
   * transaction is as it was before the call.
   */
  readonly client?: PostgresClient | undefined;
};
