import { and, asc, desc, eq, gte, inArray, lt, or, type SQL } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import type { Channel } from '../../foundation/channel.ts';
import type { TimeRange } from '../../foundation/page.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { CallbackTables } from './tables.ts';

export type CallbackRow = CallbackTables['callbacks']['$inferSelect'];
/** A row without its encrypted request. */
export type ListedCallback = Omit<CallbackRow, 'sealed'>;

export type CallbackFilter = TimeRange & { readonly channel: Channel | null; readonly provider: string | null };

/** Reads, erases and expires stored callbacks: cold paths only. */
export const callbackStore = ({
  db,
  tables: { callbacks, callbackEvents: events },
}: Pick<StoreContext<CallbackTables>, 'db' | 'tables'>) => {
  const { sealed: _, ...LISTED } = {
    scopeId: callbacks.scopeId,
    id: callbacks.id,
    channel: callbacks.channel,
    provider: callbacks.provider,
    sealed: callbacks.sealed,
    bytes: callbacks.bytes,
    receivedAt: callbacks.receivedAt,
    appliedAt: callbacks.appliedAt,
    events: callbacks.events,
    applied: callbacks.applied,
    duplicates: callbacks.duplicates,
    unknown: callbacks.unknown,
  };
  return {
    list: (
      { scopeId }: InScope,
      { fromMs, toMs, channel, provider }: CallbackFilter,
      { after, limit }: { readonly after: string | null; readonly limit: number },
    ): Promise<ListedCallback[]> =>
      db
        .select(LISTED)
        .from(callbacks)
        .where(
          and(
            eq(callbacks.scopeId, scopeId),
            fromMs === null ? undefined : gte(callbacks.receivedAt, new Date(fromMs)),
            toMs === null ? undefined : lt(callbacks.receivedAt, new Date(toMs)),
            channel === null ? undefined : eq(callbacks.channel, channel),
            provider === null ? undefined : eq(callbacks.provider, provider),
            after === null ? undefined : lt(callbacks.id, after),
          ),
        )
        .orderBy(desc(callbacks.id))
        .limit(limit),
    get: async ({ scopeId }: InScope, id: string): Promise<CallbackRow | undefined> =>
      (
        await db
          .select()
          .from(callbacks)
          .where(and(eq(callbacks.scopeId, scopeId), eq(callbacks.id, id)))
      ).at(0),
    /** Up to `limit` marks of events about these users. */
    marksOf: (
      { scopeId }: InScope,
      { people, addresses }: { readonly people: readonly string[]; readonly addresses: readonly string[] },
      limit: number,
    ): Promise<{ provider: string; eventId: string; callbackId: string }[]> => {
      const conditions: SQL[] = [];
      if (people.length > 0) conditions.push(inArray(events.person, [...people]));
      if (addresses.length > 0) conditions.push(inArray(events.address, [...addresses]));
      if (conditions.length === 0) return Promise.resolve([]);
      return db
        .select({ provider: events.provider, eventId: events.eventId, callbackId: events.callbackId })
        .from(events)
        .where(and(eq(events.scopeId, scopeId), or(...conditions)))
        .limit(limit);
    },
    forget: async (
      { scopeId }: InScope,
      marks: readonly { readonly provider: string; readonly eventId: string; readonly callbackId: string }[],
    ): Promise<void> => {
      await db
        .delete(callbacks)
        .where(
          and(
            eq(callbacks.scopeId, scopeId),
            inArray(callbacks.id, [...new Set(marks.map(({ callbackId }) => callbackId))]),
          ),
        );
      for (const [provider, same] of Map.groupBy(marks, (mark) => mark.provider))
        await db.delete(events).where(
          and(
            eq(events.scopeId, scopeId),
            eq(events.provider, provider),
            inArray(
              events.eventId,
              same.map(({ eventId }) => eventId),
            ),
          ),
        );
    },
    /** Deletes up to `limit` older rows of each table, of all tenants; true when there may be more. */
    sweepOfAll: async (before: Date, limit: number): Promise<boolean> => {
      const old = await db
        .select({ scopeId: callbacks.scopeId, id: callbacks.id })
        .from(callbacks)
        .where(lt(callbacks.receivedAt, before))
        .orderBy(asc(callbacks.receivedAt))
        .limit(limit);
      for (const [scopeId, same] of Map.groupBy(old, (row) => row.scopeId)) {
        const ids = same.map(({ id }) => id);
        await db.delete(callbacks).where(and(eq(callbacks.scopeId, scopeId), inArray(callbacks.id, ids)));
      }
      const marks = await db
        .select({ scopeId: events.scopeId, provider: events.provider, eventId: events.eventId })
        .from(events)
        .where(lt(events.createdAt, before))
        .orderBy(asc(events.createdAt))
        .limit(limit);
      for (const same of Map.groupBy(marks, ({ scopeId, provider }) => `${scopeId}/${provider}`).values()) {
        const [{ scopeId, provider } = { scopeId: 0, provider: '' }] = same;
        const ids = same.map(({ eventId }) => eventId);
        const of = and(eq(events.scopeId, scopeId), eq(events.provider, provider), inArray(events.eventId, ids));
        await db.delete(events).where(of);
      }
      return old.length === limit || marks.length === limit;
    },
  };
};
