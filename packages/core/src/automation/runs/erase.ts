import type { Db } from '../../database/storage.ts';
import type { InScope } from '../../foundation/scope.ts';
import { type Eraser, SLICE, sliced } from '../../platform/erasure/eraser.ts';
import type { Platform } from '../../platform/platform.ts';
import { runStore } from './store.ts';
import type { RunTables } from './tables.ts';

type RunsOf = Pick<Platform<RunTables>, 'storage' | 'tables'>;

/** Deletes the sends of runs in the transaction that deletes the runs. */
export type EraseSends = (db: Db, scope: InScope, runIds: readonly string[]) => Promise<void>;

/** Erases the runs of profiles in any state. */
export const runEraser = ({ storage, tables }: RunsOf, eraseSends: EraseSends): Eraser =>
  sliced('runs', ({ scope, people }) =>
    storage.transaction(async (db) => {
      const store = runStore({ db, dialect: storage.dialect, tables });
      const ids = await store.idsOf(scope, people, SLICE);
      if (ids.length === 0) return 0;
      // In the order of database/commit/commit-order.ts. Deleting the run locks its row: no worker adds a send
      // afterwards, and earlier ones are found.
      await store.remove(scope, ids);
      await store.removeShares(scope, ids);
      await eraseSends(db, scope, ids);
      await store.removeSteps(scope, ids);
      return ids.length;
    }),
  );

/** Deletes up to `limit` ended runs with ids below `below` and returns how many. */
export const runExpiry =
  ({ storage, tables }: RunsOf) =>
  async (scope: InScope, below: string, limit: number): Promise<number> => {
    const { dialect } = storage;
    const ids = await runStore({ db: storage.db, dialect, tables }).ended(scope, below, limit);
    // Usually nothing has expired, and a transaction would block other writers.
    if (ids.length > 0)
      await storage.transaction(async (db) => {
        const store = runStore({ db, dialect, tables });
        await store.remove(scope, ids);
        await store.removeShares(scope, ids);
        await store.removeSteps(scope, ids);
      });
    return ids.length;
  };
