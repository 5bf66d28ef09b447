import { z } from 'zod';
import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import { parse } from '../../foundation/parse.ts';
import { monthOf } from './month.ts';
import { HOST_SLOTS } from './slots.ts';
import { planStore } from './store.ts';
import type { PlanTables } from './tables.ts';

/** Retention of counts, in milliseconds. Chosen: three years, for reports. */
const KEPT_MS = 3 * 366 * 86_400_000;
/** Rows merged per step of maintenance. Chosen. */
const SLICE = 500;
/** The slot into which they are merged. */
const FIRST_SLOT = 1;

const month = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-03');

/** Events of an organization in a month. */
export type UsageOf = (orgId: string, month: string) => Promise<number>;

type Store = ReturnType<typeof planStore>;

const mergeSlots = async (store: Pick<Store, 'take' | 'add'>, slots: readonly number[]): Promise<void> => {
  const months = Map.groupBy(await store.take(slots), ({ orgId, month: of }) => `${orgId}/${of}`);
  for (const rows of months.values()) {
    const [first] = rows;
    const events = rows.reduce((sum, row) => sum + row.events, 0);
    if (first) await store.add({ ...first, slot: FIRST_SLOT, events, maxEvents: Number.MAX_SAFE_INTEGER });
  }
};

/** Reads counted events, and merges their rows. */
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
  const usageOf: UsageOf = async (orgId, monthInput) => {
    const rows = await store.rowsOf(orgId, parse(month, monthInput));
    return rows.reduce((sum, { events }) => sum + events, 0);
  };
  return {
    usageOf,
    /** Merges counts of host transactions; returns whether more may be left. */
    sweep: async (): Promise<boolean> => {
      const slots = await store.slotsFrom(HOST_SLOTS, SLICE);
      // Checked first: usually there is nothing to do, and a write blocks other writers.
      if (slots.length > 0) await storage.transaction((db) => mergeSlots(planStore({ db, tables }), slots));
      const oldest = await store.oldest();
      const oldestKept = monthOf(new Date(clock.now().getTime() - KEPT_MS));
      if (oldest !== null && oldest < oldestKept) await store.forgetBefore(oldestKept);
      return slots.length === SLICE;
    },
  };
};
