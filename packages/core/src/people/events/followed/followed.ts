import type { Db } from '../../../database/storage.ts';
import type { EventTables } from '../tables.ts';

/** An event as far as whoever counts looks at it. */
export type FollowedEvent = Pick<
  EventTables['events']['$inferSelect'],
  'scopeId' | 'personKey' | 'module' | 'eventType' | 'source' | 'timestamp'
>;

/**
 * Hands the next events, in their order, to `work`, in whose transaction the mark moves. True when more are
 * left. Processes that do so at the same time do it one after another. Throws what `work` throws, and nothing has moved.
 */
type Next = (
  name: string,
  limit: number,
  work: (db: Db, events: readonly FollowedEvent[]) => Promise<void>,
) => Promise<boolean>;
export type FollowedLog = {
  readonly next: Next;
  /** Until the transaction ends, nobody makes anything of events by that name. */
  hold(db: Db, name: string): Promise<void>;
};
