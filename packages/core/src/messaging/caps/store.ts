import { and, asc, eq, inArray, lte, notExists, or, type SQL } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { CapTables } from './tables.ts';

type Person = InScope & { readonly person: string };
type Entry = Person & { readonly rule: string; readonly sendId: string };

/** Cap entries for maintenance and erasure; each function runs in a transaction. */
export const capStore = ({ db, dialect, tables: { capEntries, capLocks } }: StoreContext<CapTables>) => {
  const isShared = dialect.name === 'postgres';
  const entry = {
    scopeId: capEntries.scopeId,
    person: capEntries.person,
    rule: capEntries.rule,
    sendId: capEntries.sendId,
  };
  const people = (these: readonly Person[]): SQL | undefined =>
    or(...these.map(({ scopeId, person }) => and(eq(capLocks.scopeId, scopeId), eq(capLocks.person, person))));

  const remove = async (these: readonly Entry[]): Promise<void> => {
    const rows = these.map(({ scopeId, person, rule, sendId }) =>
      and(eq(entry.scopeId, scopeId), eq(entry.person, person), eq(entry.rule, rule), eq(entry.sendId, sendId)),
    );
    await db.delete(capEntries).where(or(...rows));
  };

  /** Deletes lock rows of users without entries; rows locked by others stay. */
  const dropLocks = async (these: readonly Person[]): Promise<void> => {
    const counted = db
      .select({ person: capEntries.person })
      .from(capEntries)
      .where(and(eq(capEntries.scopeId, capLocks.scopeId), eq(capEntries.person, capLocks.person)));
    const free = await db
      .select({ scopeId: capLocks.scopeId, person: capLocks.person })
      .from(capLocks)
      .where(and(people(these), notExists(counted)))
      .for('update', { skipLocked: true });
    if (free.length > 0) await db.delete(capLocks).where(people(free));
  };

  return {
    /** Deletes up to `limit` expired entries of all tenants; returns the number. */
    sweepOfAll: async (now: Date, limit: number): Promise<number> => {
      const over = db
        .select(entry)
        .from(capEntries)
        .where(lte(capEntries.expiresAt, now))
        .orderBy(asc(capEntries.expiresAt))
        .limit(limit);
      // SQLite has no such clause and needs none: it has one writer at a time.
      const found = await (isShared ? over.for('update', { skipLocked: true }) : over);
      if (found.length === 0) return 0;
      await remove(found);
      if (isShared) await dropLocks(found);
      return found.length;
    },
    /** Deletes up to `limit` entries of users; returns the number. */
    erase: async ({ scopeId }: InScope, personKeys: readonly string[], limit: number): Promise<number> => {
      const found = await db
        .select(entry)
        .from(capEntries)
        .where(and(eq(capEntries.scopeId, scopeId), inArray(capEntries.person, [...personKeys])))
        .limit(limit);
      if (found.length > 0) await remove(found);
      if (found.length > 0) return found.length;
      const locks = await db
        .delete(capLocks)
        .where(and(eq(capLocks.scopeId, scopeId), inArray(capLocks.person, [...personKeys])))
        .returning({ person: capLocks.person });
      return locks.length;
    },
  };
};

export type CapStore = ReturnType<typeof capStore>;
