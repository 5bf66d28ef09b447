import type { Claimable, Claimed, LeaseKey } from '../database/statements/claim.ts';
import type { Adoption } from './adoption.ts';

/** What a batch's handler may use. */
export type ProcessContext<Row extends LeaseKey> = {
  /** Aborted when the worker is told to stop and the time for finishing is over. */
  readonly signal: AbortSignal;
  /**
   * Aborted as soon as the worker is told to stop. The handler then gives back rows that it has not begun. Long work stops
   * by throwing at the next point from which another worker can continue it.
   */
  readonly draining: AbortSignal;
  /**
   * Reports rows that have not begun: their leases end, so that another worker can claim them now. Never called for a row
   * that was handed to a provider. Throws nothing.
   */
  giveBack(rows: readonly Claimed<Row>[]): void;
};

/**
 * One kind of work. `work` brings leases, fences, wake-up, back-off, concurrency and stopping; the engine brings what
 * is done. A row is reported through `done` exactly once, or put back by throwing.
 */
export type Registration<Row extends LeaseKey, Outcome> = {
  /** Also the topic that wakes it. */
  readonly name: string;
  readonly claim: Claimable<Row>;
  /**
   * Rows in hand may be with a provider or a receiver. At the time limit for stopping their leases are kept, because nobody
   * knows whether the call was taken: another worker takes them up when the leases run out. Absent: leases end at once.
   */
  readonly callsProviders?: true;
  /** Rows in hand at most. Source: reliability promises. */
  readonly maxInHand: number;
  /** Of so many rows that may be claimed those that it would take on now, 0 for none before some end; absent: all of them. */
  room?(most: number): number;
  /**
   * Does one batch; calls `done` with the rows that it was given, no copies, as results arrive. Of a throw's rows those
   * that were not reported are tried again by halves, under the same fence and as they were claimed, whatever was written
   * of them since; one alone is put back, for later.
   */
  process(
    rows: readonly Claimed<Row>[],
    done: (row: Claimed<Row>, outcome: Outcome) => void,
    context: ProcessContext<Row>,
  ): Promise<void>;
  /**
   * Milliseconds between two writes of outcomes at least: those that come one by one share a commit. What comes after a
   * pause is written at once. Absent: none.
   */
  readonly gatherMs?: number;
  /** Writes outcomes, grouped as they arrived. What the fence refuses belongs to somebody else and is dropped. */
  commit(outcomes: readonly Outcome[]): Promise<void>;
  /** Where rows come from that are made with a lease; absent: every row is claimed. */
  readonly adoption?: { serve(by: Adoption<Row>): void };
  /** Ends a row that can never be done: it threw MAX_THROWS times, or was claimed MAX_CLAIMS times. */
  giveUp(row: Claimed<Row>, reason: string): Promise<void>;
};

/** Length of a lease. Source: docs/internals/queues-and-leases.md. */
export const LEASE_MS = 30_000;
export const RENEW_MS = 10_000;
/** Rows per claim at most. Source: reliability promises. */
export const MAX_CLAIM = 256;
/** Throws of one row in one process before it is given up; ours. */
export const MAX_THROWS = 5;
/** Claims of one row before it is given up even if each one killed its process; ours, far above any honest row. */
export const MAX_CLAIMS = 1_000;
