import type { Db } from '../../../database/storage.ts';
import type { EventTables } from '../tables.ts';

/** The columns of an event that readers of the log get. */
export type FollowedEvent = Pick<
  EventTables['events']['$inferSelect'],
  'scopeId' | 'personKey' | 'module' | 'eventType' | 'source' | 'timestamp'
>;

/**
 * Passes the next events, in order, to `work`, and advances the cursor in the same transaction. True if more are left.
 * Concurrent calls of other processes wait for each other. If `work` throws, its error is rethrown and the cursor does
 * not move.
 */
type Next = (
  name: string,
  limit: number,
  work: (db: Db, events: readonly FollowedEvent[]) => Promise<void>,
) => Promise<boolean>;
export type FollowedLog = {
  readonly next: Next;
  /** Blocks the reader of that name until the transaction ends. */
  lock(db: Db, name: string): Promise<void>;
};
