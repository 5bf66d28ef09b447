import { AsyncLocalStorage } from 'node:async_hooks';
import { drizzle } from 'drizzle-orm/node-postgres';
import type { Pool, PoolClient, QueryConfig } from 'pg';
import type { Clock } from '../../primitives/clock.ts';
import type { BulkSelect, SelectKey } from '../bulk.ts';
import { type Claimable, type Claimed, type RenderedClaim, renderClaim } from '../claim.ts';
import { postgresDialect } from '../dialect.ts';
import { bareErrors, countBuilds, once } from '../drizzle.ts';
import { commitError, isRetryable, StorageError, storageErrors } from '../errors.ts';
import { gate } from '../gate.ts';
import type { StorageObserver } from '../observer.ts';
import { type RenderedSelect, renderSelect } from '../render.ts';
import { decodeRows, leaseOf } from '../rows.ts';
import type { Db, Storage } from '../storage.ts';
import { MAX_TRIES } from '../write-set.ts';
import { type Run, writeSetRunner } from './apply.ts';
import { withClient } from './client.ts';
import type { PostgresWake } from './wake.ts';

/** SQLSTATE in_failed_sql_transaction: the server answers COMMIT with ROLLBACK and no error. */
const FAILED_TRANSACTION = '25P02';

/**
 * How long a transaction may sit without a statement, in milliseconds. Whoever is stopped within one keeps the rows that
 * it changed from everybody until the server ends it. Ours: the connections of a pool that wait for each other's rows are
 * ended one after the other, and ten of them within a lease.
 */
const IDLE_MS = 3_000;
// Of this transaction alone, so that it holds behind a pooler too; one message with `begin`.
const BEGIN = `begin; set local idle_in_transaction_session_timeout = ${IDLE_MS}`;

/** Runs a call again when it lost a race between transactions. */
const retrying = async <T>(call: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (!isRetryable(error) || attempt === MAX_TRIES) throw error;
    }
  }
};

/** Storage over a PostgreSQL pool, which it owns from now on. Throws nothing. */
export const postgresStorage = (
  pool: Pool,
  wake: PostgresWake,
  {
    clock,
    observer = {},
    preparedNames = true,
  }: { clock?: Clock; observer?: StorageObserver; preparedNames?: boolean },
): Storage => {
  // Code that a transaction leaves running is inside no longer once the transaction is over.
  const inside = new AsyncLocalStorage<{ isOver: boolean }>();
  const entry = gate();
  const selects = once((bulk: BulkSelect): RenderedSelect => renderSelect('postgres', bulk));
  const claims = once((work: Claimable<unknown>): RenderedClaim => renderClaim('postgres', work));
  const fixedNow = (): string | null => clock?.now().toISOString() ?? null;
  let closing: Promise<void> | undefined;

  /** A transaction's code that waited for another connection could wait for itself when the pool is used up. */
  const refuseInside = (): void => {
    if (inside.getStore()?.isOver === false)
      throw new Error('inside a transaction only its own database handle may be used');
  };
  const run: Run = async (runner, id, text, values, rows, name = id) => {
    observer.statement?.(id, rows, text);
    const named = preparedNames && name !== null ? { name } : {};
    return (await storageErrors.around(runner.query({ ...named, text, values, rowMode: 'array' }))).rows;
  };
  const runOutside = async (
    id: string,
    text: string,
    values: unknown[],
    rows: number,
    /** Of the prepared statement; null: it is not kept, so that it is planned for the table as it is. */
    name: string | null = null,
  ): Promise<unknown[][]> => {
    refuseInside();
    return entry.pass(() => retrying(() => run(pool, id, text, values, rows, name)));
  };
  const apply = writeSetRunner(run);

  const handle = (query: (config: QueryConfig, values: unknown[]) => Promise<unknown>): Db => {
    const client = {
      query: (config: QueryConfig, values: unknown[]) => {
        observer.statement?.('sql', 1, config.text);
        return query(config, values);
      },
    };
    // Safe: drizzle calls nothing of the client but `query`.
    const db = drizzle(client as unknown as Pool);
    countBuilds(db, observer);
    return bareErrors(db);
  };

  const transact = async <T>(work: (client: PoolClient) => Promise<{ value: T; keep: boolean }>): Promise<T> => {
    refuseInside();
    return entry.pass(() =>
      withClient(pool, async (client) => {
        await storageErrors.around(client.query(BEGIN));
        const { value, keep } = await work(client);
        if (!keep) {
          await storageErrors.around(client.query('rollback'));
          return value;
        }
        await observer.beforeCommit?.();
        const { command } = await client.query('commit').catch((error: unknown) => {
          throw commitError(error);
        });
        if (command !== 'COMMIT') throw new StorageError(FAILED_TRANSACTION);
        observer.committed?.();
        return value;
      }),
    );
  };

  const work = async <T>(client: PoolClient, job: (db: Db) => Promise<T>): Promise<T> => {
    const turn: { isOver: boolean; failure?: { error: unknown } } = { isOver: false };
    const db = handle(async (config, values) => {
      if (turn.failure) throw turn.failure.error;
      if (turn.isOver) throw new Error('the transaction of this database handle is over');
      try {
        return await storageErrors.around(client.query(config, values));
      } catch (error) {
        turn.failure = { error };
        throw error;
      }
    });
    try {
      const value = await inside.run(turn, () => job(db));
      // The server has given the transaction up, whether or not the error was caught.
      if (turn.failure) throw turn.failure.error;
      return value;
    } finally {
      turn.isOver = true;
    }
  };

  return {
    dialect: postgresDialect,
    db: handle(async (config, values) => {
      refuseInside();
      return entry.pass(() => storageErrors.around(pool.query(config, values)));
    }),
    wake,
    transaction: (job) => transact(async (client) => ({ value: await work(client, job), keep: true })),
    select: async <Row>(bulk: BulkSelect<Row>, keys: readonly SelectKey[]) => {
      if (keys.length === 0) return [];
      const { id, text, single, keys: by, columns } = selects(bulk);
      const [only, ...others] = keys;
      if (single && only && others.length === 0) {
        const values = by.map((column, at) => column.encode(only[at]));
        return decodeRows<Row>(columns, await runOutside(id, single.text, values, 1, single.name));
      }
      const values = by.map((column, at) => keys.map((key) => column.encode(key[at])));
      return decodeRows<Row>(columns, await runOutside(id, text, values, keys.length, id));
    },
    commit: async (plan) => {
      const failed = await retrying(() =>
        transact(async (client) => {
          const value = await apply(client, plan);
          return { value, keep: value.size === 0 };
        }),
      );
      return failed.size > 0 ? { ok: false, failed } : { ok: true };
    },
    claim: async <Row>(queue: Claimable<Row>, limit: number, leaseMs: number) => {
      if (limit < 1) return [];
      const { claim, columns } = claims(queue);
      return decodeRows<Claimed<Row>>(
        columns,
        await runOutside(`${queue.id}.claim`, claim, [fixedNow(), leaseMs, limit], 1),
      );
    },
    renew: async (queue, leases, leaseMs) => {
      if (leases.length === 0) return [];
      const { renew, id } = claims(queue);
      const columns = [
        leases.map((lease) => lease.scopeId),
        leases.map((lease) => id.encode(lease.id)),
        leases.map((lease) => lease.fence),
      ];
      return (await runOutside(`${queue.id}.renew`, renew, [fixedNow(), leaseMs, ...columns], 1)).map(leaseOf);
    },
    nextDueInMs: async (queue) => {
      const [row] = await runOutside(`${queue.id}.next`, claims(queue).nextDue, [fixedNow()], 1);
      return row?.[0] === null || row?.[0] === undefined ? null : Number(row[0]);
    },
    now: async () => {
      if (clock) return clock.now();
      const [row] = await runOutside('now', 'select clock_timestamp()', [], 1, 'now');
      return row?.[0] instanceof Date ? row[0] : new Date();
    },
    close: async () => {
      refuseInside();
      closing ??= entry
        .shut()
        .then(() => wake.close())
        .then(() => pool.end());
      await closing;
    },
  };
};
