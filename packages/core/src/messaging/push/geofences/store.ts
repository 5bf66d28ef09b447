import { and, asc, count, eq, gt, inArray, lt } from 'drizzle-orm';
import type { StoreContext } from '../../../database/context.ts';
import type { PageStart } from '../../../foundation/page.ts';
import type { InScope } from '../../../foundation/scope.ts';
import type { GeofenceRow, GeofenceTables } from './tables.ts';

type Changes = {
  readonly [Key in keyof Omit<GeofenceRow, 'scopeId' | 'id'>]?: GeofenceRow[Key] | undefined;
};

/** Geofences as configured and listed, and maintenance of their crossings. */
export const geofenceStore = ({
  db,
  tables: { geofences: t, geofenceCrossings: crossings },
}: Pick<StoreContext<GeofenceTables>, 'db' | 'tables'>) => {
  const one = ({ scopeId }: InScope, id: string) => and(eq(t.scopeId, scopeId), eq(t.id, id));
  return {
    insert: async (row: GeofenceRow): Promise<void> => {
      await db.insert(t).values(row);
    },
    count: async ({ scopeId }: InScope): Promise<number> =>
      (await db.select({ rows: count() }).from(t).where(eq(t.scopeId, scopeId))).at(0)?.rows ?? 0,
    get: async (scope: InScope, id: string): Promise<GeofenceRow | undefined> =>
      (await db.select().from(t).where(one(scope, id))).at(0),
    byIds: async ({ scopeId }: InScope, ids: readonly string[]): Promise<GeofenceRow[]> =>
      db
        .select()
        .from(t)
        .where(and(eq(t.scopeId, scopeId), inArray(t.id, [...ids]))),
    page: async ({ scopeId }: InScope, { after, limit }: PageStart): Promise<GeofenceRow[]> =>
      db
        .select()
        .from(t)
        .where(and(eq(t.scopeId, scopeId), after === null ? undefined : gt(t.id, after)))
        .orderBy(asc(t.id))
        .limit(limit),
    /** The updated row; undefined: none in this scope. */
    update: async (scope: InScope, id: string, values: Changes): Promise<GeofenceRow | undefined> =>
      (await db.update(t).set(values).where(one(scope, id)).returning()).at(0),
    remove: async (scope: InScope, id: string): Promise<GeofenceRow | undefined> =>
      (await db.delete(t).where(one(scope, id)).returning()).at(0),
    /** Returns the number of deleted rows of these users. */
    erase: async ({ scopeId }: InScope, people: readonly string[]): Promise<number> =>
      (
        await db
          .delete(crossings)
          .where(and(eq(crossings.scopeId, scopeId), inArray(crossings.person, [...people])))
          .returning({ id: crossings.geofenceId })
      ).length,
    /** Deletes a bounded number of crossings counted before a moment. True: more may be left. */
    sweep: async (before: Date, limit: number): Promise<boolean> => {
      const old = await db
        .select({ lastCountedAt: crossings.lastCountedAt })
        .from(crossings)
        .where(lt(crossings.lastCountedAt, before))
        .orderBy(asc(crossings.lastCountedAt))
        .limit(limit);
      const last = old.at(-1)?.lastCountedAt;
      if (last === undefined) return false;
      await db
        .delete(crossings)
        .where(and(lt(crossings.lastCountedAt, before), lt(crossings.lastCountedAt, new Date(last.getTime() + 1))));
      return old.length === limit;
    },
  };
};
