import { and, asc, count, eq, gt, or, type SQL } from 'drizzle-orm';
import type { StoreContext } from '../../../database/context.ts';
import type { Channel } from '../../../foundation/channel.ts';
import type { InScope } from '../../../foundation/scope.ts';
import type { CallbackTables } from '../tables.ts';

export type CallbackSecretRow = CallbackTables['callbackSecrets']['$inferSelect'];
/** A provider of a channel and scope. */
export type CallbackSecretKey = InScope & { readonly channel: Channel; readonly provider: string };

/** Encrypted callback secrets: cold paths only. */
export const callbackSecretStore = ({
  db,
  tables: { callbackSecrets: rows },
}: Pick<StoreContext<CallbackTables>, 'db' | 'tables'>) => {
  const one = ({ scopeId, channel, provider }: CallbackSecretKey): SQL[] => [
    eq(rows.scopeId, scopeId),
    eq(rows.channel, channel),
    eq(rows.provider, provider),
  ];
  return {
    ofChannel: ({ scopeId }: InScope, channel: Channel): Promise<Pick<CallbackSecretRow, 'provider' | 'updatedAt'>[]> =>
      db
        .select({ provider: rows.provider, updatedAt: rows.updatedAt })
        .from(rows)
        .where(and(eq(rows.scopeId, scopeId), eq(rows.channel, channel))),
    get: async (key: CallbackSecretKey): Promise<CallbackSecretRow | undefined> =>
      (
        await db
          .select()
          .from(rows)
          .where(and(...one(key)))
      ).at(0),
    put: async (
      { scopeId, channel, provider }: CallbackSecretKey,
      values: Pick<CallbackSecretRow, 'sealed' | 'updatedAt'>,
    ): Promise<void> => {
      await db
        .insert(rows)
        .values({ scopeId, channel, provider, ...values })
        .onConflictDoUpdate({ target: [rows.scopeId, rows.channel, rows.provider], set: values });
    },
    remove: async (key: CallbackSecretKey): Promise<void> => {
      await db.delete(rows).where(and(...one(key)));
    },
    countOfAll: async (): Promise<number> => (await db.select({ rows: count() }).from(rows)).at(0)?.rows ?? 0,
    /** Secrets of all scopes in key order, after one of them. */
    ofAll: (after: CallbackSecretKey | null, limit: number): Promise<CallbackSecretRow[]> => {
      const { scopeId, channel, provider } = rows;
      const afterCursor =
        after &&
        or(
          gt(scopeId, after.scopeId),
          and(eq(scopeId, after.scopeId), gt(channel, after.channel)),
          and(eq(scopeId, after.scopeId), eq(channel, after.channel), gt(provider, after.provider)),
        );
      return db
        .select()
        .from(rows)
        .where(afterCursor ?? undefined)
        .orderBy(asc(scopeId), asc(channel), asc(provider))
        .limit(limit);
    },
    /** Replaces the encrypted value, unless it changed since `was`. */
    reseal: async (key: CallbackSecretKey, was: string, sealed: string): Promise<void> => {
      await db
        .update(rows)
        .set({ sealed })
        .where(and(...one(key), eq(rows.sealed, was)));
    },
  };
};
