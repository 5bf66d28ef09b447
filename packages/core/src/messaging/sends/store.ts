import { and, asc, desc, eq, gt, gte, inArray, isNotNull, isNull, lt, lte, or, type SQL, sql } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import type { ProviderName } from '../../delivery/providers/names.ts';
import { CHANNELS, type Channel } from '../../foundation/channel.ts';
import { firstIdOf } from '../../foundation/derived-id.ts';
import type { TimeRange } from '../../foundation/page.ts';
import type { Person } from '../../foundation/person.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { MomentKind, MomentPlace, MomentQuery } from '../../people/events/history.ts';
import { endingsOf } from './lifecycle.ts';
import { HELD, type MessageReason, type MessageStatus, type SendStatus, UNREACHABLE } from './schema.ts';
import type { SendingTables } from './tables.ts';

export type SendRow = SendingTables['sends']['$inferSelect'];
export type MessageRow = SendingTables['messages']['$inferSelect'];

/** Message columns that its events need. */
export type MessageMomentRow = Pick<
  MessageRow,
  'id' | 'sendId' | 'channel' | 'status' | 'reason' | 'errorCode' | 'finishedAt' | 'deliveredAt'
>;

export type AddressOfMessage = Pick<MessageRow, 'id' | 'address'>;

/** List cursor: after this id, in list order. */
export type After = { readonly after: string | null; readonly limit: number };
/** Filters of a list. For sends, `person` selects sends that reach this user. */
export type Filter<Status> = TimeRange & { readonly status: Status | null; readonly person: Person | null };
/** Error of an attempt. */
export type Problem = Pick<MessageRow, 'errorCode' | 'error'>;

/** Messages of a send that are checked for errors. Chosen: an unreachable provider fails the first of them. */
const MAX_LOOKED_AT = 100;

/** Messages with the same status. */
export type StatusCount = {
  readonly status: MessageStatus;
  readonly reason: MessageReason | null;
  readonly errorCode: string | null;
  readonly platform: string | null;
  /** For health: the last provider; null: none yet. */
  readonly provider?: ProviderName | 'sandbox' | null;
  readonly count: number;
};

/** Reads sends, messages and the outbox. Cold paths only; the hot statements are in statements.ts. */
export const sendingStore = ({
  db,
  dialect,
  tables: { sends, messages, outboxMessages },
}: StoreContext<SendingTables>) => {
  const within = (table: typeof sends | typeof messages | typeof outboxMessages, { scopeId }: InScope): SQL[] => [
    eq(table.scopeId, scopeId),
  ];

  const messagesNewestFirst = (where: readonly (SQL | undefined)[], { after, limit }: After): Promise<MessageRow[]> =>
    db
      .select()
      .from(messages)
      .where(and(...where, after === null ? undefined : lt(messages.id, after)))
      .orderBy(desc(messages.id))
      .limit(limit);

  const hasEnding = or(
    ...CHANNELS.map((channel) => and(eq(messages.channel, channel), inArray(messages.status, [...endingsOf(channel)]))),
  );
  const { id, sendId, channel, status, reason, errorCode, finishedAt, deliveredAt } = messages;
  const MOMENT = { id, sendId, channel, status, reason, errorCode, finishedAt, deliveredAt };
  /** Ties within one millisecond: a delivery receipt comes before the ending. */
  const isAfter = (
    at: typeof messages.finishedAt | typeof messages.deliveredAt,
    kind: MomentKind,
    { at: ms, messageId, kind: placeKind }: MomentPlace,
  ): SQL | undefined => {
    const isBelow = kind === 'ended' && placeKind === 'delivered' ? lte : lt;
    return and(eq(at, new Date(ms)), isBelow(messages.id, messageId));
  };

  /** Counts by status over some messages. */
  const some = (where: readonly (SQL | undefined)[]) =>
    db
      .select({
        sendId: messages.sendId,
        status: messages.status,
        reason: messages.reason,
        errorCode: messages.errorCode,
        provider: messages.provider,
        platform: dialect.jsonText(messages.facts, 'platform').as('platform'),
      })
      .from(messages)
      .where(and(...where));
  const count = sql<number>`count(*)`.mapWith(Number);

  const between = (
    column: typeof sends.createdAt | typeof messages.createdAt,
    { fromMs, toMs }: TimeRange,
  ): (SQL | undefined)[] => [
    fromMs === null ? undefined : gte(column, new Date(fromMs)),
    toMs === null ? undefined : lt(column, new Date(toMs)),
  ];
  const sendsWhere = (scope: InScope, channel: Channel, { status, person, ...range }: Filter<SendStatus>) => [
    ...within(sends, scope),
    eq(sends.channel, channel),
    status === null ? undefined : eq(sends.status, status),
    person === null
      ? undefined
      : inArray(
          sends.id,
          db
            .select({ id: messages.sendId })
            .from(messages)
            .where(and(...within(messages, scope), eq(messages.person, person))),
        ),
    ...between(sends.createdAt, range),
  ];
  const messagesWhere = (scope: InScope, sendId: string, { status, person, ...range }: Filter<MessageStatus>) => [
    ...within(messages, scope),
    eq(messages.sendId, sendId),
    status === null ? undefined : eq(messages.status, status),
    person === null ? undefined : eq(messages.person, person),
    ...between(messages.createdAt, range),
  ];

  return {
    /** Newest first. */
    sends: async (
      scope: InScope,
      channel: Channel,
      { after, limit, ...filter }: After & Filter<SendStatus>,
    ): Promise<SendRow[]> =>
      db
        .select()
        .from(sends)
        .where(and(...sendsWhere(scope, channel, filter), after === null ? undefined : lt(sends.id, after)))
        .orderBy(desc(sends.id))
        .limit(limit),
    countSends: async (scope: InScope, channel: Channel, filter: Filter<SendStatus>): Promise<number> => {
      const [row] = await db
        .select({ count })
        .from(sends)
        .where(and(...sendsWhere(scope, channel, filter)));
      return row?.count ?? 0;
    },
    send: async (scope: InScope, channel: Channel, id: string): Promise<SendRow | undefined> =>
      (
        await db
          .select()
          .from(sends)
          .where(and(...within(sends, scope), eq(sends.id, id), eq(sends.channel, channel)))
      ).at(0),
    /** In recipient order. */
    messagesOf: async (
      scope: InScope,
      sendId: string,
      { after, limit, ...filter }: After & Filter<MessageStatus>,
    ): Promise<MessageRow[]> =>
      db
        .select()
        .from(messages)
        .where(and(...messagesWhere(scope, sendId, filter), after === null ? undefined : gt(messages.id, after)))
        .orderBy(asc(messages.id))
        .limit(limit),
    message: async (scope: InScope, channel: Channel, id: string): Promise<MessageRow | undefined> =>
      (
        await db
          .select()
          .from(messages)
          .where(and(...within(messages, scope), eq(messages.id, id), eq(messages.channel, channel)))
      ).at(0),
    countMessages: async (scope: InScope, sendId: string, filter: Filter<MessageStatus>): Promise<number> => {
      const [row] = await db
        .select({ count })
        .from(messages)
        .where(and(...messagesWhere(scope, sendId, filter)));
      return row?.count ?? 0;
    },
    /** Message counts of sends by status. Reads every message. */
    countsOf: (scope: InScope, sendIds: readonly string[]): Promise<(StatusCount & { readonly sendId: string })[]> => {
      const those = some([...within(messages, scope), inArray(messages.sendId, [...sendIds])]).as('those');
      const { sendId, status, reason, errorCode, platform } = those;
      return db
        .select({ sendId, status, reason, errorCode, platform, count })
        .from(those)
        .groupBy(sendId, status, reason, errorCode, platform);
    },
    /** The error of a retried attempt among each send's first messages; sends without one are omitted. */
    problemsOf: async (
      scope: InScope,
      sendIds: readonly string[],
    ): Promise<(Problem & { readonly sendId: string })[]> => {
      const first = db
        .select({ id: messages.id, status: messages.status, errorCode: messages.errorCode })
        .from(messages)
        .where(and(...within(messages, scope), eq(messages.sendId, sends.id)))
        .orderBy(asc(messages.id))
        .limit(MAX_LOOKED_AT)
        .as('first');
      const last = db
        .select({ id: first.id })
        .from(first)
        .where(and(isNotNull(first.errorCode), inArray(first.status, ['queued', 'deferred', 'sending'])))
        .orderBy(desc(first.id))
        .limit(1);
      const lasts = db
        .select({ id: sql`(${last})`.as('last') })
        .from(sends)
        .where(and(...within(sends, scope), inArray(sends.id, [...sendIds])));
      return db
        .select({ sendId: messages.sendId, errorCode: messages.errorCode, error: messages.error })
        .from(messages)
        .where(and(...within(messages, scope), inArray(messages.id, lasts)));
    },
    /** Newest first. */
    messagesFor: async (scope: InScope, person: Person, page: After): Promise<MessageRow[]> =>
      messagesNewestFirst([...within(messages, scope), eq(messages.person, person)], page),
    /**
     * Id of the last of the `limit` newest messages that ended before a moment; null: there are fewer. No message from
     * this id on is older than its own ending.
     */
    oldestOfNewest: async (scope: InScope, person: string, { before, limit }: MomentQuery): Promise<string | null> => {
      const [row] = await db
        .select({ id: messages.id })
        .from(messages)
        .where(
          and(
            ...within(messages, scope),
            eq(messages.person, person),
            hasEnding,
            before === null
              ? isNotNull(messages.finishedAt)
              : and(lt(messages.id, firstIdOf(before.at + 1)), lt(messages.finishedAt, new Date(before.at))),
          ),
        )
        .orderBy(desc(messages.id))
        .limit(1)
        .offset(limit - 1);
      return row?.id ?? null;
    },
    /** Messages from an id on, by one of their event times, newest first. */
    moments: async (
      scope: InScope,
      person: string,
      kind: MomentKind,
      fromId: string,
      { before, limit, notBelow }: MomentQuery,
    ): Promise<MessageMomentRow[]> => {
      const at = kind === 'ended' ? messages.finishedAt : messages.deliveredAt;
      return db
        .select(MOMENT)
        .from(messages)
        .where(
          and(
            ...within(messages, scope),
            eq(messages.person, person),
            gte(messages.id, fromId),
            kind === 'ended' ? hasEnding : undefined,
            isNotNull(at),
            notBelow === null ? undefined : gte(at, new Date(notBelow)),
            before === null
              ? undefined
              : and(
                  lt(messages.id, firstIdOf(before.at + 1)),
                  or(lt(at, new Date(before.at)), isAfter(at, kind, before)),
                ),
          ),
        )
        .orderBy(desc(at), desc(messages.id))
        .limit(limit);
    },
    /** Addresses for which a send already has messages, in message order. */
    addressesOf: (scope: InScope, sendId: string, { after, limit }: After): Promise<AddressOfMessage[]> =>
      db
        .select({ id: messages.id, address: messages.address })
        .from(messages)
        .where(
          and(
            ...within(messages, scope),
            eq(messages.sendId, sendId),
            after === null ? undefined : gt(messages.id, after),
          ),
        )
        .orderBy(asc(messages.id))
        .limit(limit),

    /**
     * Makes up to `limit` held messages due, in id order after `after`; returns the last id, or null if none follow.
     * Each message is visited once: messages held again meanwhile are not taken a second time.
     */
    resume: async (
      scope: InScope,
      channel: Channel,
      { now, after, limit }: After & { readonly now: Date },
    ): Promise<string | null> => {
      const isHeld = [
        ...within(messages, scope),
        eq(messages.channel, channel),
        // As a literal, because the partial index of held messages uses it.
        sql`${messages.reason} in (${sql.raw(`'${HELD}', '${UNREACHABLE}'`)})`,
        // A message that was handed over keeps its reason until the provider's answer is stored.
        inArray(messages.status, ['queued', 'deferred']),
      ];
      const rows = await db
        .select({ id: messages.id })
        .from(messages)
        .where(and(...isHeld, after === null ? undefined : gt(messages.id, after)))
        .orderBy(asc(messages.id))
        .limit(limit);
      const ids = rows.map(({ id }) => id);
      if (ids.length > 0)
        await db
          .update(messages)
          .set({ dueAt: now, reason: null })
          .where(and(...isHeld, inArray(messages.id, ids)));
      return ids.length < limit ? null : (ids.at(-1) ?? null);
    },
    /** The newest handovers since a moment, with provider, due time and handover time. */
    handovers: (
      scope: InScope,
      channel: Channel,
      since: Date,
      limit: number,
    ): Promise<
      (Pick<StatusCount, 'platform' | 'provider'> & Pick<MessageRow, 'createdAt' | 'deferredUntil' | 'sentAt'>)[]
    > =>
      db
        .select({
          provider: messages.provider,
          platform: dialect.jsonText(messages.facts, 'platform'),
          createdAt: messages.createdAt,
          deferredUntil: messages.deferredUntil,
          sentAt: messages.sentAt,
        })
        .from(messages)
        .where(
          and(
            ...within(messages, scope),
            eq(messages.channel, channel),
            gte(messages.finishedAt, since),
            isNotNull(messages.sentAt),
          ),
        )
        .orderBy(desc(messages.finishedAt))
        .limit(limit),
    /**
     * Counts by status of messages that ended since then and of messages whose failed attempt is retried; and since
     * when the oldest open send could have started.
     */
    health: async (
      scope: InScope,
      channel: Channel,
      since: Date,
      now: Date,
    ): Promise<{ counts: StatusCount[]; oldest: Date | null }> => {
      const filters = [...within(messages, scope), eq(messages.channel, channel)];
      const tried = some([...filters, gte(messages.finishedAt, since)])
        .unionAll(
          // As literals, because the index uses them. Rejected credentials are no attempt of the message.
          some([
            ...filters,
            sql`${messages.errorCode} is not null and ${messages.dueAt} is not null`,
            gt(messages.attempt, 0),
          ]),
        )
        .as('tried');
      const { status, reason, errorCode, platform, provider } = tried;
      const [counts, [open]] = await Promise.all([
        db
          .select({ status, reason, errorCode, platform, provider, count })
          .from(tried)
          .groupBy(status, reason, errorCode, platform, provider),
        db
          .select({ at: sends.createdAt, scheduledFor: sends.scheduledFor })
          .from(sends)
          .where(
            and(
              ...within(sends, scope),
              eq(sends.channel, channel),
              // The literal of the index of open sends.
              sql`${sends.status} in ('queued', 'sending')`,
              or(isNull(sends.scheduledFor), lte(sends.scheduledFor, now)),
              // A send whose open messages are all deferred could not have sent anything.
              sql`(${sends.dueAt} is not null or ${sends.sent} + ${sends.failed} + ${sends.suppressed} + ${sends.deferred} < ${sends.targeted})`,
            ),
          )
          .orderBy(asc(sends.createdAt))
          .limit(1),
      ]);
      return { counts, oldest: open ? (open.scheduledFor ?? open.at) : null };
    },
  };
};

export type SendingStore = ReturnType<typeof sendingStore>;
