import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Place, sqlitePlace } from '../../../test/support/database/open-sample.ts';
import { openDatabase } from '../open.ts';
import { openConnection } from './connection.ts';
import { sqliteReaders } from './readers.ts';

/** Enough rows that counting them takes more than a second. */
const LONG = 'with recursive n(i) as (select 1 union all select i + 1 from n where i < 5e6) select count(*) from n';

describe('reader threads of a SQLite file', () => {
  let place: Place;
  const path = (): string => place.url.slice('sqlite:'.length);
  beforeEach(() => {
    place = sqlitePlace();
    const connection = openConnection(path(), 'process');
    connection.exec('create table rows (n integer); insert into rows values (1), (2)');
    connection.close();
  });
  afterEach(() => place.remove());

  const given = () => {
    const readers = sqliteReaders(path());
    if (!readers) throw new Error('there is a file for threads in a checkout');
    return readers;
  };

  it('reader threads read what is on disk, with parameters, while this thread writes', async () => {
    const readers = given();
    const connection = openConnection(path(), 'process');
    try {
      const long = readers.read('select count(*) from rows as a, rows as b where a.n >= ?', [2]);
      connection.exec('insert into rows values (3)');
      expect((await long)[0]).toEqual([expect.any(Number)]);
      expect(await readers.read('select n from rows where n > ? order by n', [1])).toEqual([[2], [3]]);
    } finally {
      connection.close();
      await readers.close();
    }
  });

  it('reader threads copy the log into the file while this thread writes', async () => {
    const readers = given();
    const connection = openConnection(path(), 'process');
    const log = connection.prepare('pragma wal_checkpoint(NOOP)').raw();
    try {
      connection.exec('insert into rows values (3)');
      const [, before, copied] = log.get() as number[];
      expect([before, copied]).toEqual([expect.any(Number), 0]);
      const copying = readers.copyLog();
      connection.exec('insert into rows values (4)');
      await copying;
      const [, , after = 0] = log.get() as number[];
      expect(after).toBeGreaterThanOrEqual(before ?? Number.NaN);
      expect(await readers.read('select count(*) from rows', [])).toEqual([[4]]);
    } finally {
      connection.close();
      await readers.close();
    }
  });

  it('reader threads copy the log until nothing was written meanwhile, and so sync the file', async () => {
    const readers = given();
    const connection = openConnection(path(), 'process');
    const log = connection.prepare('pragma wal_checkpoint(NOOP)').raw();
    // Otherwise the commit itself copies all of it.
    connection.pragma('wal_autocheckpoint = 0');
    try {
      // Starts a thread.
      await readers.copyLog();
      connection.exec(
        'with recursive n(n) as (select 1 union all select n + 1 from n where n < 10000) insert into rows select zeroblob(4000) from n',
      );
      let isOver = false;
      const copying = readers.copyLog().finally(() => {
        isOver = true;
      });
      // Within the first copy, not for the duration of all copies.
      for (let at = 0; at < 4 && !isOver; at += 1) {
        connection.exec('insert into rows values (4)');
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      await copying;
      const [, all, copied] = log.get() as number[];
      expect(copied).toBe(all);
    } finally {
      connection.close();
      await readers.close();
    }
  });

  it('reader threads only read, and report errors of SQLite by code', async () => {
    const readers = given();
    try {
      await expect(readers.read('delete from rows returning n', [])).rejects.toMatchObject({ code: 'SQLITE_READONLY' });
      await expect(readers.read('select n from nothing', [])).rejects.toMatchObject({ code: 'SQLITE_ERROR' });
    } finally {
      await readers.close();
    }
  });

  it('reader threads abandon a read that takes too long and continue', async () => {
    const readers = given();
    try {
      await readers.read('select 1', []);
      await expect(readers.read(LONG, [], 300)).rejects.toMatchObject({ code: '57014' });
      expect(await readers.read('select 1', [])).toEqual([[1]]);
    } finally {
      await readers.close();
    }
  });

  it('reader threads are absent in a program without a file for them', () => {
    expect(sqliteReaders(path(), `${path()}.js`)).toBeNull();
  });

  it('reader threads serve a storage on a file until it is closed; in memory its own connection reads', async () => {
    const of = async (url: string) => {
      const statements: string[] = [];
      const { storage } = await openDatabase({ url, observer: { statement: (id) => statements.push(id) } });
      const rows = await storage.readOnlyConnection.select({ one: sql<number>`1` }).from(sql`(select 1) as t`);
      await storage.close();
      await expect(
        storage.readOnlyConnection.select({ one: sql<number>`1` }).from(sql`(select 1) as t`),
      ).rejects.toMatchObject({
        code: 'CLOSED',
      });
      return { rows, statements };
    };
    expect(await of(place.url)).toEqual({ rows: [{ one: 1 }], statements: ['aside'] });
    expect(await of('sqlite::memory:')).toEqual({ rows: [{ one: 1 }], statements: ['sql'] });
  });
});
