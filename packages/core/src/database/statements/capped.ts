// Caps the definitions of a scope. Counting before inserting is not enough: two callers may count the same number. So
// every insert first takes a lock by name and counts after that.

import { sql } from 'drizzle-orm';
import type { Db, Storage } from '../storage.ts';

/**
 * Serialises transactions by a name until the current one ends. Later reads see the result of the transaction before.
 * Only inside a transaction.
 */
export const lockName = async (
  db: Db,
  { name: database }: Pick<Storage['dialect'], 'name'>,
  name: string,
): Promise<void> => {
  // SQLite runs one transaction at a time. On PostgreSQL there is no row to lock before the first insert.
  if (database !== 'postgres') return;
  await db.select({ held: sql`1` }).from(sql`pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
};

/** A cap on rows of one scope: its name, the count and the insert. */
export type Capped = {
  /** Name of the lock: the kind of rows and their scope. */
  readonly name: string;
  readonly max: number;
  count(db: Db): Promise<number>;
  insert(db: Db): Promise<void>;
};

/** Inserts one more row if there are fewer than `max`; otherwise returns false and writes nothing. */
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
