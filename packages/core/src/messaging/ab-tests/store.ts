import { and, desc, eq, isNull, lt, ne, sql } from 'drizzle-orm';
import type { Db } from '../../database/storage.ts';
import type { Channel } from '../../foundation/channel.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { AbTestStatus } from './schema.ts';
import type { AbTestTables } from './tables.ts';

/** A stored test. */
export type StoredTest = AbTestTables['abTests']['$inferSelect'];
/** The columns of a change. */
type Change = Partial<
  Pick<StoredTest, 'name' | 'variants' | 'metric' | 'eventType' | 'status' | 'winnerKey' | 'completedAt'> & {
    updatedAt: Date;
  }
>;

/** Tests of a scope, as managed by projects. */
export const abTestStore = ({ db, tables: { abTests } }: { readonly db: Db; readonly tables: AbTestTables }) => {
  const one = ({ scopeId }: InScope, channel: Channel, id: string) =>
    and(eq(abTests.scopeId, scopeId), eq(abTests.id, id), eq(abTests.channel, channel));
  const inList = ({ scopeId }: InScope, channel: Channel, status: AbTestStatus | null) =>
    and(
      eq(abTests.scopeId, scopeId),
      eq(abTests.channel, channel),
      status === null ? undefined : eq(abTests.status, status),
    );
  return {
    async insert(row: StoredTest): Promise<void> {
      await db.insert(abTests).values(row);
    },

    async get(scope: InScope, channel: Channel, id: string): Promise<StoredTest | undefined> {
      return (
        await db
          .select()
          .from(abTests)
          .where(one(scope, channel, id))
      ).at(0);
    },

    /** Newest first. */
    page: (
      scope: InScope,
      channel: Channel,
      status: AbTestStatus | null,
      { after, limit }: { readonly after: string | null; readonly limit: number },
    ): Promise<StoredTest[]> =>
      db
        .select()
        .from(abTests)
        .where(and(inList(scope, channel, status), after === null ? undefined : lt(abTests.id, after)))
        .orderBy(desc(abTests.id))
        .limit(limit),

    async count(scope: InScope, channel: Channel, status: AbTestStatus | null): Promise<number> {
      const [row] = await db
        .select({ count: sql<number>`count(*)`.mapWith(Number) })
        .from(abTests)
        .where(inList(scope, channel, status));
      return row?.count ?? 0;
    },

    /**
     * Changes a test that is not completed; with `isOfVariants`, only before the first assignment. Undefined: it is
     * completed or assigned, or there is none.
     */
    async change(
      scope: InScope,
      channel: Channel,
      id: string,
      change: Change,
      isOfVariants: boolean,
    ): Promise<StoredTest | undefined> {
      const [row] = await db
        .update(abTests)
        .set({ ...change, ...(isOfVariants ? { version: sql`${abTests.version} + 1` } : {}) })
        .where(
          and(
            one(scope, channel, id),
            ne(abTests.status, 'completed'),
            isOfVariants ? isNull(abTests.assignedAt) : undefined,
          ),
        )
        .returning();
      return row;
    },
  };
};
