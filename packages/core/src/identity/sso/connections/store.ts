import { and, asc, count, eq, gt, inArray, isNotNull, lte, or } from 'drizzle-orm';
import type { StoreContext } from '../../../database/context.ts';
import type { PageStart } from '../../../foundation/page.ts';
import type { InScope } from '../../../foundation/scope.ts';
import type { SsoTables } from './tables.ts';

export type SsoConnectionRow = SsoTables['authSsoConnections']['$inferSelect'];
export type SsoDomainRow = SsoTables['authSsoDomains']['$inferSelect'];
/** A connection or a domain of an environment. */
export type SsoKey = InScope & { readonly id: string };

/** Connections and domains as operators manage them; cold paths only. */
export const ssoStore = ({
  db,
  tables: { authSsoConnections: connections, authSsoDomains: domains, authSamlSeen: seen },
}: Pick<StoreContext<SsoTables>, 'db' | 'tables'>) => {
  const isConnection = ({ scopeId, id }: SsoKey) => and(eq(connections.scopeId, scopeId), eq(connections.id, id));
  const isDomain = ({ scopeId, id }: SsoKey) => and(eq(domains.scopeId, scopeId), eq(domains.id, id));
  return {
    insert: async (row: SsoConnectionRow): Promise<void> => {
      await db.insert(connections).values(row);
    },
    /** By id, which is creation order. */
    page: ({ scopeId }: InScope, { after, limit }: PageStart): Promise<SsoConnectionRow[]> =>
      db
        .select()
        .from(connections)
        .where(and(eq(connections.scopeId, scopeId), after === null ? undefined : gt(connections.id, after)))
        .orderBy(asc(connections.id))
        .limit(limit),
    count: async ({ scopeId }: InScope): Promise<number> =>
      (await db.select({ rows: count() }).from(connections).where(eq(connections.scopeId, scopeId)))[0]?.rows ?? 0,
    /** False: it is gone, or was changed since it was read. */
    save: async (key: SsoKey, version: number, values: Partial<SsoConnectionRow>): Promise<boolean> => {
      const changed = await db
        .update(connections)
        .set({ ...values, version: version + 1 })
        .where(and(isConnection(key), eq(connections.version, version)))
        .returning({ id: connections.id });
      return changed.length > 0;
    },
    remove: async (key: SsoKey): Promise<boolean> =>
      (await db.delete(connections).where(isConnection(key)).returning({ id: connections.id })).length > 0,
    countOfAll: async (): Promise<number> =>
      (await db.select({ rows: count() }).from(connections).where(isNotNull(connections.sealed)))[0]?.rows ?? 0,
    pageOfAll: (after: SsoKey | null, limit: number) =>
      db
        .select({ scopeId: connections.scopeId, id: connections.id, sealed: connections.sealed })
        .from(connections)
        .where(
          and(
            isNotNull(connections.sealed),
            after === null
              ? undefined
              : or(
                  gt(connections.scopeId, after.scopeId),
                  and(eq(connections.scopeId, after.scopeId), gt(connections.id, after.id)),
                ),
          ),
        )
        .orderBy(asc(connections.scopeId), asc(connections.id))
        .limit(limit),
    reseal: async (key: SsoKey, from: string, to: string): Promise<void> => {
      await db
        .update(connections)
        .set({ sealed: to })
        .where(and(isConnection(key), eq(connections.sealed, from)));
    },

    insertDomain: async (row: SsoDomainRow): Promise<void> => {
      await db.insert(domains).values(row);
    },
    domain: async (key: SsoKey): Promise<SsoDomainRow | null> =>
      (await db.select().from(domains).where(isDomain(key)))[0] ?? null,
    pageOfDomains: ({ scopeId }: InScope, { after, limit }: PageStart): Promise<SsoDomainRow[]> =>
      db
        .select()
        .from(domains)
        .where(and(eq(domains.scopeId, scopeId), after === null ? undefined : gt(domains.id, after)))
        .orderBy(asc(domains.id))
        .limit(limit),
    countDomains: async ({ scopeId }: InScope): Promise<number> =>
      (await db.select({ rows: count() }).from(domains).where(eq(domains.scopeId, scopeId)))[0]?.rows ?? 0,
    changeDomain: async (key: SsoKey, values: Partial<SsoDomainRow>): Promise<SsoDomainRow | null> =>
      (await db.update(domains).set(values).where(isDomain(key)).returning())[0] ?? null,
    removeDomain: async (key: SsoKey): Promise<boolean> =>
      (await db.delete(domains).where(isDomain(key)).returning({ id: domains.id })).length > 0,
    removeDomainsOf: async ({ scopeId, id }: SsoKey): Promise<void> => {
      await db.delete(domains).where(and(eq(domains.scopeId, scopeId), eq(domains.connectionId, id)));
    },
    /** Takes the proven domain, of all environments, whose check is longest due; one caller gets it. */
    takeDue: async (now: Date, next: Date): Promise<SsoDomainRow | null> => {
      const [due] = await db
        .select()
        .from(domains)
        .where(and(isNotNull(domains.verifiedAt), lte(domains.recheckAt, now)))
        .orderBy(asc(domains.recheckAt), asc(domains.id))
        .limit(1);
      if (!due) return null;
      const mine = and(isDomain(due), eq(domains.recheckAt, due.recheckAt));
      return (await db.update(domains).set({ recheckAt: next }).where(mine).returning())[0] ?? null;
    },

    /** Deletes some assertions that have expired. Returns their number. */
    expireSeen: async (now: Date, limit: number): Promise<number> => {
      const due = await db
        .select({ scopeId: seen.scopeId, connectionId: seen.connectionId, assertionId: seen.assertionId })
        .from(seen)
        .where(lte(seen.expiresAt, now))
        .orderBy(asc(seen.expiresAt))
        .limit(limit);
      const byConnection = Map.groupBy(due, ({ scopeId, connectionId }) => `${scopeId} ${connectionId}`);
      for (const rows of byConnection.values()) {
        const [{ scopeId, connectionId } = { scopeId: 0, connectionId: '' }] = rows;
        const ids = rows.map(({ assertionId }) => assertionId);
        await db
          .delete(seen)
          .where(and(eq(seen.scopeId, scopeId), eq(seen.connectionId, connectionId), inArray(seen.assertionId, ids)));
      }
      return due.length;
    },
  };
};

export type SsoStore = ReturnType<typeof ssoStore>;
