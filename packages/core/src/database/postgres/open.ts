import { AsyncLocalStorage } from 'node:async_hooks';
import { drizzle } from 'drizzle-orm/node-postgres';
import type { Pool, QueryConfig } from 'pg';
import type { Clock } from '../../foundation/clock.ts';
import { deadlineMs } from '../../foundation/deadline.ts';
import { MAX_TRIES, type WriteSet } from '../commit/write-set.ts';
import { postgresDialect } from '../dialect.ts';
import { bareErrors, countBuilds, once } from '../drizzle.ts';
import { commitError, isRetryable, StorageError, storageErrors } from '../errors.ts';
import { gate } from '../gate.ts';
import type { StorageObserver } from '../observer.ts';
import type { BulkSelect, SelectKey } from '../statements/bulk.ts';
import { type Claimable, type Claimed, type RenderedClaim, renderClaim } from '../statements/claim.ts';
import { renderSelect } from '../statements/render.ts';
import type { RenderedSelect } from '../statements/rendered.ts';
import { decodeRows, leaseOf } from '../statements/rows.ts';
import { type BulkQuery, type RenderedQuery, renderQuery } from '../statements/sql-text.ts';
import type { Db, Storage } from '../storage.ts';
import { type Run, writeSetRunner } from './apply.ts';
import { withClient } from './client.ts';
import { readingUntil, type Timed, timed } from './deadlines.ts';
import { type JoinedClient, joiner } from './join.ts';
import { poolWait } from './pool-wait.ts';
import { queryReadOnly } from './read-only.ts';
import type { PostgresWake } from './wake.ts';

/** SQLSTATE in_failed_sql_transaction: the server answers COMMIT with ROLLBACK and without an error. */
const FAILED_TRANSACTION = '25P02';

/**
 * How long a transaction may be idle, in milliseconds. A process that stops inside one blocks the rows that it changed
 * until the server ends it. Chosen: connections of a pool that wait for each other's rows are ended one after the
 * other, ten of them within a lease.
 */
const IDLE_MS = 3_000;
// Set per transaction, so that it also works behind a pooler; one message with `begin`.
const BEGIN = `begin; set local idle_in_transaction_session_timeout = ${IDLE_MS}`;
const BEGIN_UNSYNCED = `${BEGIN}; set local synchronous_commit = off`;

/** The beginning of a read of the query builder. */
const READ = /^\(*select /;

/** Runs a call again if it lost a race between transactions. */
const retrying = async <T>(call: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (!isRetryable(error) || attempt === MAX_TRIES) throw error;
    }
  }
};

/** Rights of a storage on its pool. */
export type PoolRights = {
  /** The host also takes connections from it for its own transactions. */
  readonly isLent: boolean;
  /** Closes the pool, or returns it to the host. */
  end(): Promise<void>;
};

/** Storage on a PostgreSQL pool, which `end` closes or returns. Throws nothing. */
export const postgresStorage = (
  pool: Pool,
  wake: PostgresWake,
  { isLent, end }: PoolRights,
  {
    clock,
    observer = {},
    preparedNames = true,
  }: { clock?: Clock; observer?: StorageObserver; preparedNames?: boolean },
): Storage => {
  // Code that a transaction leaves running is no longer inside once the transaction has ended.
  const inside = new AsyncLocalStorage<{ isOver: boolean; readonly joined?: JoinedClient } | undefined>();
  const entry = gate();
  const selects = once((bulk: BulkSelect): RenderedSelect => renderSelect('postgres', bulk));
  const queries = once((query: BulkQuery): RenderedQuery => renderQuery('postgres', query));
  const claims = once((work: Claimable<unknown>): RenderedClaim => renderClaim('postgres', work));
  const fixedNow = (): string | null => clock?.now().toISOString() ?? null;
  let closing: Promise<void> | undefined;
  let own = 0;

  /** Code inside a transaction that waits for another connection could wait for itself if the pool is used up. */
  const refuseInside = (): void => {
    if (inside.getStore()?.isOver === false)
      throw new Error('inside a transaction only its own database handle may be used');
  };
  /** The host's connection, for code that takes part in its transaction. */
  const joinedClient = (): JoinedClient | undefined => {
    const turn = inside.getStore();
    return turn?.isOver === false ? turn.joined : undefined;
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
    /** Name of the prepared statement; null: not prepared, so it is planned for the current table. */
    name: string | null = null,
  ): Promise<unknown[][]> => {
    refuseInside();
    return entry.pass(() => retrying(() => run(pool, id, text, values, rows, name)));
  };
  const readOutside: typeof runOutside = async (id, text, values, rows, name = null) => {
    refuseInside();
    const untilMs = deadlineMs();
    return entry.pass(() => retrying(() => run(readingUntil(pool, untilMs), id, text, values, rows, name)));
  };
  const apply = writeSetRunner(run, fixedNow);
  // Unnamed, since the host may use the names on its connection.
  const joins = joiner(
    writeSetRunner((runner, id, text, values, rows) => run(runner, id, text, values, rows, null), fixedNow),
  );

  const read = (
    id: string,
    text: string,
    values: unknown[],
    rows: number,
    name: string | null,
  ): Promise<unknown[][]> => {
    const client = joinedClient();
    return client ? run(client, id, text, values, rows, null) : readOutside(id, text, values, rows, name);
  };

  const handle = (query: (config: QueryConfig, values: unknown[]) => Promise<unknown>): Db => {
    const client = {
      query: (config: QueryConfig, values: unknown[]) => {
        observer.statement?.('sql', 1, config.text);
        return query(config, values);
      },
    };
    // Safe: drizzle uses only `query` of the client.
    const db = drizzle(client as unknown as Pool);
    countBuilds(db, observer);
    return bareErrors(db);
  };

  const transact = async <T>(
    work: (client: Timed) => Promise<{ value: T; keep: boolean }>,
    { lockMs, mayBeLost = false }: Pick<WriteSet, 'lockMs' | 'mayBeLost'> = {},
  ): Promise<T> => {
    refuseInside();
    const untilMs = deadlineMs();
    return entry.pass(() =>
      withClient(
        pool,
        async (client, lent) => {
          const limited = timed(lent, untilMs, lockMs);
          await storageErrors.around(limited.begin(mayBeLost ? BEGIN_UNSYNCED : BEGIN));
          const { value, keep } = await work(limited);
          if (!keep) {
            await storageErrors.around(client.query('rollback'));
            return value;
          }
          await observer.beforeCommit?.();
          const { command } = await limited.commit().catch((error: unknown) => {
            throw commitError(error);
          });
          if (command !== 'COMMIT') throw new StorageError(FAILED_TRANSACTION);
          own += 1;
          observer.committed?.();
          return value;
        },
        untilMs,
      ),
    );
  };

  const work = async <T>(client: Timed, job: (db: Db) => Promise<T>): Promise<T> => {
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
      // The server has aborted the transaction, even if the error was caught.
      if (turn.failure) throw turn.failure.error;
      return value;
    } finally {
      turn.isOver = true;
    }
  };

  const db = handle(async (config, values) => {
    const client = joinedClient();
    if (client) return storageErrors.around(client.query(config, values));
    refuseInside();
    const untilMs = deadlineMs();
    if (untilMs === Number.POSITIVE_INFINITY) return entry.pass(() => storageErrors.around(pool.query(config, values)));
    if (READ.test(config.text))
      return entry.pass(() => storageErrors.around(readingUntil(pool, untilMs).query(config, values)));
    return transact(async (own) => ({ value: await storageErrors.around(own.query(config, values)), keep: true }));
  });
  const readOnlyConnection = handle(async (config, values) => {
    const client = joinedClient();
    if (client) return storageErrors.around(client.query(config, values));
    refuseInside();
    const untilMs = deadlineMs();
    return entry.pass(() => queryReadOnly(pool, untilMs, config, values));
  });
  return {
    dialect: postgresDialect,
    db,
    readOnlyConnection,
    wake,
    join: async (client, job) => {
      refuseInside();
      return entry.pass(() =>
        joins.call(client, async (joined) => {
          const turn = { isOver: false, joined };
          try {
            return await inside.run(turn, job);
          } finally {
            turn.isOver = true;
          }
        }),
      );
    },
    // If the host uses up the pool with its transactions, each waiting for its call, no other connection is available.
    // On the host's own connection such reads return the same, since no joined call writes what they cache.
    outsideTransaction: (job) => (joinedClient() && !isLent ? inside.run(undefined, job) : job()),
    transaction: (job) => transact(async (client) => ({ value: await work(client, job), keep: true })),
    select: async <Row>(bulk: BulkSelect<Row>, keys: readonly SelectKey[]) => {
      if (keys.length === 0) return [];
      const { id, text, single, keys: by, columns, hasMoment } = selects(bulk);
      const [only, ...others] = keys;
      if (single && only && others.length === 0) {
        const values = by.map((column, at) => column.encode(only[at]));
        return decodeRows<Row>(columns, await read(id, single.text, values, 1, single.name));
      }
      const values: unknown[] = by.map((column, at) => keys.map((key) => column.encode(key[at])));
      if (hasMoment) values.push(fixedNow());
      return decodeRows<Row>(columns, await read(id, text, values, keys.length, hasMoment ? null : id));
    },
    query: async <Values extends object, Row>(query: BulkQuery<Values, Row>, values: Values) => {
      const { id, text, values: bound, columns } = queries(query);
      const encoded = bound.map((column) => column.encode(Reflect.get(values, column.key)));
      return decodeRows<Row>(columns, await read(id, text, encoded, 1, null));
    },
    commit: async (plan) => {
      const client = joinedClient();
      if (client) return joins.commit(client, plan);
      const failed = await retrying(() =>
        transact(async (client) => {
          const value = await apply(client, plan);
          return { value, keep: value.size === 0 };
        }, plan),
      );
      if (failed.size > 0) return { ok: false, failed };
      for (const { afterCommit } of plan.hooks ?? []) afterCommit?.();
      return { ok: true };
    },
    commits: () => own,
    waitMs: poolWait(pool),
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
    scrub: async () => undefined,
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
        .then(end);
      await closing;
    },
  };
};
