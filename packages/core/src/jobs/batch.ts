import { isUnavailable } from '../database/errors.ts';
import type { Claimed, LeaseKey } from '../database/statements/claim.ts';
import type { Storage } from '../database/storage.ts';
import { lru } from '../foundation/lru.ts';
import { outcomeWriter } from './committing.ts';
import type { WorkLog } from './log.ts';
import { LEASE_MS, MAX_CLAIMS, MAX_THROWS, type ProcessContext, type Registration } from './registration.ts';

/** Pause after a throw, doubled each time. Ours. */
const THROW_PAUSE_MS = 1_000;
/** Outcomes that wait for no others once no more are in hand: worth a commit, where few that come one by one are not. Ours. */
const WORTH_A_COMMIT = 64;
/** Rows whose throws are remembered; ours: far more than ever throw at a time. */
const MAX_THROWERS = 10_000;

const keyOf = (row: LeaseKey): string => `${row.scopeId}/${row.id}`;
const leaseOf = (row: LeaseKey): string => `${keyOf(row)}/${row.fence}`;

/** How a batch learns that its worker stops. */
export type StopSignals = Pick<ProcessContext<LeaseKey>, 'signal' | 'draining'>;

/**
 * The rows of one registration that this process holds leases on: handles them, gathers their outcomes and finishes
 * those in groups, so that one hanging row holds nobody's result.
 */
export const batches = <Row extends LeaseKey, Outcome>(
  storage: Storage,
  work: Registration<Row, Outcome>,
  log: WorkLog,
  onFree: () => void,
  onEnding: () => void = () => undefined,
) => {
  // By identity: a row that was lost and claimed anew by this process is another one.
  const held = new Set<Claimed<Row>>();
  const throws = lru<string, number>(MAX_THROWERS);

  const free = (rows: readonly Claimed<Row>[]): void => {
    for (const row of rows) held.delete(row);
    onFree();
  };

  /**
   * Runs statements on leases one after another. On PostgreSQL they pass over locked rows, so a renewal that ran meanwhile
   * would keep leases from being ended.
   */
  let lastLease: Promise<unknown> = Promise.resolve();
  const inOrder = <Result>(run: () => Promise<Result>): Promise<Result> => {
    const next = lastLease.then(run);
    lastLease = next.catch(() => undefined);
    return next;
  };

  let returning: Claimed<Row>[] = [];
  let returned: Promise<unknown> = Promise.resolve();
  const endReturned = async (): Promise<void> => {
    const rows = returning;
    returning = [];
    try {
      await inOrder(() => storage.renew(work.claim, rows, 0));
      log.info({ work: work.name, rows: rows.length }, 'work that had not begun was given back');
      storage.wake.signal([work.name]);
    } catch (error) {
      log.warn({ work: work.name, rows: rows.length, error }, 'leases could not be ended');
    }
  };
  /** Gives back together what is given back in one turn of the event loop. */
  const giveBack = (rows: readonly Claimed<Row>[]): void => {
    if (rows.length === 0) return;
    if (returning.length === 0) returned = Promise.all([returned, Promise.resolve().then(endReturned)]);
    for (const row of rows) returning.push(row);
    free(rows);
  };

  // What is being written leaves its place to the next one, whose claim then is in the same transaction.
  let ending = 0;
  /** Rows whose outcome was reported and is not on disk yet. */
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

  /** Nothing is known against these rows: their leases run out, and they are taken up again. */
  const letGo = (rows: readonly Claimed<Row>[], error: unknown): void => {
    log.error({ work: work.name, rows: rows.length, error }, 'work was let go');
    free(rows);
  };

  const giveUp = async (row: Claimed<Row>, reason: string): Promise<void> => {
    log.error({ work: work.name, id: row.id, scopeId: row.scopeId, reason }, 'work was given up');
    await work.giveUp(row, reason);
    throws.delete(keyOf(row));
    free([row]);
  };

  const afterThrow = async (row: Claimed<Row>, error: unknown): Promise<void> => {
    const count = (throws.get(keyOf(row)) ?? 0) + 1;
    log.error({ work: work.name, id: row.id, scopeId: row.scopeId, count, error }, 'work threw');
    throws.set(keyOf(row), count);
    if (count >= MAX_THROWS) return giveUp(row, 'threw');
    await storage.renew(work.claim, [row], THROW_PAUSE_MS * 2 ** count);
    free([row]);
  };

  /** Rows that were not reported when their batch threw are tried by halves, so that only the culprit is blamed. */
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
      // Its calls were cut off: `release` decides about the leases.
      else if (work.callsProviders && signals.signal.aborted) return;
      else if (isUnavailable(error)) letGo(rest, error);
      else if (!work.callsProviders && signals.draining.aborted) giveBack(rest);
      else if (!second) await afterThrow(first, error).catch((reason) => letGo([first], reason));
      else {
        const middle = Math.ceil(rest.length / 2);
        await handle(rest.slice(0, middle), signals);
        await handle(rest.slice(middle), signals);
      }
    }
  };

  return {
    /** Rows that are handled, or wait for that. */
    size: () => Math.max(held.size - ending, 0),
    /** Handles claimed rows; resolves when every one has been reported, given up, put back or let go. */
    take: async (rows: readonly Claimed<Row>[], signals: StopSignals): Promise<void> => {
      for (const row of rows) held.add(row);
      const worn = rows.filter((row) => row.fence > MAX_CLAIMS);
      for (const row of worn) await giveUp(row, 'claimed_too_often').catch((error) => letGo([row], error));
      const able = worn.length === 0 ? rows : rows.filter((row) => row.fence <= MAX_CLAIMS);
      if (able.length > 0) await handle(able, signals);
    },
    /** Keeps the leases of everything in hand; what is no longer ours is let go. */
    renew: (): Promise<void> =>
      inOrder(async () => {
        const mine = [...held];
        if (mine.length === 0) return;
        const kept = new Set((await storage.renew(work.claim, mine, LEASE_MS)).map(leaseOf));
        free(mine.filter((row) => !kept.has(leaseOf(row))));
      }),
    /** Ends the leases of claimed rows that were not taken. Throws nothing. */
    giveBack,
    /** How many rows in hand were not reported. */
    unreported: () => Math.max(held.size - unwritten, 0),
    /** Forgets everything still in hand. Its leases end at once, unless it may be with a provider: then they run out. */
    release: async (): Promise<void> => {
      outcomes.stop();
      const mine = [...held];
      held.clear();
      if (mine.length > 0 && !work.callsProviders) await inOrder(() => storage.renew(work.claim, mine, 0));
      await returned;
    },
    /** Resolves when every outcome reported so far has been written, and the leases of what was given back have ended. */
    settled: async (): Promise<void> => {
      await outcomes.settled();
      await returned;
    },
  };
};
