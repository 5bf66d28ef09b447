import { and, asc, count, desc, eq, getTableColumns, gt, gte, inArray, isNull, lt, notExists, or } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import { holding } from '../../database/statements/holding.ts';
import type { TimeRange } from '../../foundation/page.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { DeliveryStatus } from '../schema.ts';
import type { DeliveryRow, WebhookBodyRow, WebhookTables } from '../tables.ts';

export type DeliveryFilter = TimeRange & {
  readonly webhookId: string;
  readonly status: DeliveryStatus | null;
  readonly eventType: string | null;
};

/** A row without what only its own reading shows. */
export type ListedDelivery = Omit<DeliveryRow, 'attemptLog' | 'step' | 'leaseUntil' | 'fence'>;
/** A row with what it says. */
export type ReadDelivery = DeliveryRow & { readonly body: string };

/** A body, with what its event is. */
export type ToldBody = Pick<WebhookBodyRow, 'person' | 'body' | 'createdAt'> & Pick<DeliveryRow, 'eventType'>;

/** Statuses of what is over and was not taken. */
const UNTOLD: readonly DeliveryStatus[] = ['failed', 'cancelled'];
/** Statuses of what is over. */
const OVER: readonly DeliveryStatus[] = ['delivered', ...UNTOLD];

/** Deliveries as they are read, told again, erased and forgotten: cold paths only. */
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
  // What steps of workflows post shows with their runs.
  const one = ({ scopeId }: InScope, id: string) => and(eq(t.scopeId, scopeId), eq(t.id, id), isNull(t.step));
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
  /** A series from the beginning. */
  const again = (dueAt: Date) =>
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
          .where(one(scope, id))
      ).at(0),
    /** What webhooks were told of an event; nothing of what steps post. */
    told: async ({ scopeId }: InScope, eventId: string): Promise<ToldBody | undefined> =>
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
    /** Begins a new series of one that is over; undefined: it is not, or there is none. */
    replay: async (scope: InScope, id: string, dueAt: Date): Promise<DeliveryRow | undefined> =>
      (
        await db
          .update(t)
          .set(again(dueAt))
          .where(and(one(scope, id), inArray(t.status, [...OVER])))
          .returning()
      ).at(0),
    /** Ids of what was not taken, in their order, behind one of them. */
    untold: async (
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
              inArray(t.status, [...UNTOLD]),
              gte(t.createdAt, since),
              lt(t.createdAt, until),
              after === null ? undefined : gt(t.id, after),
            ),
          )
          .orderBy(asc(t.id))
          .limit(limit)
      ).map(({ id }) => id),
    /** Begins a new series of those that still were not taken; answers how many these are. */
    recover: async ({ scopeId }: InScope, ids: readonly string[], dueAt: Date): Promise<number> =>
      (
        await db
          .update(t)
          .set(again(dueAt))
          .where(and(eq(t.scopeId, scopeId), inArray(t.id, [...ids]), inArray(t.status, [...UNTOLD])))
          .returning({ id: t.id })
      ).length,
    /**
     * Forgets up to `limit` bodies that tell of these people, and of nobody's those that hold one of these addresses, after
     * up to `limit` of their deliveries: a body is there as long as somebody may post it. Answers how many rows these were.
     */
    erase: async (
      { scopeId }: InScope,
      { people, addresses }: { readonly people: readonly string[]; readonly addresses: readonly string[] },
      limit: number,
    ): Promise<number> => {
      const told = [
        ...(people.length === 0 ? [] : [inArray(b.person, [...people])]),
        ...addresses.map((address) => and(isNull(b.person), holding(b.body, address))),
      ];
      if (told.length === 0) return 0;
      const found = await db
        .select({ id: b.id })
        .from(b)
        .where(and(eq(b.scopeId, scopeId), or(...told)))
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
     * Forgets up to `limit` deliveries that are older and over, of all tenants; where these are all, up to `limit` bodies that
     * are older and that no delivery names any more. True when there may be more.
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
      // While deliveries are left, a look for bodies would walk over all of theirs each time.
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
