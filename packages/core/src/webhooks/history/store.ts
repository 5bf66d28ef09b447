import { and, asc, count, desc, eq, getTableColumns, gt, gte, inArray, isNull, lt, notExists, or } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import { containsText } from '../../database/statements/contains-text.ts';
import type { TimeRange } from '../../foundation/page.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { DeliveryStatus } from '../schema.ts';
import type { DeliveryRow, WebhookBodyRow, WebhookTables } from '../tables.ts';

export type DeliveryFilter = TimeRange & {
  readonly webhookId: string;
  readonly status: DeliveryStatus | null;
  readonly eventType: string | null;
};

/** A delivery in a list, without its attempts. */
export type ListedDelivery = Omit<DeliveryRow, 'attemptLog' | 'step' | 'leaseUntil' | 'fence'>;
/** A delivery with its body. */
export type ReadDelivery = DeliveryRow & { readonly body: string };

/** The body of a published event, with the event's type. */
export type PublishedBody = Pick<WebhookBodyRow, 'person' | 'body' | 'createdAt'> & Pick<DeliveryRow, 'eventType'>;

/** Final statuses without success. */
const UNDELIVERED: readonly DeliveryStatus[] = ['failed', 'cancelled'];
/** All final statuses. */
const FINISHED: readonly DeliveryStatus[] = ['delivered', ...UNDELIVERED];

/** Queries that read, redeliver, erase and expire deliveries. Not on a hot path. */
export const deliveryStore = ({
  db,
  tables: { webhookDeliveries: t, webhookBodies: b },
}: Pick<StoreContext<WebhookTables>, 'db' | 'tables'>) => {
  const LISTED = {
    scopeId: t.scopeId,
    id: t.id,
    webhookId: t.webhookId,
    eventId: t.eventId,
    eventType: t.eventType,
    status: t.status,
    reason: t.reason,
    trigger: t.trigger,
    attempts: t.attempts,
    createdAt: t.createdAt,
    finishedAt: t.finishedAt,
    dueAt: t.dueAt,
  };
  // Deliveries of workflow steps are shown with their runs instead.
  const byId = ({ scopeId }: InScope, id: string) => and(eq(t.scopeId, scopeId), eq(t.id, id), isNull(t.step));
  const bodyOfDelivery = and(eq(b.scopeId, t.scopeId), eq(b.id, t.eventId));
  const matching = ({ scopeId }: InScope, { webhookId, status, eventType, fromMs, toMs }: DeliveryFilter) =>
    and(
      eq(t.scopeId, scopeId),
      eq(t.webhookId, webhookId),
      status === null ? undefined : eq(t.status, status),
      eventType === null ? undefined : eq(t.eventType, eventType),
      fromMs === null ? undefined : gte(t.createdAt, new Date(fromMs)),
      toMs === null ? undefined : lt(t.createdAt, new Date(toMs)),
    );
  /** Column values that start a new series of attempts. */
  const newSeries = (dueAt: Date) =>
    ({
      status: 'pending',
      reason: null,
      trigger: 'manual',
      attempts: 0,
      finishedAt: null,
      dueAt,
      leaseUntil: null,
    }) as const;
  return {
    get: async (scope: InScope, id: string): Promise<ReadDelivery | undefined> =>
      (
        await db
          .select({ ...getTableColumns(t), body: b.body })
          .from(t)
          .innerJoin(b, bodyOfDelivery)
          .where(byId(scope, id))
      ).at(0),
    /** The body that webhooks received for an event, without deliveries of workflow steps. */
    publishedBody: async ({ scopeId }: InScope, eventId: string): Promise<PublishedBody | undefined> =>
      (
        await db
          .select({ person: b.person, body: b.body, eventType: t.eventType, createdAt: b.createdAt })
          .from(b)
          .innerJoin(t, bodyOfDelivery)
          .where(and(eq(b.scopeId, scopeId), eq(b.id, eventId), isNull(t.step)))
          .limit(1)
      ).at(0),
    list: (
      scope: InScope,
      filter: DeliveryFilter,
      { after, limit }: { readonly after: string | null; readonly limit: number },
    ): Promise<ListedDelivery[]> =>
      db
        .select(LISTED)
        .from(t)
        .where(and(matching(scope, filter), after === null ? undefined : lt(t.id, after)))
        .orderBy(desc(t.id))
        .limit(limit),
    count: async (scope: InScope, filter: DeliveryFilter): Promise<number> =>
      (await db.select({ rows: count() }).from(t).where(matching(scope, filter))).at(0)?.rows ?? 0,
    /** Starts a new series of a finished delivery; undefined if there is none or it is pending. */
    replay: async (scope: InScope, id: string, dueAt: Date): Promise<DeliveryRow | undefined> =>
      (
        await db
          .update(t)
          .set(newSeries(dueAt))
          .where(and(byId(scope, id), inArray(t.status, [...FINISHED])))
          .returning()
      ).at(0),
    /** Ids of undelivered deliveries after `after`, in ascending order. */
    undelivered: async (
      { scopeId }: InScope,
      webhookId: string,
      { since, until }: { readonly since: Date; readonly until: Date },
      after: string | null,
      limit: number,
    ): Promise<string[]> =>
      (
        await db
          .select({ id: t.id })
          .from(t)
          .where(
            and(
              eq(t.scopeId, scopeId),
              eq(t.webhookId, webhookId),
              inArray(t.status, [...UNDELIVERED]),
              gte(t.createdAt, since),
              lt(t.createdAt, until),
              after === null ? undefined : gt(t.id, after),
            ),
          )
          .orderBy(asc(t.id))
          .limit(limit)
      ).map(({ id }) => id),
    /** Starts a new series of those that are still undelivered; answers how many these were. */
    recover: async ({ scopeId }: InScope, ids: readonly string[], dueAt: Date): Promise<number> =>
      (
        await db
          .update(t)
          .set(newSeries(dueAt))
          .where(and(eq(t.scopeId, scopeId), inArray(t.id, [...ids]), inArray(t.status, [...UNDELIVERED])))
          .returning({ id: t.id })
      ).length,
    /**
     * Deletes up to `limit` bodies of these users, and of events without a user those that contain one of these
     * addresses, after up to `limit` of their deliveries, so that a pending delivery always finds its body. Answers the
     * deleted rows.
     */
    erase: async (
      { scopeId }: InScope,
      { people, addresses }: { readonly people: readonly string[]; readonly addresses: readonly string[] },
      limit: number,
    ): Promise<number> => {
      const publishedBody = [
        ...(people.length === 0 ? [] : [inArray(b.person, [...people])]),
        ...addresses.map((address) => and(isNull(b.person), containsText(b.body, address))),
      ];
      if (publishedBody.length === 0) return 0;
      const found = await db
        .select({ id: b.id })
        .from(b)
        .where(and(eq(b.scopeId, scopeId), or(...publishedBody)))
        .limit(limit);
      const eventIds = found.map(({ id }) => id);
      if (eventIds.length === 0) return 0;
      const theirs = await db
        .select({ id: t.id })
        .from(t)
        .where(and(eq(t.scopeId, scopeId), inArray(t.eventId, eventIds)))
        .limit(limit);
      const ids = theirs.map(({ id }) => id);
      if (ids.length > 0) await db.delete(t).where(and(eq(t.scopeId, scopeId), inArray(t.id, ids)));
      if (ids.length === limit) return ids.length;
      await db.delete(b).where(and(eq(b.scopeId, scopeId), inArray(b.id, eventIds)));
      return ids.length + eventIds.length;
    },
    /**
     * Deletes up to `limit` finished deliveries older than `before`, of all tenants. When none are left, deletes up to
     * `limit` older bodies without deliveries. True if more may be left.
     */
    sweepOfAll: async (before: Date, limit: number): Promise<boolean> => {
      const old = await db
        .select({ scopeId: t.scopeId, id: t.id })
        .from(t)
        .where(and(lt(t.createdAt, before), isNull(t.dueAt)))
        .orderBy(asc(t.createdAt))
        .limit(limit);
      for (const [scopeId, same] of Map.groupBy(old, (row) => row.scopeId)) {
        const ids = same.map(({ id }) => id);
        await db.delete(t).where(and(eq(t.scopeId, scopeId), inArray(t.id, ids)));
      }
      // Bodies come last: while old deliveries exist, the query for free bodies would scan all of theirs.
      if (old.length === limit) return true;
      const isFree = notExists(db.select({ id: t.id }).from(t).where(bodyOfDelivery));
      const free = await db
        .select({ scopeId: b.scopeId, id: b.id })
        .from(b)
        .where(and(lt(b.createdAt, before), isFree))
        .orderBy(asc(b.createdAt))
        .limit(limit);
      for (const [scopeId, same] of Map.groupBy(free, (row) => row.scopeId)) {
        const ids = same.map(({ id }) => id);
        await db.delete(b).where(and(eq(b.scopeId, scopeId), inArray(b.id, ids), isFree));
      }
      return free.length === limit;
    },
  };
};
