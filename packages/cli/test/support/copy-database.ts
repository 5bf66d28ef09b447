// Copies a SQLite database that another process writes to, as tools for copies do: node copy-database.ts METHOD FROM TO.
// Node only strips the types of this file, so it imports packages alone.

import { copyFileSync } from 'node:fs';
import Database from 'better-sqlite3';

const [method = '', from = '', to = ''] = process.argv.slice(2);
/** How long a replicator holds its lock before it copies, in milliseconds. */
const HELD_MS = 1_000;
const ALL_PAGES = 2 ** 31 - 1;

const copies: Readonly<Record<string, (database: Database.Database) => unknown>> = {
  /** SQLite's backup interface in one step: with smaller ones every write of another process begins it again. */
  backup: (database) => database.backup(to, { progress: () => ALL_PAGES }),
  'vacuum into': (database) => database.prepare('vacuum into ?').run(to),
  /** A reader keeps the log from beginning again, as Litestream does; file and log are copied in this order. */
  'file and log behind a reader': async (database) => {
    database.exec('begin');
    database.prepare('select count(*) from sqlite_master').get();
    await new Promise((done) => setTimeout(done, HELD_MS));
    copyFileSync(from, to);
    copyFileSync(`${from}-wal`, `${to}-wal`);
    database.exec('commit');
  },
  /** What is not in the log is all that the copy has. */
  'file alone behind a reader': async (database) => {
    database.exec('begin');
    database.prepare('select count(*) from sqlite_master').get();
    await new Promise((done) => setTimeout(done, HELD_MS));
    copyFileSync(from, to);
    database.exec('commit');
  },
};

const database = new Database(from, { fileMustExist: true, timeout: 10_000 });
try {
  await copies[method]?.(database);
} finally {
  database.close();
}
