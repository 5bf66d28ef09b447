import { and, asc, count, eq, gt, isNotNull, lte, or, type SQL } from 'drizzle-orm';
import type { StoreContext } from '../../../database/context.ts';
import type { PageStart } from '../../../foundation/page.ts';
import type { InScope } from '../../../foundation/scope.ts';
import type { EmailDomainTables } from './tables.ts';

export type EmailDomainRow = EmailDomainTables['emailDomains']['$inferSelect'];

/** A domain of a scope. */
export type DomainKey = InScope & { readonly id: string };

/** Domains as they are changed and read; cold paths only. */
export const emailDomainStore = ({
  db,
  tables: { emailDomains: table },
}: Pick<StoreContext<EmailDomainTables>, 'db' | 'tables'>) => {
  const one = ({ scopeId, id }: DomainKey): SQL | undefined => and(eq(table.scopeId, scopeId), eq(table.id, id));
  const all = () => db.select().from(table);

  return {
    insert: async (row: EmailDomainRow): Promise<void> => {
      await db.insert(table).values(row);
    },
    get: async (key: DomainKey): Promise<EmailDomainRow | undefined> => (await all().where(one(key))).at(0),
    /** By id, which is creation order. */
    page: async ({ scopeId }: InScope, { after, limit }: PageStart): Promise<EmailDomainRow[]> =>
      all()
        .where(and(eq(table.scopeId, scopeId), ...(after === null ? [] : [gt(table.id, after)])))
        .orderBy(asc(table.id))
        .limit(limit),
    count: async ({ scopeId }: InScope): Promise<number> =>
      (await db.select({ rows: count() }).from(table).where(eq(table.scopeId, scopeId))).at(0)?.rows ?? 0,
    remove: async (key: DomainKey): Promise<void> => {
      await db.delete(table).where(one(key));
    },
    change: async (key: DomainKey, values: Partial<EmailDomainRow>): Promise<EmailDomainRow | undefined> =>
      (await db.update(table).set(values).where(one(key)).returning()).at(0),
    /** Takes the domain, of all scopes, whose verification is longest due; one caller gets it. */
    takeDue: async (now: Date, next: Date): Promise<EmailDomainRow | undefined> => {
      const [due] = await all().where(lte(table.recheckAt, now)).orderBy(asc(table.recheckAt), asc(table.id)).limit(1);
      if (!due) return undefined;
      const mine = and(one(due), eq(table.recheckAt, due.recheckAt));
      return (await db.update(table).set({ recheckAt: next }).where(mine).returning()).at(0);
    },
    countSealed: async (): Promise<number> =>
      (await db.select({ rows: count() }).from(table).where(isNotNull(table.dkimSealed))).at(0)?.rows ?? 0,
    /** Domains of all scopes in key order, after one of them. */
    sealedOfAll: async (after: DomainKey | null, limit: number): Promise<EmailDomainRow[]> => {
      const afterCursor =
        after && or(gt(table.scopeId, after.scopeId), and(eq(table.scopeId, after.scopeId), gt(table.id, after.id)));
      return all()
        .where(and(isNotNull(table.dkimSealed), afterCursor ?? undefined))
        .orderBy(asc(table.scopeId), asc(table.id))
        .limit(limit);
    },
    /** Replaces the encrypted key, unless it changed since `was`. */
    reseal: async (key: DomainKey, was: string, sealed: string): Promise<void> => {
      await db
        .update(table)
        .set({ dkimSealed: sealed })
        .where(and(one(key), eq(table.dkimSealed, was)));
    },
  };
};
