import type { Claimed, LeaseKey } from '../storage/claim.ts';
import type { Storage } from '../storage/storage.ts';
import { LEASE_MS, MAX_CLAIMS, MAX_THROWS, type Registration } from './registration.ts';

/** Told about what nobody awaits; never given a row's values. */
export type WorkLog = {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
};

/** How often finishing is tried while the database is away, and the first pause; the pauses double. Ours. */
const FINISH_TRIES = 6;
const FINISH_PAUSE_MS = 200;
/** Pause after a throw, doubled each time. Ours. */
const THROW_PAUSE_MS = 1_000;

const keyOf = (row: LeaseKey): string => `${row.orgId}/${row.projectId}/${row.environment}/${row.id}`;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());

/**
 * The rows of one registration that this process holds leases on: handles them, gathers their outcomes and finishes
 * those in groups, so that one hanging row holds nobody's result.
 */
export const batches = <Row extends LeaseKey, Outcome>(
  storage: Storage,
  work: Registration<Row, Outcome>,
  log: WorkLog,
  onFree: () => void,
) => {
  const held = new Map<string, Claimed<Row>>();
  const throws = new Map<string, number>();
  let outcomes: { row: LeaseKey; outcome: Outcome }[] = [];
  let finishing: Promise<void> | undefined;

  const free = (rows: readonly LeaseKey[]): void => {
    for (const row of rows) {
      // A row that was lost and claimed anew by this process has another fence.
      if (held.get(keyOf(row))?.fence === row.fence) held.delete(keyOf(row));
    }
    onFree();
  };

  const finish = async (): Promise<void> => {
    while (outcomes.length > 0) {
      const batch = outcomes;
      outcomes = [];
      for (let attempt = 1; ; attempt += 1) {
        try {
          await work.finish(batch.map(({ outcome }) => outcome));
          break;
        } catch (error) {
          log.error({ work: work.name, rows: batch.length, attempt, error }, 'outcomes could not be written');
          // The leases run out and the rows are taken up again.
          if (attempt === FINISH_TRIES) break;
          await pause(FINISH_PAUSE_MS * 2 ** attempt);
        }
      }
      free(batch.map(({ row }) => row));
    }
    finishing = undefined;
  };

  const done = (row: LeaseKey, outcome: Outcome): void => {
    throws.delete(keyOf(row));
    outcomes.push({ row, outcome });
    finishing ??= new Promise<void>((resolve) => setImmediate(resolve)).then(finish);
  };

  const giveUp = async (row: Claimed<Row>, reason: string): Promise<void> => {
    log.error({ work: work.name, id: row.id, orgId: row.orgId, reason }, 'work was given up');
    throws.delete(keyOf(row));
    await work.giveUp(row, reason);
    free([row]);
  };

  const afterThrow = async (row: Claimed<Row>, error: unknown): Promise<void> => {
    const count = (throws.get(keyOf(row)) ?? 0) + 1;
    log.error({ work: work.name, id: row.id, orgId: row.orgId, count, error }, 'work threw');
    if (count >= MAX_THROWS) return giveUp(row, 'threw');
    throws.set(keyOf(row), count);
    await storage.renew(work.claim, [row], THROW_PAUSE_MS * 2 ** count);
    free([row]);
  };

  /** Rows that were not reported when their batch threw are tried alone, so that only the culprit is blamed. */
  const handle = async (rows: readonly Claimed<Row>[], signal: AbortSignal): Promise<void> => {
    const open = new Map(rows.map((row) => [keyOf(row), row]));
    try {
      await work.handle(
        rows,
        (row, outcome) => {
          if (open.delete(keyOf(row))) done(row, outcome);
        },
        { signal },
      );
      if (open.size > 0) throw new Error(`${open.size} rows were not reported`);
    } catch (error) {
      if (open.size === 1) for (const row of open.values()) await afterThrow(row, error);
      else for (const row of open.values()) await handle([row], signal);
    }
  };

  return {
    size: () => held.size,
    /** Handles claimed rows; resolves when every one has been reported, given up or put back. */
    take: async (rows: readonly Claimed<Row>[], signal: AbortSignal): Promise<void> => {
      for (const row of rows) held.set(keyOf(row), row);
      const worn = rows.filter((row) => row.fence > MAX_CLAIMS);
      for (const row of worn) await giveUp(row, 'claimed_too_often');
      const able = worn.length === 0 ? rows : rows.filter((row) => row.fence <= MAX_CLAIMS);
      if (able.length > 0) await handle(able, signal);
    },
    /** Keeps the leases of everything in hand; what is no longer ours is let go. */
    renew: async (): Promise<void> => {
      const mine = [...held.values()];
      if (mine.length === 0) return;
      const kept = new Set((await storage.renew(work.claim, mine, LEASE_MS)).map(keyOf));
      free(mine.filter((row) => !kept.has(keyOf(row))));
    },
    /** Ends the leases of everything still in hand, so that another worker need not wait for them. */
    release: async (): Promise<void> => {
      const mine = [...held.values()];
      held.clear();
      if (mine.length > 0) await storage.renew(work.claim, mine, 0);
    },
    /** Resolves when every outcome reported so far has been written. */
    settled: async (): Promise<void> => {
      await finishing;
    },
  };
};
