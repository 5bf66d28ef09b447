import { and, asc, count, eq, gt, isNotNull, lt, or } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import type { HashConfigTables } from './tables.ts';

export type HashConfigRow = HashConfigTables['authHashConfigs']['$inferSelect'];
type Key = Pick<HashConfigRow, 'scopeId' | 'id'>;

/** Configurations of imported hashes as they are added and removed. */
export const hashConfigStore = ({
  db,
  tables: { authHashConfigs: configs },
}: Pick<StoreContext<HashConfigTables>, 'db' | 'tables'>) => {
  const isRow = ({ scopeId, id }: Key) => and(eq(configs.scopeId, scopeId), eq(configs.id, id));
  const follows = (after: Key) =>
    or(gt(configs.scopeId, after.scopeId), and(eq(configs.scopeId, after.scopeId), gt(configs.id, after.id)));
  return {
    /** Replaces one that is there: a backup without secrets leaves its signer key out. */
    put: async (row: HashConfigRow): Promise<void> => {
      const { sealed, createdAt } = row;
      await db
        .insert(configs)
        .values(row)
        .onConflictDoUpdate({ target: [configs.scopeId, configs.id], set: { sealed, createdAt } });
    },
    /** Configurations of all environments that were added before a time, in a fixed order. */
    addedBefore: (before: Date, after: Key | null, limit: number): Promise<Key[]> =>
      db
        .select({ scopeId: configs.scopeId, id: configs.id })
        .from(configs)
        .where(and(lt(configs.createdAt, before), after === null ? undefined : follows(after)))
        .orderBy(asc(configs.scopeId), asc(configs.id))
        .limit(limit),
    /** Does nothing if an import has needed it since. */
    remove: async (key: Key, before: Date): Promise<void> => {
      await db.delete(configs).where(and(isRow(key), lt(configs.createdAt, before)));
    },
    countOfAll: async (): Promise<number> =>
      (await db.select({ count: count() }).from(configs).where(isNotNull(configs.sealed)))[0]?.count ?? 0,
    pageOfAll: (after: Key | null, limit: number) =>
      db
        .select({ scopeId: configs.scopeId, id: configs.id, sealed: configs.sealed })
        .from(configs)
        .where(and(isNotNull(configs.sealed), after === null ? undefined : follows(after)))
        .orderBy(asc(configs.scopeId), asc(configs.id))
        .limit(limit),
    reseal: async (key: Key, from: string, to: string): Promise<void> => {
      await db
        .update(configs)
        .set({ sealed: to })
        .where(and(isRow(key), eq(configs.sealed, from)));
    },
  };
};
