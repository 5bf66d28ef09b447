import { drizzle } from 'drizzle-orm/sqlite-proxy';
import type { Clock } from '../../foundation/clock.ts';
import { deadlineMs } from '../../foundation/deadline.ts';
import { sqliteDialect } from '../dialect.ts';
import { bareErrors, countBuilds, once } from '../drizzle.ts';
import { storageErrors } from '../errors.ts';
import { gate } from '../gate.ts';
import { checkDeadline, databaseMs, lockWaits } from '../in-time.ts';
import type { StorageObserver } from '../observer.ts';
import type { BulkSelect, SelectKey } from '../statements/bulk.ts';
import { type Claimable, type Claimed, type RenderedClaim, renderClaim } from '../statements/claim.ts';
import { renderSelect } from '../statements/render.ts';
import type { RenderedSelect } from '../statements/rendered.ts';
import { decodeRows, leaseOf } from '../statements/rows.ts';
import { type BulkQuery, type RenderedQuery, renderQuery } from '../statements/sql-text.ts';
import type { Db, Storage } from '../storage.ts';
import { localWake } from '../wake.ts';
import { writeSetRunner } from './apply.ts';
import { busyWait } from './busy.ts';
import { checkpoints } from './checkpoint.ts';
import { clockSteps, type HostClocks, keepDueText, moveLeasesText } from './clock-steps.ts';
import { type Connection, statements } from './connection.ts';
import { commitGroup, type JobOptions } from './group.ts';
import { keyForms, keyParams, variesAt } from './key-list.ts';
import type { ConnectionMutex } from './mutex.ts';
import type { Readers } from './readers.ts';
import { scrub } from './scrub.ts';

type Rows = { rows: unknown[] };

const HOST_CLOCKS: HostClocks = { wallMs: () => Date.now(), monotonicMs: () => performance.now() };

/** Storage over one SQLite connection, which it owns from now on. Throws nothing. */
export const sqliteStorage = (
  connection: Connection,
  mutex: ConnectionMutex,
  {
    clock,
    observer = {},
    onError,
    readers,
    hostClocks = HOST_CLOCKS,
  }: {
    clock?: Clock;
    observer?: StorageObserver;
    onError?: (error: unknown) => void;
    readers?: Readers | null;
    /** Used where no clock is given. */
    hostClocks?: HostClocks;
  },
): Storage => {
  const prepared = statements(connection);
  const log = checkpoints(connection, { onError, aside: readers?.copyLog });
  const committed = (): void => {
    log.committed();
    observer.committed?.();
  };
  const waitUntil = busyWait(connection);
  const waits = lockWaits();
  const hooks = {
    // Asked for each time: without the hook a group is written in one tick.
    get beforeCommit() {
      return observer.beforeCommit;
    },
    committed,
    waitUntil,
  };
  const group = commitGroup(connection, mutex, hooks, waits);
  const nowMs = (): number => clock?.now().getTime() ?? hostClocks.wallMs();
  const apply = writeSetRunner(connection, prepared, observer, nowMs);
  const entry = gate();
  const wake = localWake();
  const selects = keyForms((bulk: BulkSelect, varies): RenderedSelect => renderSelect('sqlite', bulk, varies));
  const queries = once((query: BulkQuery): RenderedQuery => renderQuery('sqlite', query));
  const claims = once((work: Claimable<unknown>): RenderedClaim => renderClaim('sqlite', work));
  const version = connection.prepare('pragma data_version').pluck();
  let own = 0;
  let closing: Promise<void> | undefined;

  const built = (text: string, params: unknown[], method: string): Rows => {
    const statement = prepared(text);
    observer.statement?.('sql', 1, text);
    if (!statement.reader) {
      statement.run(params);
      return { rows: [] };
    }
    // sqlite-proxy expects one bare row for `get` and rows for everything else.
    return { rows: method === 'get' ? (statement.get(params) as unknown[]) : statement.all(params) };
  };
  const handleOf = (run: Parameters<typeof drizzle>[0]): Db => {
    const db = drizzle(run);
    countBuilds(db, observer);
    return bareErrors(db);
  };
  const handle = (run: (job: () => Rows) => Promise<Rows>): Db =>
    handleOf((text, params, method) => run(() => storageErrors.sync(() => built(text, params, method))));
  const readAside = ({ read: readRows }: Readers): Db =>
    handleOf((text, params, method) =>
      entry.pass(async () => {
        mutex.refuseInside();
        observer.statement?.('aside', 1, text);
        const untilMs = deadlineMs();
        const rows = await readRows(
          text,
          params,
          untilMs === Number.POSITIVE_INFINITY ? undefined : databaseMs(untilMs),
        );
        // Safe: a row is an array; see `built`.
        return { rows: method === 'get' ? (rows[0] as unknown[]) : rows };
      }),
    );

  /** A job that is begun only while whoever asked for it has time: its turn may have been long in coming. */
  const inTime = <T>(job: () => T): (() => T) => {
    const untilMs = deadlineMs();
    return () => {
      checkDeadline(untilMs, waits.late);
      return job();
    };
  };
  const read = (id: string, text: string, params: unknown): unknown[][] => {
    observer.statement?.(id, 1, text);
    // Safe: statements are prepared in raw mode, which answers arrays.
    return prepared(text).all(params) as unknown[][];
  };
  const readOutside = (id: string, text: string, params: unknown): Promise<unknown[][]> =>
    entry.pass(() => storageErrors.around(mutex.outside(inTime(() => read(id, text, params)))));
  // A given clock stands for both clocks of the host, so it never differs from itself.
  const steps = clock ? null : clockSteps(hostClocks);
  const queues = new Map<string, Claimable<unknown>>();
  const setMoments = (work: Claimable<unknown>, text: string, params: object): void => {
    observer.statement?.(`${work.id}.step`, 1, text);
    prepared(text).run(params);
  };
  /** Steps of the wall clock with which the queues have not moved yet. */
  let unmoved = 0;
  /** True where the wall clock was set; then all queues move with it before what is asked from now on. */
  const followSteps = (): boolean => {
    const step = steps?.look();
    if (!steps || !step) return false;
    const undo = steps.accept(step);
    const { beforeMs: before, afterMs: after } = step;
    const by = after - before;
    const move = () => {
      for (const work of queues.values()) {
        if (by < 0) setMoments(work, keepDueText(work), { from: after, before, after, by });
        setMoments(work, moveLeasesText(work), { before, after, by });
      }
      return { value: undefined, keep: true };
    };
    unmoved += 1;
    entry
      .pass(() => storageErrors.around(group.run(move)))
      .catch((error: unknown) => {
        undo();
        onError?.(error);
      })
      .finally(() => {
        unmoved -= 1;
      });
    return true;
  };
  const inGroup = <T>(job: () => { value: T; keep: boolean }, options?: JobOptions): Promise<T> =>
    entry.pass(() => {
      followSteps();
      return storageErrors.around(group.run(job, options));
    });

  const transact = async <T>(work: (db: Db) => Promise<T>): Promise<T> => {
    const untilMs = deadlineMs();
    checkDeadline(untilMs, waits.late);
    waitUntil(untilMs);
    const state: { isOver: boolean; failure?: { error: unknown } } = { isOver: false };
    const db = handle(async (job) => {
      if (mutex.isTired()) await mutex.rest();
      if (state.failure) throw state.failure.error;
      if (state.isOver) throw new Error('the transaction of this database handle is over');
      try {
        return job();
      } catch (error) {
        state.failure = { error };
        throw error;
      }
    });
    const askedMs = performance.now();
    try {
      storageErrors.sync(() => connection.exec('begin immediate'));
    } finally {
      waits.ended(askedMs);
    }
    try {
      const result = await work(db);
      state.isOver = true;
      // As on PostgreSQL, a failed statement fails its transaction even where its error was caught.
      if (state.failure) throw state.failure.error;
      await observer.beforeCommit?.();
      checkDeadline(untilMs);
      storageErrors.sync(() => connection.exec('commit'));
      committed();
      return result;
    } catch (error) {
      if (connection.inTransaction) connection.exec('rollback');
      throw error;
    } finally {
      state.isOver = true;
    }
  };

  const db = handle((job) => entry.pass(() => mutex.outside(inTime(job))));
  return {
    dialect: sqliteDialect,
    db,
    aside: readers ? readAside(readers) : db,
    wake,
    join: async () => {
      throw new TypeError(
        'client joins a transaction on PostgreSQL only: on SQLite make the call after your own commit.',
      );
    },
    apart: (work) => work(),
    transaction: (work) => entry.pass(() => mutex.exclusive(() => transact(work))),
    select: async <Row>(bulk: BulkSelect<Row>, keys: readonly SelectKey[]) => {
      if (keys.length === 0) return [];
      // A text that a module renders has one form, behind whose keys the moment is bound.
      const varies = bulk.render === undefined ? variesAt(keys) : null;
      const { id, text, keys: by, columns, hasMoment } = selects(bulk, varies);
      const params = keyParams(by, keys, varies);
      return decodeRows<Row>(columns, await readOutside(id, text, hasMoment ? [...params, nowMs()] : params));
    },
    query: async <Values extends object, Row>(query: BulkQuery<Values, Row>, values: Values) => {
      const { id, text, values: bound, columns } = queries(query);
      const encoded = bound.map((column) => column.encode(Reflect.get(values, column.key)));
      return decodeRows<Row>(columns, await readOutside(id, text, encoded));
    },
    commit: async (plan) => {
      own += 1;
      const { isGathered, mayBeLost } = plan;
      const write = (isApart: boolean) =>
        inGroup(
          () => {
            const value = apply(plan, isApart);
            return { value, keep: value?.size === 0 };
          },
          { isGathered, mayBeLost, untilMs: deadlineMs() },
        );
      const written = write(false);
      // Before it is written: a claim that this causes stands behind the plan in the queue and shares its transaction.
      if (plan.wakes) wake.signal(plan.wakes);
      const failed = (await written) ?? (await write(true)) ?? new Set();
      if (failed.size > 0) return { ok: false, failed };
      for (const { after } of plan.along ?? []) after?.();
      return { ok: true };
    },
    // The version of the file changes with what others commit, and never with what this connection does.
    commits: () => own + Number(version.get()),
    waitMs: () => 0,
    claim: async <Row>(work: Claimable<Row>, limit: number, leaseMs: number) => {
      // SQLite takes a negative limit for none at all.
      if (limit < 1) return [];
      const { claim, columns } = claims(work);
      queues.set(work.id, work);
      for (;;) {
        const rows = await inGroup(() => {
          // Set between the request and its turn: leases seem to have run out, and have to move first. Whoever noticed it in
          // the meantime stands behind this claim.
          if (unmoved > 0 || steps?.look()) return { value: null, keep: true };
          const params = { now: nowMs(), lease: leaseMs, limit };
          return { value: read(`${work.id}.claim`, claim, params), keep: true };
        });
        if (rows) return decodeRows<Claimed<Row>>(columns, rows);
      }
    },
    renew: async (work, leases, leaseMs) => {
      if (leases.length === 0) return [];
      const keys = leases.map((l) => [l.scopeId, l.id, l.fence]);
      const { renew } = claims(work);
      queues.set(work.id, work);
      const leased = JSON.stringify(keys);
      const rows = await inGroup(() => ({
        value: read(`${work.id}.renew`, renew, { now: nowMs(), lease: leaseMs, leases: leased }),
        keep: true,
      }));
      return rows.map(leaseOf);
    },
    nextDueInMs: async (work) => {
      // What is due is known again once leases have moved with the clock, which a claim waits for.
      if (followSteps()) return 0;
      for (const late of steps?.late() ?? [])
        await inGroup(() => ({ value: setMoments(work, keepDueText(work), late), keep: true }));
      const [row] = await readOutside(`${work.id}.next`, claims(work).nextDue, { now: nowMs() });
      return typeof row?.[0] === 'number' ? row[0] : null;
    },
    now: async () => new Date(nowMs()),
    scrub: () =>
      entry.pass(() =>
        mutex.exclusive(async () => {
          // While another thread copies the log it cannot be emptied.
          await log.copied();
          storageErrors.sync(() => scrub(connection));
        }),
      ),
    close: async () => {
      mutex.refuseInside();
      closing ??= entry.shut().then(async () => {
        log.stop();
        await log.copied();
        await readers?.close();
        connection.close();
      });
      await closing;
    },
  };
};
