// Hot statements, many of one kind at a time: through the product's storage, or by hand on the driver beneath it.
import { sql } from 'drizzle-orm';
import { write } from '../../packages/core/src/database/commit/write-set.ts';
import { openDatabase } from '../../packages/core/src/database/open.ts';
import type { Storage } from '../../packages/core/src/database/storage.ts';
import { answerParent } from '../lib/child.ts';
import { commit, productSide } from './store/product.ts';
import { rawPostgresSide } from './store/raw-postgres.ts';
import { rawSqliteSide } from './store/raw-sqlite.ts';
import { GROUP, type Hot, inBatches, rowMaker, vocabularyOf } from './store/rows.ts';
import type { Side } from './store/side.ts';

export type Start = { readonly side: 'raw' | 'product'; readonly url: string };
/** Measurable statements, one kind at a time. */
export const STATEMENTS = ['read', 'readBuilt', 'insert', 'ingest', 'change', 'claim'] as const;
export type Statement = (typeof STATEMENTS)[number];
export type Order = { readonly statement: Statement; readonly count: number };
export type Done = { readonly cpuUs: number; readonly wallMs: number };

type Bench = {
  readonly storage: Storage;
  readonly hot: Hot;
  readonly side: Side;
  readonly make: ReturnType<typeof rowMaker>;
  count(what: 'events' | 'sent'): Promise<number>;
};
let bench: Bench | undefined;

const start = async ({ side, url }: Start): Promise<void> => {
  const database = await openDatabase({ url });
  await database.migrate();
  const { storage, dialect } = database;
  const { tables, hot } = vocabularyOf(dialect);
  const make = rowMaker();
  for (const rows of inBatches(make.profiles()))
    await commit(
      storage,
      hot.profiles.insert,
      rows.map((row) => write(hot.profiles.insert, row, row.person)),
    );
  const count = async (what: 'events' | 'sent'): Promise<number> => {
    const rows =
      what === 'events'
        ? await storage.db.select({ n: sql<number>`count(*)` }).from(tables.events)
        : await storage.db.select({ n: sql<number>`count(*)` }).from(tables.messages).where(sql`status = 'sent'`);
    return Number(rows[0]?.n);
  };
  const raw = () =>
    dialect === 'sqlite' ? rawSqliteSide(url.slice('sqlite:'.length), hot) : rawPostgresSide(url, hot);
  bench = { storage, hot, make, count, side: side === 'raw' ? await raw() : productSide(storage, tables, hot) };
};

const measured = async (work: () => Promise<void>): Promise<Done> => {
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  await work();
  const wallMs = performance.now() - startMs;
  const { user, system } = process.cpuUsage(cpu);
  return { cpuUs: user + system, wallMs };
};

const expect = (found: number, wanted: number, what: string): void => {
  if (found !== wanted) throw new Error(`${what}: ${found} instead of ${wanted}`);
};

const readEach = (people: readonly string[], read: Side['read']) => async (): Promise<void> => {
  for (const person of people) if (!((await read(person)) >= 1)) throw new Error('a profile is missing');
};

/** Creates the rows first, so that only the statements are measured, and counts the rows afterwards. */
const run = async ({ statement, count }: Order): Promise<Done> => {
  if (!bench) throw new Error('not started');
  const { storage, hot, side, make } = bench;
  switch (statement) {
    case 'read':
    case 'readBuilt':
      return measured(readEach(make.people(count), side[statement]));
    case 'insert': {
      const batches = inBatches(make.events(count));
      const before = await bench.count('events');
      const done = await measured(async () => {
        for (const rows of batches) await side.insert(rows);
      });
      expect((await bench.count('events')) - before, count, 'events stored');
      return done;
    }
    case 'ingest': {
      const batches = inBatches(make.events(count, true), GROUP);
      const before = await bench.count('events');
      const done = await measured(async () => {
        for (const rows of batches) await side.ingest(rows);
        await side.derive();
      });
      expect((await bench.count('events')) - before, count, 'events stored');
      return done;
    }
    case 'change': {
      const batches = inBatches(make.changes(count));
      // Each change is guarded by the version that the previous one has written.
      return measured(async () => {
        for (const rows of batches) await side.change(rows);
      });
    }
    case 'claim': {
      const bulk = hot.sending.insertMessage;
      for (const rows of inBatches(make.messages(count)))
        await commit(
          storage,
          bulk,
          rows.map((row) => write(bulk, row)),
        );
      const before = await bench.count('sent');
      const done = await measured(async () => {
        while ((await side.claimAndFinish()) > 0);
      });
      expect((await bench.count('sent')) - before, count, 'messages finished');
      return done;
    }
  }
};

answerParent({ start, run });
