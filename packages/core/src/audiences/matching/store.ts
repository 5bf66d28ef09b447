import { type SQL, sql } from 'drizzle-orm';
import type { InScope } from '../../primitives/scope.ts';
import type { Storage } from '../../storage/storage.ts';

/** Users with keys after `after`, and up to `until`, in the order of their keys; null: no bound. */
export type Range = { readonly after: string | null; readonly until: string | null };

const PROFILES = sql`profiles`;

/** Reads over all users of a scope, of which each is bounded by the range that it is given. */
export const matchingStore = ({ storage }: { storage: Pick<Storage, 'db' | 'dialect'> }) => {
  const { db, dialect } = storage;
  // On PostgreSQL keys stand in the order of the database's collation, so users are told by their mark.
  const isUser = (after: string | null): SQL =>
    dialect.name === 'sqlite'
      ? sql`profiles.person > ${after ?? 'u:'}`
      : sql`profiles.person like 'u:%'${after === null ? sql`` : sql` and profiles.person > ${after}`}`;
  const within = ({ scopeId }: InScope, { after, until }: Range): SQL =>
    sql`profiles.scope_id = ${scopeId} and ${isUser(after)}${until === null ? sql`` : sql` and profiles.person <= ${until}`}`;
  return {
    /** The last of the next so many users; null: there are not so many. */
    edge: async (scope: InScope, after: string | null, users: number): Promise<string | null> => {
      const [row] = await db
        .select({ person: sql<string>`profiles.person` })
        .from(PROFILES)
        .where(within(scope, { after, until: null }))
        .orderBy(sql`profiles.person`)
        .limit(1)
        .offset(users - 1);
      return row?.person ?? null;
    },
    people: async (scope: InScope, range: Range, condition: SQL): Promise<string[]> =>
      (
        await db
          .select({ person: sql<string>`profiles.person` })
          .from(PROFILES)
          .where(sql`${within(scope, range)} and ${condition}`)
          .orderBy(sql`profiles.person`)
      ).map(({ person }) => person),
    count: async (scope: InScope, range: Range, condition: SQL): Promise<number> => {
      const [row] = await db
        .select({ count: sql<number>`count(*)`.mapWith(Number) })
        .from(PROFILES)
        .where(sql`${within(scope, range)} and ${condition}`);
      return row?.count ?? 0;
    },
  };
};
