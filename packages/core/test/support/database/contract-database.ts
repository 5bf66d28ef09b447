import { type Tag, type Write, write } from '../../../src/database/commit/write-set.ts';
import type { StorageObserver } from '../../../src/database/observer.ts';
import type { Storage } from '../../../src/database/storage.ts';
import type { Clock } from '../../../src/foundation/clock.ts';
import type { SampleStatements, SampleTables } from './sample.ts';

/** An empty database with the contract's tables. */
export type ContractDatabase = {
  readonly storage: Storage;
  readonly tables: SampleTables;
  readonly hot: SampleStatements;
  /** Storages on separate connections; if there can be only one connection, the same storage again. */
  connect(count: number): Promise<readonly Storage[]>;
  close(): Promise<void>;
};

export type ContractOptions = { readonly clock?: Clock; readonly observer?: StorageObserver };

/** Opens a database for one test; the contract closes it. */
export type OpenContractDatabase = (options?: ContractOptions) => Promise<ContractDatabase>;

/** A write whose tag is the row's id by default. */
export const tagged = <Row>(bulk: Parameters<typeof write<Row>>[0], row: Row & { id?: unknown }, tag?: Tag): Write =>
  write(bulk, row, tag ?? String(row.id));

/** A counter with every column. */
export const counter = (id: string, more: Partial<Counter> = {}): Counter => ({
  id,
  value: 0,
  total: null,
  version: 1,
  label: null,
  seenAt: null,
  ...more,
});

export type Counter = SampleTables['counters']['$inferSelect'];

/** Commits writes, in any order. */
export const commit = (storage: Storage, ...writes: readonly Write[]): ReturnType<Storage['commit']> =>
  storage.commit({ writes });

/** The counters by id, unordered. */
export const readCounters = async (
  { storage, hot }: ContractDatabase,
  ...ids: readonly string[]
): Promise<Map<string, Counter>> =>
  new Map(
    (
      await storage.select(
        hot.readCounters,
        ids.map((id) => [id]),
      )
    ).map((row) => [row.id, row]),
  );

/** The outcome of a promise. */
export const outcomeOf = async <T>(promise: Promise<T>): Promise<{ value: T } | { error: unknown }> =>
  promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );

/** Lets everything that is ready run. */
export const breathe = async (turns = 5): Promise<void> => {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};
