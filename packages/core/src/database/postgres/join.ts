// Calls that take part in a transaction of the host. Each call has a savepoint, and each plan another one within it: a
// failed guard, a lost race or an error is rolled back to there, and the host's transaction continues unchanged.
// Nothing is on disk, and no worker is woken, before the host's COMMIT. The host must not use its connection until a
// call has returned.

import { BeckonError, conflict } from '../../foundation/errors.ts';
import type { Committed, Tag, WriteSet } from '../commit/write-set.ts';
import { isRetryable, StorageError, storageError, storageErrors } from '../errors.ts';
import type { PostgresClient } from './host.ts';
import type { Runner } from './runner.ts';

const CALL = 'beckon_call';
const PLAN = 'beckon_plan';
/**
 * Maximum tries of a plan that lost a race. Chosen: the host's earlier statements may hold the lock, which a savepoint
 * cannot release; then each try costs the second after which PostgreSQL detects a deadlock.
 */
const MAX_TRIES = 2;
/** SQLSTATEs. Source: PostgreSQL, appendix A. */
const NO_TRANSACTION = '25P01';
const FAILED_TRANSACTION = '25P02';
const LOCK_TIMEOUT = '55P03';

/** The host's connection during a call: statements run one after the other, as node-postgres requires. */
export type JoinedClient = Runner & { query(config: unknown, values?: unknown[]): Promise<{ rows: unknown[] }> };

const sequentialClient = (client: PostgresClient): JoinedClient => {
  let tail: Promise<unknown> = Promise.resolve();
  const query = (config: unknown, values?: unknown[]) => {
    // Safe: it is a client of node-postgres, which accepts a text or the object that drizzle and this module create.
    const queued = tail.then(() => client.query(config as string, values));
    tail = queued.catch(() => undefined);
    return queued;
  };
  // Safe: rows are arrays if the configuration requests them.
  return { query } as JoinedClient;
};

const transactionError = (error: unknown): unknown => {
  const turn = storageError(error);
  if (!(turn instanceof StorageError)) return turn;
  if (turn.code === NO_TRANSACTION)
    return new TypeError('client must be a connection in a transaction: begin one first, and commit it afterwards.');
  if (turn.code === FAILED_TRANSACTION)
    return new TypeError('the transaction of client has failed already: roll it back and begin again.');
  return turn;
};

/** The error for the host; its transaction is as it was before the call. */
const hostErrorOf = (error: unknown): unknown => {
  if (isRetryable(error)) return conflict('transaction_conflict');
  if (error instanceof StorageError && error.code === LOCK_TIMEOUT)
    return new BeckonError(
      'LOCK_TIMEOUT',
      'Another transaction held rows that this call needs. Beckon stored nothing. Retry in 1 s.',
      {
        retryAfterSeconds: 1,
      },
    );
  return error;
};

export type Joiner = {
  /**
   * Runs `work` with the host's connection. Throws TypeError if no transaction is open, CONFLICT `transaction_conflict`
   * and LOCK_TIMEOUT after rolling back the call, and errors of `work`.
   */
  call<T>(client: PostgresClient, work: (joined: JoinedClient) => Promise<T>): Promise<T>;
  /** Commits a plan within a call. Throws StorageError. */
  commit(joined: JoinedClient, plan: WriteSet): Promise<Committed>;
};

export const joiner = (apply: (client: Runner, plan: WriteSet) => Promise<ReadonlySet<Tag>>): Joiner => {
  // Concurrent calls on one connection would roll back each other's savepoints.
  const tails = new WeakMap<PostgresClient, Promise<void>>();

  const undo = (client: JoinedClient, name: string): Promise<unknown> =>
    storageErrors.around(client.query(`rollback to savepoint ${name}; release savepoint ${name}`));

  const attempt = async (client: JoinedClient, plan: WriteSet): Promise<Committed> => {
    await storageErrors.around(client.query(`savepoint ${PLAN}`));
    try {
      const failed = await apply(client, plan);
      if (failed.size === 0) await storageErrors.around(client.query(`release savepoint ${PLAN}`));
      else await undo(client, PLAN);
      return failed.size === 0 ? { ok: true } : { ok: false, failed };
    } catch (error) {
      await undo(client, PLAN).catch(() => undefined);
      throw error;
    }
  };

  return {
    call: async (client, work) => {
      const previous = tails.get(client);
      const turn = Promise.withResolvers<void>();
      tails.set(client, turn.promise);
      await previous;
      const joined = sequentialClient(client);
      try {
        await joined.query(`savepoint ${CALL}`).catch((error: unknown) => {
          throw transactionError(error);
        });
        try {
          const value = await work(joined);
          await storageErrors.around(joined.query(`release savepoint ${CALL}`));
          return value;
        } catch (error) {
          await undo(joined, CALL).catch(() => undefined);
          throw hostErrorOf(error);
        }
      } finally {
        turn.resolve();
      }
    },
    commit: async (joined, plan) => {
      for (let tries = 1; ; tries += 1) {
        try {
          return await attempt(joined, plan);
        } catch (error) {
          if (!isRetryable(error) || tries === MAX_TRIES) throw error;
        }
      }
    },
  };
};
