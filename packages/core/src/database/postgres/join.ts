// Calls that take part in a transaction of the host's own. Each call has a savepoint, and within it each plan: a guard that
// fails, a lost race or an error of ours is undone to there, and the host's transaction goes on as it was. Nothing is on
// disk, and nobody is woken, before the host's COMMIT. Relies on the host to leave its connection alone until a call has
// been answered.

import { BeckonError, conflict } from '../../foundation/errors.ts';
import type { Committed, Tag, WriteSet } from '../commit/write-set.ts';
import { isRetryable, StorageError, storageError, storageErrors } from '../errors.ts';
import type { PostgresClient } from './host.ts';
import type { Runner } from './runner.ts';

const CALL = 'beckon_call';
const PLAN = 'beckon_plan';
/**
 * How often a plan that lost a race is run. What it waited for may be held by the host's earlier statements, which a
 * savepoint cannot let go of: then each try costs the second after which PostgreSQL looks for a deadlock. Ours.
 */
const MAX_TRIES = 2;
/** SQLSTATEs. Source: PostgreSQL, appendix A. */
const NO_TRANSACTION = '25P01';
const FAILED_TRANSACTION = '25P02';
const LOCK_TIMEOUT = '55P03';

/** The host's connection while a call has it: statements one after the other, as node-postgres wants them. */
export type JoinedClient = Runner & { query(config: unknown, values?: unknown[]): Promise<{ rows: unknown[] }> };

const oneByOne = (client: PostgresClient): JoinedClient => {
  let tail: Promise<unknown> = Promise.resolve();
  const query = (config: unknown, values?: unknown[]) => {
    // Safe: it is a client of node-postgres, which takes a text or the object that drizzle and we make.
    const asked = tail.then(() => client.query(config as string, values));
    tail = asked.catch(() => undefined);
    return asked;
  };
  // Safe: rows are arrays where the configuration asks for them.
  return { query } as JoinedClient;
};

const notOpen = (error: unknown): unknown => {
  const mine = storageError(error);
  if (!(mine instanceof StorageError)) return mine;
  if (mine.code === NO_TRANSACTION)
    return new TypeError('client must be a connection in a transaction: begin one first, and commit it afterwards.');
  if (mine.code === FAILED_TRANSACTION)
    return new TypeError('the transaction of client has failed already: roll it back and begin again.');
  return mine;
};

/** What the host is told: its transaction is as it was before the call. */
const told = (error: unknown): unknown => {
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
   * Runs `work` with the host's connection. Throws TypeError where no transaction is open, CONFLICT
   * `transaction_conflict` and LOCK_TIMEOUT after undoing the call, and what `work` throws.
   */
  call<T>(client: PostgresClient, work: (joined: JoinedClient) => Promise<T>): Promise<T>;
  /** A plan within a call. Throws StorageError. */
  commit(joined: JoinedClient, plan: WriteSet): Promise<Committed>;
};

export const joiner = (apply: (client: Runner, plan: WriteSet) => Promise<ReadonlySet<Tag>>): Joiner => {
  // Two calls at once on one connection would undo each other's savepoints.
  const turns = new WeakMap<PostgresClient, Promise<void>>();

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
      const before = turns.get(client);
      const mine = Promise.withResolvers<void>();
      turns.set(client, mine.promise);
      await before;
      const joined = oneByOne(client);
      try {
        await joined.query(`savepoint ${CALL}`).catch((error: unknown) => {
          throw notOpen(error);
        });
        try {
          const value = await work(joined);
          await storageErrors.around(joined.query(`release savepoint ${CALL}`));
          return value;
        } catch (error) {
          await undo(joined, CALL).catch(() => undefined);
          throw told(error);
        }
      } finally {
        mine.resolve();
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
