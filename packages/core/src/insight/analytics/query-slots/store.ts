// Turns that processes over one PostgreSQL share: rows that are taken and given back, each in a statement of its own, so
// that no connection is kept while a question is answered. Who ends without giving back loses its turn by time.

import { randomUUID } from 'node:crypto';
import { and, eq, sql } from 'drizzle-orm';
import type { Storage } from '../../../database/storage.ts';
import type { AnalyticsTables } from '../tables.ts';

/** Seconds after which a turn is free again; ours: more than an answer may take, with its last slice. */
const KEPT_SECONDS = 40;

export type SharedQuerySlots = {
  /** Answers what gives the turn back; null: all of them are taken. Throws what the database throws. */
  take(orgId: string, atOnce: number): Promise<(() => Promise<void>) | null>;
};

/** Of PostgreSQL alone: its clock is the one that processes share. */
export const sharedQuerySlots = ({
  storage,
  tables: { analyticsQuerySlots: slots },
}: {
  readonly storage: Pick<Storage, 'db' | 'apart'>;
  readonly tables: AnalyticsTables;
}): SharedQuerySlots => ({
  take: async (orgId, atOnce) => {
    const holder = randomUUID();
    const until = sql`statement_timestamp() + interval '1 second' * ${KEPT_SECONDS}`;
    // Apart: within a host's transaction nobody would see it before that ends.
    const isReserved = (slot: number): Promise<boolean> =>
      storage.apart(async () => {
        const rows = await storage.db
          .insert(slots)
          .values({ orgId, slot, holder, expiresAt: until })
          .onConflictDoUpdate({
            target: [slots.orgId, slots.slot],
            set: { holder, expiresAt: until },
            setWhere: sql`${slots.expiresAt} <= statement_timestamp()`,
          })
          .returning({ slot: slots.slot });
        return rows.length > 0;
      });
    for (let slot = 0; slot < atOnce; slot += 1)
      if (await isReserved(slot))
        return () =>
          storage.apart(async () => {
            await storage.db
              .delete(slots)
              .where(and(eq(slots.orgId, orgId), eq(slots.slot, slot), eq(slots.holder, holder)));
          });
    return null;
  },
});
