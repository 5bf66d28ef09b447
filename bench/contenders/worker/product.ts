import { write } from '../../../packages/core/src/database/commit/write-set.ts';
import type { Storage } from '../../../packages/core/src/database/storage.ts';
import type { Registration } from '../../../packages/core/src/jobs/registration.ts';
import { queue, worker } from '../../../packages/core/src/jobs/worker.ts';
import type { LeasedRow } from '../../../packages/core/src/messaging/sends/statements.ts';
import { commit } from '../store/product.ts';
import { outcomeOf, rowMaker } from '../store/rows.ts';
import type { Side } from './side.ts';
import type { Table } from './table.ts';

/** The product's default. */
const POLL_MS = 1_000;

type Row = LeasedRow;
type Outcome = ReturnType<typeof outcomeOf>;

/** An engine with a handler that does nothing. `failed` gets errors that a worker would only log. */
const registration = (
  { hot }: Table,
  storage: Storage,
  maxInHand: number,
  told: { handling(row: Row): void; ended(rows: number): void; failed(error: unknown): void },
): Registration<Row, Outcome> => ({
  name: hot.messages.id,
  claim: hot.messages,
  maxInHand,
  process: async (rows, done) => {
    const job = async (row: Row): Promise<void> => told.handling(row);
    await Promise.all(
      rows.map(async (row) => {
        await job(row);
        done(row, outcomeOf(row));
      }),
    );
  },
  commit: async (outcomes) => {
    const bulk = hot.sending.finalizeStatement;
    try {
      await commit(
        storage,
        bulk,
        outcomes.map((outcome) => write(bulk, outcome, outcome.id)),
      );
      told.ended(outcomes.length);
    } catch (error) {
      told.failed(error);
    }
  },
  deadLetter: async () => told.failed(new Error('a row was given up')),
});

const start = (storage: Storage, work: Registration<Row, Outcome>, failed: (error: unknown) => void) => {
  const log = { info: () => undefined, warn: failed, error: failed };
  const one = worker([queue({ storage, log, pollMs: POLL_MS }, work)]);
  one.start();
  return one;
};

/** The product's work engine with its own table, and at most `maxInHand` rows in progress. */
export const productSide = (table: Table, maxInHand: number): Side => {
  let filled: Storage | undefined;
  const storageOf = (): Storage => {
    if (!filled) throw new Error('nothing was filled');
    return filled;
  };
  return {
    fill: async (count) => {
      filled = (await table.fill(count)).storage;
    },
    run: async (count) => {
      const storage = storageOf();
      const all = Promise.withResolvers<void>();
      let handled = 0;
      let ended = 0;
      const work = registration(table, storage, maxInHand, {
        handling: () => {
          handled += 1;
        },
        ended: (rows) => {
          ended += rows;
          if (ended === count) all.resolve();
        },
        failed: all.reject,
      });
      const one = start(storage, work, all.reject);
      await all.promise.finally(() => one.stop());
      return handled;
    },
    check: table.check,
    idle: async (started) => {
      const storage = storageOf();
      let failure: unknown;
      const failed = (error: unknown): void => {
        failure ??= error;
      };
      // Ids of rows are UUIDs, keys of jobs are not.
      const keys = new Map<string, string>();
      const told = { handling: ({ id }: Row) => started(keys.get(id) ?? id), ended: () => undefined, failed };
      const one = start(storage, registration(table, storage, maxInHand, told), failed);
      const make = rowMaker();
      const bulk = table.hot.sending.insertMessage;
      return {
        add: async (key) => {
          if (failure !== undefined) throw failure;
          const now = new Date();
          const writes = make.messages(1).map((row) => {
            keys.set(row.id, key);
            return write(bulk, { ...row, createdAt: now, dueAt: now });
          });
          await storage.commit({ writes, wakes: [table.hot.messages.id] });
        },
        stop: () => one.stop(),
      };
    },
  };
};
