import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { getTableColumns, sql } from 'drizzle-orm';
import pg from 'pg';
import { write } from '../../../packages/core/src/database/commit/write-set.ts';
import { type OpenDatabase, openDatabase } from '../../../packages/core/src/database/open.ts';
import type { Storage } from '../../../packages/core/src/database/storage.ts';
import { commit } from '../store/product.ts';
import { type Hot, inBatches, rowMaker, vocabularyOf } from '../store/rows.ts';

/** Due message rows in the product's own tables, the same in every turn. */
export type Table = {
  readonly hot: Hot;
  readonly tables: ReturnType<typeof vocabularyOf>['tables'];
  /** Adds this many due rows to the table, which has no other due one, and returns the database to work on. */
  fill(count: number): Promise<{ readonly storage: Storage; readonly url: string }>;
  /** Throws unless every row of the table has ended exactly once. */
  check(count: number): Promise<void>;
};

const insertInto = async (storage: Storage, hot: Hot, count: number): Promise<void> => {
  const bulk = hot.sending.insertMessage;
  for (const rows of inBatches(rowMaker().messages(count)))
    await commit(
      storage,
      bulk,
      rows.map((row) => write(bulk, row)),
    );
};

const checkIn = async (storage: Storage, { messages }: Table['tables'], count: number): Promise<void> => {
  // A row that was claimed twice has another fencing token, and one that was processed twice was claimed twice.
  const isEnded = sql`status = 'sent' and attempt = 1 and fence = 1 and due_at is null and lease_until is null`;
  const ended = sql<number>`sum(case when ${isEnded} then 1 else 0 end)`;
  const [found] = await storage.db.select({ all: sql<number>`count(*)`, ended }).from(messages);
  if (Number(found?.all) !== count || Number(found?.ended) !== count)
    throw new Error(`${found?.ended} of ${found?.all} rows have ended once, instead of ${count}`);
};

/** Flushes the copy to disk now, not in the first commits of a turn. */
const flush = (file: string): void => {
  const handle = openSync(file, 'r+');
  fsyncSync(handle);
  closeSync(handle);
};

/** Each turn works on a new copy of one file, so earlier turns make no difference. */
const onSqlite = (path: string): Table => {
  const { tables, hot } = vocabularyOf('sqlite');
  let open: OpenDatabase | undefined;
  const template = async (count: number): Promise<string> => {
    const file = `${path}-${count}.template`;
    if (existsSync(file)) return file;
    const unfinished = `${file}.new`;
    const made = await openDatabase({ url: `sqlite:${unfinished}` });
    await made.migrate();
    await insertInto(made.storage, hot, count);
    await made.storage.close();
    renameSync(unfinished, file);
    return file;
  };
  return {
    tables,
    hot,
    fill: async (count) => {
      await open?.storage.close();
      for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
      copyFileSync(await template(count), path);
      flush(path);
      const url = `sqlite:${path}`;
      open = await openDatabase({ url });
      return { storage: open.storage, url };
    },
    check: async (count) => {
      if (open) await checkIn(open.storage, tables, count);
    },
  };
};

/**
 * Minimum number of rows that ended long ago: a table with one turn's rows alone has other plans than that of a
 * service.
 */
const ENDED = 50_000;
const AS_ENDED: Readonly<Record<string, string>> = {
  status: "'sent'",
  attempt: '1',
  fence: '1',
  due_at: 'null',
  sent_at: 'created_at',
  finished_at: 'created_at',
};

/** An id that begins with these eight digits, so that rows have the order in which they were copied. */
const numbered = (digits: string): string => `overlay(id::text placing ${digits} from 1 for 8)::uuid`;

/** Each turn adds rows to those that earlier ones have ended. */
const onPostgres = (url: string): Table => {
  const { tables, hot } = vocabularyOf('postgres');
  const names = Object.values(getTableColumns(tables.messages)).map(({ name }) => name);
  const copied = (changed: Readonly<Record<string, string>>): string =>
    `insert into messages (${names.join(', ')}) select ${names.map((name) => changed[name] ?? name).join(', ')} from bench_messages`;
  const query = async (text: string, parameters: unknown[] = []): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await client.query(text, parameters);
    } finally {
      await client.end();
    }
  };
  let open: OpenDatabase | undefined;
  let turns = 0;
  let total = 0;
  const make = async (count: number): Promise<OpenDatabase> => {
    const database = await openDatabase({ url });
    await database.migrate();
    await insertInto(database.storage, hot, count);
    await query('create table bench_messages as table messages; truncate messages');
    const copies = Math.ceil(ENDED / Math.max(count, 1));
    const id = numbered("'0' || lpad(to_hex(copy), 7, '0')");
    await query(`${copied({ ...AS_ENDED, id })}, generate_series(1, $1::int) as copy order by copy, id`, [copies]);
    total = copies * count;
    return database;
  };
  return {
    tables,
    hot,
    fill: async (count) => {
      open ??= await make(count);
      if (count > 0) {
        turns += 1;
        total += count;
        await query(`${copied({ id: numbered('$1') })} order by id`, [`1${turns.toString(16).padStart(7, '0')}`]);
      }
      await query('vacuum analyze messages');
      return { storage: open.storage, url };
    },
    check: async () => {
      if (open) await checkIn(open.storage, tables, total);
    },
  };
};

/** Throws for anything but a SQLite file or a PostgreSQL database. */
export const tableAt = (url: string): Table =>
  url.startsWith('sqlite:') ? onSqlite(url.slice('sqlite:'.length)) : onPostgres(url);
