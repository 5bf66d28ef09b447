import { z } from 'zod';
import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import { parse } from '../../foundation/parse.ts';
import { monthOf } from './month.ts';
import { OWN_SLOTS } from './slots.ts';
import { planStore } from './store.ts';
import type { PlanTables } from './tables.ts';

/** How long counts are kept, in milliseconds; ours: three years, for those who look back. */
const KEPT_MS = 3 * 366 * 86_400_000;
/** Rows that one step of upkeep adds to others; ours. */
const SLICE = 500;
/** The row that they are added to. */
const FIRST_SLOT = 1;

const month = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'This must be a month such as 2026-03.');

/** How many events an org had in a month. */
export type UsageOf = (orgId: string, month: string) => Promise<number>;

type Store = ReturnType<typeof planStore>;

const fold = async (store: Pick<Store, 'take' | 'add'>, slots: readonly number[]): Promise<void> => {
  const months = Map.groupBy(await store.take(slots), ({ orgId, month: of }) => `${orgId}/${of}`);
  for (const rows of months.values()) {
    const [first] = rows;
    const events = rows.reduce((sum, row) => sum + row.events, 0);
    if (first) await store.add({ ...first, slot: FIRST_SLOT, events, maxEvents: Number.MAX_SAFE_INTEGER });
  }
};

/** Counted events as they are told, and what keeps their rows few. */
export const planUsage = ({
  storage,
  tables,
  clock,
}: {
  readonly storage: Pick<Storage, 'db' | 'transaction'>;
  readonly tables: PlanTables;
  readonly clock: Clock;
}) => {
  const store = planStore({ db: storage.db, tables });
  const usageOf: UsageOf = async (orgId, asked) => {
    const rows = await store.rowsOf(orgId, parse(month, asked));
    return rows.reduce((sum, { events }) => sum + events, 0);
  };
  return {
    usageOf,
    /** Adds what hosts' transactions counted by themselves to the others; answers whether there may be more. */
    sweep: async (): Promise<boolean> => {
      const slots = await store.slotsFrom(OWN_SLOTS, SLICE);
      // Nearly always there is nothing to do, and whoever writes keeps other writers out.
      if (slots.length > 0) await storage.transaction((db) => fold(planStore({ db, tables }), slots));
      const oldest = await store.oldest();
      const kept = monthOf(new Date(clock.now().getTime() - KEPT_MS));
      if (oldest !== null && oldest < kept) await store.forgetBefore(kept);
      return slots.length === SLICE;
    },
  };
};
