// Reads the rows behind lifecycle events of a scope, newest first by time, then by row id. Each list has its own index,
// so a page reads no more rows than it shows.

import { and, between, desc, eq, gte, inArray, isNotNull, lt, lte, or, type SQL, sql } from 'drizzle-orm';
import type { StoreContext } from '../../../database/context.ts';
import type { Channel } from '../../../foundation/channel.ts';
import type { InScope } from '../../../foundation/scope.ts';
import { endingsOf } from '../lifecycle.ts';
import type { MessageMomentRow, SendRow } from '../store.ts';
import type { SendingTables } from '../tables.ts';

/** A message with its user. */
export type PersonMomentRow = MessageMomentRow & { readonly person: string | null };
/** A send that ended without a message. */
export type SendEndingRow = Pick<SendRow, 'id' | 'channel' | 'status' | 'errorCode' | 'targeted' | 'finishedAt'>;

/** Start and length of a page of events. */
export type MomentsBefore = {
  /** Rows at this time up to this id, and earlier rows; null: from the newest. */
  readonly before: { readonly at: Date; readonly lastId: string } | null;
  readonly notBelow: Date | null;
  readonly limit: number;
};

/** Maximum rows of one list that an event id may name; several have the same digits only by chance. */
const MAX_SAME_ID = 8;

export const momentStore = ({
  db,
  tables: { messages, sends },
}: Pick<StoreContext<SendingTables>, 'db' | 'tables'>) => {
  const { id, sendId, channel, status, reason, errorCode, finishedAt, deliveredAt, person } = messages;
  const MESSAGE = { id, sendId, channel, status, reason, errorCode, finishedAt, deliveredAt, person };
  const SEND = {
    id: sends.id,
    channel: sends.channel,
    status: sends.status,
    errorCode: sends.errorCode,
    targeted: sends.targeted,
    finishedAt: sends.finishedAt,
  };

  const within = (
    at: typeof messages.finishedAt | typeof messages.deliveredAt | typeof sends.finishedAt,
    rowId: typeof messages.id | typeof sends.id,
    { before, notBelow }: MomentsBefore,
  ): (SQL | undefined)[] => [
    isNotNull(at),
    notBelow === null ? undefined : gte(at, notBelow),
    // The index range uses the first half.
    before === null
      ? undefined
      : and(lte(at, before.at), or(lt(at, before.at), and(eq(at, before.at), lte(rowId, before.lastId)))),
  ];
  const newest = (
    { scopeId }: InScope,
    at: typeof messages.finishedAt | typeof messages.deliveredAt,
    which: readonly (SQL | undefined)[],
    page: MomentsBefore,
  ): Promise<PersonMomentRow[]> =>
    db
      .select(MESSAGE)
      .from(messages)
      .where(and(eq(messages.scopeId, scopeId), ...which, ...within(at, messages.id, page)))
      .orderBy(desc(at), desc(messages.id))
      .limit(page.limit);
  // As literals, because the indexes use them.
  const isEndedSend = sql`${sends.channel} = 'push' and ${sends.targeted} = 0 and ${sends.status} in ('cancelled', 'suppressed')`;

  return {
    /** Messages of a channel whose end is a catalog event. */
    ended: async (scope: InScope, of: Channel, page: MomentsBefore): Promise<PersonMomentRow[]> => {
      // Every end of a push is a catalog event.
      if (of === 'push') return newest(scope, finishedAt, [eq(channel, of), inArray(status, [...endingsOf(of)])], page);
      const named = endingsOf(of).map((one) =>
        newest(
          scope,
          finishedAt,
          [eq(channel, of), eq(status, one), sql`${channel} <> 'push'`, sql`${status} in ('bounced', 'failed')`],
          page,
        ),
      );
      return (await Promise.all(named)).flat();
    },
    /** Messages with a delivery receipt. */
    delivered: (scope: InScope, page: MomentsBefore): Promise<PersonMomentRow[]> =>
      newest(scope, deliveredAt, [], page),
    /** Pushes that ended without a message. */
    endedSends: ({ scopeId }: InScope, page: MomentsBefore): Promise<SendEndingRow[]> =>
      db
        .select(SEND)
        .from(sends)
        .where(and(eq(sends.scopeId, scopeId), isEndedSend, ...within(sends.finishedAt, sends.id, page)))
        .orderBy(desc(sends.finishedAt), desc(sends.id))
        .limit(page.limit),
    /** Messages with ids in this range, inclusive; few. */
    messagesBetween: ({ scopeId }: InScope, first: string, last: string): Promise<PersonMomentRow[]> =>
      db
        .select(MESSAGE)
        .from(messages)
        .where(and(eq(messages.scopeId, scopeId), between(messages.id, first, last)))
        .limit(MAX_SAME_ID),
    /** Pushes without a message in this range. */
    sendsBetween: ({ scopeId }: InScope, first: string, last: string): Promise<SendEndingRow[]> =>
      db
        .select(SEND)
        .from(sends)
        .where(and(eq(sends.scopeId, scopeId), isEndedSend, between(sends.id, first, last)))
        .limit(MAX_SAME_ID),
  };
};

export type MomentStore = ReturnType<typeof momentStore>;
