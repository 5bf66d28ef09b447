import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import type { Migration } from './migrate.ts';
import { SchemaError } from './migrate.ts';
import { type OpenDatabase, openDatabase } from './open.ts';
import { outcomeOf } from './testing/given.ts';
import { newPlace, type Place } from './testing/open-sample.ts';
import { runProcess } from './testing/run-process.ts';
import { sampleMigration, sampleTables } from './testing/sample.ts';

const first = sampleMigration(inject('engine'));
const second: Migration = {
  name: '0001_more',
  sql: "create table more (id text);\n--> statement-breakpoint\ninsert into more values ('one');",
};
const failing: Migration = {
  name: '0002_failing',
  sql: 'create table half (id text);\n--> statement-breakpoint\ninsert into no_such_table values (1);',
};

describe('migrations', () => {
  let place: Place;
  const opened: OpenDatabase[] = [];
  const open = async (...migrations: readonly Migration[]): Promise<OpenDatabase> => {
    const database = await openDatabase({ url: place.url, ...(migrations.length > 0 ? { migrations } : {}) });
    opened.push(database);
    return database;
  };
  const errorOf = async (work: Promise<unknown>): Promise<unknown> => {
    const result = await outcomeOf(work);
    return 'error' in result ? result.error : undefined;
  };

  beforeEach(async () => {
    place = await newPlace();
  });
  afterEach(async () => {
    for (const { storage } of opened.splice(0)) await storage.close();
    await place.remove();
  });

  it('are applied in order, once', async () => {
    expect(await (await open(first)).migrate()).toEqual([first.name]);
    const both = await open(first, second);
    expect(await both.migrate()).toEqual([second.name]);
    expect(await both.migrate()).toEqual([]);
    expect(await both.state()).toEqual({ applied: 2, known: 2, pending: [], isNewer: false });
  });

  it('that ship with the program make its tables', async () => {
    const database = await open();
    const names = await database.migrate();
    expect(names).not.toEqual([]);
    expect(await database.migrate()).toEqual([]);
    const { counters } = sampleTables(database.dialect);
    await expect(database.storage.db.select().from(counters)).rejects.toThrow();
  });

  it('are applied once by migrators that start at the same moment', async () => {
    // A migrator that waits for a SQLite file blocks its process, so there each has one of its own.
    const databases = inject('engine') === 'sqlite' ? [] : await Promise.all([open(), open(), open()]);
    const results = await Promise.all([
      ...databases.map(async (database) => ({ applied: await database.migrate() })),
      ...Array.from({ length: 3 - databases.length }, () => runProcess('migrate', place.url)),
    ]);
    const { pending, applied } = await (await open()).state();
    expect(pending).toEqual([]);
    const names = results.flatMap((result) => Object(result).applied);
    expect(names).toHaveLength(applied);
    expect(names).not.toEqual([]);
  });

  it('are looked at without changing anything', async () => {
    const database = await open(first, second);
    const untouched = { applied: 0, known: 2, pending: [first.name, second.name], isNewer: false };
    expect(await database.state()).toEqual(untouched);
    expect(await database.state()).toEqual(untouched);
    await (await open(first)).migrate();
    expect(await database.state()).toEqual({ ...untouched, applied: 1, pending: [second.name] });
  });

  it('of a newer program are refused', async () => {
    await (await open(first, second)).migrate();
    const older = await open(first);
    expect((await older.state()).isNewer).toBe(true);
    const error = await errorOf(older.migrate());
    expect(error).toBeInstanceOf(SchemaError);
    expect(error).toMatchObject({ reason: 'newer' });
  });

  it('that were changed after they were applied are refused', async () => {
    await (await open(first, second)).migrate();
    const changed = await open(first, { ...second, sql: `${second.sql} -- changed` });
    for (const error of [await errorOf(changed.migrate()), await errorOf(changed.state())])
      expect(error).toMatchObject({ name: 'SchemaError', reason: 'changed' });
  });

  it('that fail leave nothing, and neither do those before them in the same run', async () => {
    const database = await open(first, second, failing);
    expect(await errorOf(database.migrate())).toBeInstanceOf(Error);
    expect((await database.state()).applied).toBe(0);
    const { counters } = sampleTables(database.dialect);
    expect(await errorOf(database.storage.db.select().from(counters).execute())).toBeInstanceOf(Error);
    expect(await (await open(first, second)).migrate()).toEqual([first.name, second.name]);
  });

  it('wait for a transaction of the same storage and do not take part in it', async () => {
    const database = await open(first);
    await database.migrate();
    const { counters } = sampleTables(database.dialect);
    const begun = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const transaction = outcomeOf(
      database.storage.transaction(async (db) => {
        await db.insert(counters).values({ id: 'inside', value: 1, version: 1 });
        begun.resolve();
        await release.promise;
        throw new Error('rolled back');
      }),
    );
    await begun.promise;
    const looking = database.state();
    const migrating = database.migrate();
    release.resolve();
    expect(await transaction).toEqual({ error: new Error('rolled back') });
    expect((await looking).applied).toBe(1);
    expect(await migrating).toEqual([]);
    expect(await database.storage.db.select().from(counters)).toEqual([]);
  });
});
