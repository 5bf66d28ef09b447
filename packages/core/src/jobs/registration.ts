import type { Claimable, Claimed, LeaseKey } from '../database/statements/claim.ts';
import type { LocalHandoff } from './local-handoff.ts';

/** Context of a batch's handler. */
export type ProcessContext<Row extends LeaseKey> = {
  /** Aborted when the time limit of a stopping worker is over. */
  readonly signal: AbortSignal;
  /**
   * Aborted when the worker begins to stop. The handler then gives back rows that it has not begun. Long work stops by
   * throwing at the next point from which another worker can continue it.
   */
  readonly draining: AbortSignal;
  /**
   * Reports rows that have not begun: their leases end, so that another worker can claim them at once. Never called for
   * a row that was handed to a provider. Throws nothing.
   */
  giveBack(rows: readonly Claimed<Row>[]): void;
};

/**
 * One kind of work. `jobs` provides leases, fences, wake signals, back-off, concurrency and stopping; the module
 * provides the processing. A row is reported through `done` exactly once, or put back by throwing.
 */
export type Registration<Row extends LeaseKey, Outcome> = {
  /** Also the topic of its wake signal. */
  readonly name: string;
  readonly claim: Claimable<Row>;
  /**
   * Rows in hand may be with a provider or a receiver. At the time limit of a stop their leases are kept, because it is
   * unknown whether the call was accepted: another worker takes them when the leases run out. Absent: leases end at
   * once.
   */
  readonly callsProviders?: true;
  /** Maximum rows in hand. Source: reliability promises. */
  readonly maxInHand: number;
  /** How many of at most `most` rows the queue would take now, 0 for none until some end; absent: all. */
  claimLimit?(most: number): number;
  /**
   * Processes one batch; calls `done` with the same row objects as results arrive. If it throws, unreported rows are
   * tried again by halves, under the same fence and as they were claimed, whatever was written to them since; a single
   * row is put back for later.
   */
  process(
    rows: readonly Claimed<Row>[],
    done: (row: Claimed<Row>, outcome: Outcome) => void,
    context: ProcessContext<Row>,
  ): Promise<void>;
  /**
   * Minimum milliseconds between two writes of outcomes, so that single ones share a commit. The first after a pause is
   * written at once. Absent: none.
   */
  readonly gatherMs?: number;
  /**
   * Writes outcomes, grouped as they arrived. Outcomes that the fence rejects belong to another worker and are dropped.
   */
  commit(outcomes: readonly Outcome[]): Promise<void>;
  /** Source of rows that are created with a lease; absent: every row is claimed. */
  readonly localHandoff?: { connect(by: LocalHandoff<Row>): void };
  /** Ends a row that can never be done: it threw MAX_THROWS times, or was claimed MAX_CLAIMS times. */
  deadLetter(row: Claimed<Row>, reason: string): Promise<void>;
};

/** Length of a lease. Source: docs/internals/queues-and-leases.md. */
export const LEASE_MS = 30_000;
export const RENEW_MS = 10_000;
/** Maximum rows per claim. Source: reliability promises. */
export const MAX_CLAIM = 256;
/** Throws of one row in one process before it is dead-lettered. Chosen. */
export const MAX_THROWS = 5;
/**
 * Claims of one row before it is dead-lettered, even if each one killed its process. Chosen: far above any legitimate
 * number.
 */
export const MAX_CLAIMS = 1_000;
