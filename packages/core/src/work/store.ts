import { desc, eq, lt } from 'drizzle-orm';
import type { StoreContext } from '../storage/context.ts';
import type { WorkTables } from './tables.ts';

/** Workers of the deployment; cold paths only. */
export const workerStore = ({ db, tables: { workers } }: Pick<StoreContext<WorkTables>, 'db' | 'tables'>) => ({
  seen: async (id: string, seenAt: Date): Promise<void> => {
    await db.insert(workers).values({ id, seenAt }).onConflictDoUpdate({ target: workers.id, set: { seenAt } });
  },
  remove: async (id: string): Promise<void> => {
    await db.delete(workers).where(eq(workers.id, id));
  },
  /** Those that died without a word. */
  removeSeenBefore: async (moment: Date): Promise<void> => {
    await db.delete(workers).where(lt(workers.seenAt, moment));
  },
  /** When any of them was seen last; null: none. */
  lastSeenAt: async (): Promise<Date | null> =>
    (await db.select({ seenAt: workers.seenAt }).from(workers).orderBy(desc(workers.seenAt)).limit(1)).at(0)?.seenAt ??
    null,
});
