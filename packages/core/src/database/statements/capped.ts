// Definitions that a caller makes are capped. To count and then to insert is no cap: two callers count the same number.
// So everybody who makes such rows first takes one lock by its name, and counts behind it.

import { sql } from 'drizzle-orm';
import type { Db, Storage } from '../storage.ts';

/**
 * Lets one transaction at a time change what the name stands for, until that transaction ends. What is read afterwards is
 * what the transaction before left. Only inside a transaction.
 */
export const lockName = async (
  db: Db,
  { name: database }: Pick<Storage['dialect'], 'name'>,
  name: string,
): Promise<void> => {
  // A transaction on SQLite is alone from its beginning. PostgreSQL has no row to lock where the first one is made.
  if (database !== 'postgres') return;
  await db.select({ held: sql`1` }).from(sql`pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
};

/** Rows that one scope has at most: what they are called, how they are counted and how one more is written. */
export type Capped = {
  /** Of the lock: the kind of rows and their scope. */
  readonly name: string;
  readonly max: number;
  count(db: Db): Promise<number>;
  insert(db: Db): Promise<void>;
};

/** Writes one row more where there are fewer than `max`; answers false, and writes nothing, where there are not. */
export const insertBelow = (
  storage: Pick<Storage, 'transaction' | 'dialect'>,
  { name, max, count, insert }: Capped,
): Promise<boolean> =>
  storage.transaction(async (db) => {
    await lockName(db, storage.dialect, name);
    if ((await count(db)) >= max) return false;
    await insert(db);
    return true;
  });
