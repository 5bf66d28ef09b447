// Query slots that processes over one PostgreSQL share. Each is a row that is reserved and released in a statement of
// its own, so no connection is held while a query runs. A slot that is not released expires.

import { randomUUID } from 'node:crypto';
import { and, eq, sql } from 'drizzle-orm';
import type { Storage } from '../../../database/storage.ts';
import type { AnalyticsTables } from '../tables.ts';

/** Seconds until a slot expires. Chosen: longer than a query may run, including its last slice. */
const KEPT_SECONDS = 40;

export type SharedQuerySlots = {
  /** Returns the function that releases the slot; null if all are reserved. Throws what the database throws. */
  take(orgId: string, atOnce: number): Promise<(() => Promise<void>) | null>;
};

/** PostgreSQL only: processes share its clock. */
export const sharedQuerySlots = ({
  storage,
  tables: { analyticsQuerySlots: slots },
}: {
  readonly storage: Pick<Storage, 'db' | 'outsideTransaction'>;
  readonly tables: AnalyticsTables;
}): SharedQuerySlots => ({
  take: async (orgId, atOnce) => {
    const holder = randomUUID();
    const until = sql`statement_timestamp() + interval '1 second' * ${KEPT_SECONDS}`;
    // Outside a host's transaction, within which other processes would not see it.
    const isReserved = (slot: number): Promise<boolean> =>
      storage.outsideTransaction(async () => {
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
          storage.outsideTransaction(async () => {
            await storage.db
              .delete(slots)
              .where(and(eq(slots.orgId, orgId), eq(slots.slot, slot), eq(slots.holder, holder)));
          });
    return null;
  },
});
