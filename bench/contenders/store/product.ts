import { and, eq } from 'drizzle-orm';
import type { Tables } from '../../../packages/core/src/app/tables.ts';
import { type Write, write } from '../../../packages/core/src/database/commit/write-set.ts';
import type { BulkWrite } from '../../../packages/core/src/database/statements/bulk.ts';
import type { Storage } from '../../../packages/core/src/database/storage.ts';
import { eventStore } from '../../../packages/core/src/people/events/store.ts';
import { BATCH, type EventRow, type Hot, LEASE_MS, outcomeOf, SCOPE } from './rows.ts';
import type { Side } from './side.ts';

/** Writes a batch by one statement through the product's storage. Throws if a guard fails. */
export const commit = async (storage: Storage, bulk: BulkWrite, writes: readonly Write[]): Promise<void> => {
  const { ok } = await storage.commit({ writes });
  if (!ok) throw new Error(`a guard of ${bulk.id} failed`);
};

/** The product's own storage. */
export const productSide = (storage: Storage, tables: Tables, hot: Hot): Side => {
  const { profiles } = tables;
  const { catchUp } = eventStore({ storage, tables });
  const messageIdOf = ({ scopeId, id, messageId, receivedAt }: EventRow): Write[] =>
    messageId ? [write(hot.events.insertMessageId, { scopeId, messageId, eventId: id, receivedAt }, id)] : [];
  const versionOf = (row: { version: number } | undefined): number => row?.version ?? Number.NaN;
  return {
    read: async (person) => {
      const rows = await storage.select(hot.profiles.full, [[SCOPE.scopeId, person]]);
      return versionOf(rows[0]);
    },
    readBuilt: async (person) => {
      const rows = await storage.db
        .select()
        .from(profiles)
        .where(and(eq(profiles.scopeId, SCOPE.scopeId), eq(profiles.person, person)));
      return versionOf(rows[0]);
    },
    insert: (rows) => {
      const bulk = hot.events.insertEvent;
      return commit(
        storage,
        bulk,
        rows.map((row) => write(bulk, row)),
      );
    },
    ingest: (rows) => {
      const bulk = hot.events.insertEvent;
      return commit(
        storage,
        bulk,
        rows.flatMap((row) => [...messageIdOf(row), write(bulk, row)]),
      );
    },
    derive: async () => {
      while (await catchUp());
    },
    change: (rows) => {
      const bulk = hot.profiles.change;
      return commit(
        storage,
        bulk,
        rows.map((row) => write(bulk, row, row.person)),
      );
    },
    claimAndFinish: async () => {
      const rows = await storage.claim(hot.messages, BATCH, LEASE_MS);
      const bulk = hot.sending.finalizeStatement;
      const writes = rows.map((row) => write(bulk, outcomeOf(row), row.id));
      if (writes.length > 0) await commit(storage, bulk, writes);
      return rows.length;
    },
  };
};
