import { isUnavailable } from '../database/errors.ts';
import type { Claimed, LeaseKey } from '../database/statements/claim.ts';
import type { Storage } from '../database/storage.ts';
import { lru } from '../foundation/lru.ts';
import { outcomeWriter } from './committing.ts';
import type { WorkLog } from './log.ts';
import { LEASE_MS, MAX_CLAIMS, MAX_THROWS, type ProcessContext, type Registration } from './registration.ts';

/** Pause after a throw, doubled each time. Chosen. */
const THROW_PAUSE_MS = 1_000;
/**
 * If no more rows are in hand, this many outcomes are written without waiting for others. Chosen: worth a commit, while
 * a few that arrive one by one are not.
 */
const WORTH_A_COMMIT = 64;
/** Rows whose throws are counted. Chosen: far more than ever throw at once. */
const MAX_THROWERS = 10_000;

const keyOf = (row: LeaseKey): string => `${row.scopeId}/${row.id}`;
const leaseKeyOf = (row: LeaseKey): string => `${keyOf(row)}/${row.fence}`;

/** Signals of a stopping worker. */
export type StopSignals = Pick<ProcessContext<LeaseKey>, 'signal' | 'draining'>;

/**
 * The rows of one registration that this process has leased. Handles them and writes their outcomes in groups, so that
 * one hanging row delays no other outcome.
 */
export const batches = <Row extends LeaseKey, Outcome>(
  storage: Storage,
  work: Registration<Row, Outcome>,
  log: WorkLog,
  onFree: () => void,
  onEnding: () => void = () => undefined,
) => {
  // By identity: a row that was lost and claimed again by this process is a different one.
  const held = new Set<Claimed<Row>>();
  const throws = lru<string, number>(MAX_THROWERS);

  const free = (rows: readonly Claimed<Row>[]): void => {
    for (const row of rows) held.delete(row);
    onFree();
  };

  /**
   * Runs statements on leases one after another. On PostgreSQL they skip locked rows, so a concurrent renewal would
   * prevent leases from being ended.
   */
  let lastLease: Promise<unknown> = Promise.resolve();
  const runInOrder = <Result>(run: () => Promise<Result>): Promise<Result> => {
    const next = lastLease.then(run);
    lastLease = next.catch(() => undefined);
    return next;
  };

  let toReturn: Claimed<Row>[] = [];
  let returned: Promise<unknown> = Promise.resolve();
  const endReturned = async (): Promise<void> => {
    const rows = toReturn;
    toReturn = [];
    try {
      await runInOrder(() => storage.renew(work.claim, rows, 0));
      log.info({ work: work.name, rows: rows.length }, 'work that had not begun was given back');
      storage.wake.signal([work.name]);
    } catch (error) {
      log.warn({ work: work.name, rows: rows.length, error }, 'leases could not be ended');
    }
  };
  /** Gives back all rows of one turn of the event loop together. */
  const giveBack = (rows: readonly Claimed<Row>[]): void => {
    if (rows.length === 0) return;
    if (toReturn.length === 0) returned = Promise.all([returned, Promise.resolve().then(endReturned)]);
    for (const row of rows) toReturn.push(row);
    free(rows);
  };

  // Rows being written free their capacity, so the next claim can share their transaction.
  let ending = 0;
  /** Rows whose outcome was reported but is not on disk. */
  let unwritten = 0;
  const outcomes = outcomeWriter<Claimed<Row>, Outcome>(
    work,
    log,
    (rows) => {
      ending -= rows.length;
      unwritten -= rows.length;
      free(rows);
    },
    (count) => {
      ending += count;
      onEnding();
    },
    (waiting) => waiting >= WORTH_A_COMMIT && waiting === held.size - ending,
  );

  const done = (row: Claimed<Row>, outcome: Outcome): void => {
    if (throws.size > 0) throws.delete(keyOf(row));
    unwritten += 1;
    outcomes.add(row, outcome);
  };

  /** The rows themselves did not fail: their leases run out, and they are claimed again. */
  const abandon = (rows: readonly Claimed<Row>[], error: unknown): void => {
    log.error({ work: work.name, rows: rows.length, error }, 'work was let go');
    free(rows);
  };

  const deadLetter = async (row: Claimed<Row>, reason: string): Promise<void> => {
    log.error({ work: work.name, id: row.id, scopeId: row.scopeId, reason }, 'work was given up');
    await work.deadLetter(row, reason);
    throws.delete(keyOf(row));
    free([row]);
  };

  const afterThrow = async (row: Claimed<Row>, error: unknown): Promise<void> => {
    const count = (throws.get(keyOf(row)) ?? 0) + 1;
    log.error({ work: work.name, id: row.id, scopeId: row.scopeId, count, error }, 'work threw');
    throws.set(keyOf(row), count);
    if (count >= MAX_THROWS) return deadLetter(row, 'threw');
    await storage.renew(work.claim, [row], THROW_PAUSE_MS * 2 ** count);
    free([row]);
  };

  /** If a batch throws, its unreported rows are tried again by halves, so that only the failing row is blamed. */
  const handle = async (rows: readonly Claimed<Row>[], signals: StopSignals): Promise<void> => {
    const open = new Set(rows);
    try {
      await work.process(
        rows,
        (row, outcome) => {
          if (open.delete(row)) done(row, outcome);
        },
        { ...signals, giveBack: (some) => giveBack(some.filter((row) => open.delete(row))) },
      );
      if (open.size > 0) throw new Error(`${open.size} rows were not reported`);
    } catch (error) {
      const rest = [...open];
      const [first, second] = rest;
      if (!first) log.error({ work: work.name, error }, 'work threw after all of it was done');
      // Its calls were cut off; `release` decides about the leases.
      else if (work.callsProviders && signals.signal.aborted) return;
      else if (isUnavailable(error)) abandon(rest, error);
      else if (!work.callsProviders && signals.draining.aborted) giveBack(rest);
      else if (!second) await afterThrow(first, error).catch((reason) => abandon([first], reason));
      else {
        const middle = Math.ceil(rest.length / 2);
        await handle(rest.slice(0, middle), signals);
        await handle(rest.slice(middle), signals);
      }
    }
  };

  return {
    /** Number of rows that are being handled or wait for it. */
    size: () => Math.max(held.size - ending, 0),
    /** Handles claimed rows; resolves when each has been reported, dead-lettered, put back or abandoned. */
    take: async (rows: readonly Claimed<Row>[], signals: StopSignals): Promise<void> => {
      for (const row of rows) held.add(row);
      const overclaimed = rows.filter((row) => row.fence > MAX_CLAIMS);
      for (const row of overclaimed) await deadLetter(row, 'claimed_too_often').catch((error) => abandon([row], error));
      const processable = overclaimed.length === 0 ? rows : rows.filter((row) => row.fence <= MAX_CLAIMS);
      if (processable.length > 0) await handle(processable, signals);
    },
    /** Renews the leases of all rows in hand; lost rows are dropped. */
    renew: (): Promise<void> =>
      runInOrder(async () => {
        const mine = [...held];
        if (mine.length === 0) return;
        const kept = new Set((await storage.renew(work.claim, mine, LEASE_MS)).map(leaseKeyOf));
        free(mine.filter((row) => !kept.has(leaseKeyOf(row))));
      }),
    /** Ends the leases of claimed rows that have not begun. Throws nothing. */
    giveBack,
    /** Number of rows in hand that were not reported. */
    unreported: () => Math.max(held.size - unwritten, 0),
    /**
     * Drops all rows still in hand. Their leases end at once, unless they may be with a provider: then they run out.
     */
    release: async (): Promise<void> => {
      outcomes.stop();
      const mine = [...held];
      held.clear();
      if (mine.length > 0 && !work.callsProviders) await runInOrder(() => storage.renew(work.claim, mine, 0));
      await returned;
    },
    /** Resolves when every outcome reported so far is written, and the leases of given-back rows have ended. */
    settled: async (): Promise<void> => {
      await outcomes.settled();
      await returned;
    },
  };
};
