import { drizzle } from 'drizzle-orm/sqlite-proxy';
import type { Clock } from '../../foundation/clock.ts';
import { deadlineMs } from '../../foundation/deadline.ts';
import { checkDeadline, databaseMs, lockWaits } from '../deadlines.ts';
import { sqliteDialect } from '../dialect.ts';
import { bareErrors, countBuilds, once } from '../drizzle.ts';
import { storageErrors } from '../errors.ts';
import { gate } from '../gate.ts';
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

/** Storage on one SQLite connection, which it owns from now on. Throws nothing. */
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
    /** Used without `clock`. */
    hostClocks?: HostClocks;
  },
): Storage => {
  const prepared = statements(connection);
  const log = checkpoints(connection, { onError, copyInThread: readers?.copyLog });
  const committed = (): void => {
    log.committed();
    observer.committed?.();
  };
  const waitUntil = busyWait(connection);
  const waits = lockWaits();
  const hooks = {
    // Read each time: without the hook a group is written in one tick.
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

  const runBuilt = (text: string, params: unknown[], method: string): Rows => {
    const statement = prepared(text);
    observer.statement?.('sql', 1, text);
    if (!statement.reader) {
      statement.run(params);
      return { rows: [] };
    }
    // sqlite-proxy expects one row for `get` and a list of rows otherwise.
    return { rows: method === 'get' ? (statement.get(params) as unknown[]) : statement.all(params) };
  };
  const handleOf = (run: Parameters<typeof drizzle>[0]): Db => {
    const db = drizzle(run);
    countBuilds(db, observer);
    return bareErrors(db);
  };
  const handle = (run: (job: () => Rows) => Promise<Rows>): Db =>
    handleOf((text, params, method) => run(() => storageErrors.sync(() => runBuilt(text, params, method))));
  const threadHandle = ({ read: readRows }: Readers): Db =>
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
        // Safe: a row is an array; see `runBuilt`.
        return { rows: method === 'get' ? (rows[0] as unknown[]) : rows };
      }),
    );

  /** Wraps a job so that it starts only before its caller's deadline, since it may wait long for its turn. */
  const inTime = <T>(job: () => T): (() => T) => {
    const untilMs = deadlineMs();
    return () => {
      checkDeadline(untilMs, waits.lateError);
      return job();
    };
  };
  const read = (id: string, text: string, params: unknown): unknown[][] => {
    observer.statement?.(id, 1, text);
    // Safe: statements are prepared in raw mode, which returns arrays.
    return prepared(text).all(params) as unknown[][];
  };
  const readOutside = (id: string, text: string, params: unknown): Promise<unknown[][]> =>
    entry.pass(() => storageErrors.around(mutex.outside(inTime(() => read(id, text, params)))));
  // An injected clock replaces both clocks of the host, so no step can occur.
  const steps = clock ? null : clockSteps(hostClocks);
  const queues = new Map<string, Claimable<unknown>>();
  const setMoments = (work: Claimable<unknown>, text: string, params: object): void => {
    observer.statement?.(`${work.id}.step`, 1, text);
    prepared(text).run(params);
  };
  /** Steps of the wall clock that the queues have not followed yet. */
  let pendingMoves = 0;
  /** True if the wall clock was set; then all queues move before later requests. */
  const followSteps = (): boolean => {
    const step = steps?.pendingStep();
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
    pendingMoves += 1;
    entry
      .pass(() => storageErrors.around(group.run(move)))
      .catch((error: unknown) => {
        undo();
        onError?.(error);
      })
      .finally(() => {
        pendingMoves -= 1;
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
    checkDeadline(untilMs, waits.lateError);
    waitUntil(untilMs);
    const state: { isOver: boolean; failure?: { error: unknown } } = { isOver: false };
    const db = handle(async (job) => {
      if (mutex.isYieldDue()) await mutex.yieldTurn();
      if (state.failure) throw state.failure.error;
      if (state.isOver) throw new Error('the transaction of this database handle is over');
      try {
        return job();
      } catch (error) {
        state.failure = { error };
        throw error;
      }
    });
    const startMs = performance.now();
    try {
      storageErrors.sync(() => connection.exec('begin immediate'));
    } finally {
      waits.ended(startMs);
    }
    try {
      const result = await work(db);
      state.isOver = true;
      // As on PostgreSQL, a failed statement fails its transaction even if its error was caught.
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
    readOnlyConnection: readers ? threadHandle(readers) : db,
    wake,
    join: async () => {
      throw new TypeError(
        'client joins a transaction on PostgreSQL only: on SQLite make the call after your own commit.',
      );
    },
    outsideTransaction: (work) => work(),
    transaction: (work) => entry.pass(() => mutex.exclusive(() => transact(work))),
    select: async <Row>(bulk: BulkSelect<Row>, keys: readonly SelectKey[]) => {
      if (keys.length === 0) return [];
      // A text rendered by a module has one form, with the time bound after its keys.
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
      const write = (runsRowsSingly: boolean) =>
        inGroup(
          () => {
            const value = apply(plan, runsRowsSingly);
            return { value, keep: value?.size === 0 };
          },
          { isGathered, mayBeLost, untilMs: deadlineMs() },
        );
      const written = write(false);
      // Signalled before it is written: the resulting claim is queued after the plan and shares its transaction.
      if (plan.wakes) wake.signal(plan.wakes);
      const failed = (await written) ?? (await write(true)) ?? new Set();
      if (failed.size > 0) return { ok: false, failed };
      for (const { afterCommit } of plan.hooks ?? []) afterCommit?.();
      return { ok: true };
    },
    // The version of the file changes with commits of other connections only.
    commits: () => own + Number(version.get()),
    waitMs: () => 0,
    claim: async <Row>(work: Claimable<Row>, limit: number, leaseMs: number) => {
      // SQLite reads a negative limit as no limit.
      if (limit < 1) return [];
      const { claim, columns } = claims(work);
      queues.set(work.id, work);
      for (;;) {
        const rows = await inGroup(() => {
          // The clock was set between the request and its turn: leases seem to have expired and must move first. The
          // move is queued after this claim.
          if (pendingMoves > 0 || steps?.pendingStep()) return { value: null, keep: true };
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
      // The next due time is unknown until leases have moved with the clock, which a claim waits for.
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
          // The log cannot be truncated while another thread copies it.
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
