import { and, desc, eq, gte, inArray, lt, type SQL, sql } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import type { TimeRange } from '../../foundation/page.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { ListReason } from '../sends/listed.ts';
import type { ListChannel } from './schema.ts';
import type { SuppressionTables } from './tables.ts';
import type { listRow } from './writes.ts';

export type SuppressionRow = SuppressionTables['suppressions']['$inferSelect'];

/** Filters of a list. */
export type EntryFilter = TimeRange & {
  readonly address: string | null;
  readonly reason: ListReason | null;
  readonly sender: string | null;
};
/** Filters of a removal; null: any. */
export type RemovalFilter = Pick<EntryFilter, 'reason' | 'sender'> & { readonly addresses: readonly string[] };

/** Lists as they are read and changed by operators; cold paths only. */
export const suppressionStore = ({
  db,
  tables: { suppressions },
}: Pick<StoreContext<SuppressionTables>, 'db' | 'tables'>) => {
  const matching = (
    { scopeId }: InScope,
    channel: ListChannel,
    { address, reason, sender, fromMs, toMs }: EntryFilter,
  ): SQL[] => [
    eq(suppressions.scopeId, scopeId),
    eq(suppressions.channel, channel),
    ...(address === null ? [] : [eq(suppressions.addressKey, address)]),
    ...(reason === null ? [] : [eq(suppressions.reason, reason)]),
    ...(sender === null ? [] : [eq(suppressions.sender, sender)]),
    ...(fromMs === null ? [] : [gte(suppressions.createdAt, new Date(fromMs))]),
    ...(toMs === null ? [] : [lt(suppressions.createdAt, new Date(toMs))]),
  ];

  return {
    list: (
      scope: InScope,
      channel: ListChannel,
      filter: EntryFilter,
      { after, limit }: { readonly after: string | null; readonly limit: number },
    ): Promise<SuppressionRow[]> =>
      db
        .select()
        .from(suppressions)
        .where(and(...matching(scope, channel, filter), after === null ? undefined : lt(suppressions.id, after)))
        .orderBy(desc(suppressions.id))
        .limit(limit),
    count: async (scope: InScope, channel: ListChannel, filter: EntryFilter): Promise<number> => {
      const [row] = await db
        .select({ count: sql<number>`count(*)`.mapWith(Number) })
        .from(suppressions)
        .where(and(...matching(scope, channel, filter)));
      return row?.count ?? 0;
    },
    /** Returns the number of new entries. */
    add: async (rows: readonly ReturnType<typeof listRow>[]): Promise<number> =>
      (
        await db
          .insert(suppressions)
          .values([...rows])
          .onConflictDoNothing()
          .returning({ id: suppressions.id })
      ).length,
    /** Returns the number of deleted entries. */
    remove: async (scope: InScope, channel: ListChannel, { addresses, ...filter }: RemovalFilter): Promise<number> =>
      (
        await db
          .delete(suppressions)
          .where(
            and(
              ...matching(scope, channel, { ...filter, address: null, fromMs: null, toMs: null }),
              inArray(suppressions.addressKey, [...addresses]),
            ),
          )
          .returning({ id: suppressions.id })
      ).length,
    /** Deletes entries of erased users; returns their number. */
    erase: async ({ scopeId }: InScope, addresses: readonly string[]): Promise<number> =>
      (
        await db
          .delete(suppressions)
          .where(and(eq(suppressions.scopeId, scopeId), inArray(suppressions.addressKey, [...addresses])))
          .returning({ id: suppressions.id })
      ).length,
  };
};
