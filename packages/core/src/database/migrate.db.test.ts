import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { outcomeOf } from '../../test/support/database/contract-database.ts';
import { newPlace, onServer, type Place } from '../../test/support/database/open-sample.ts';
import { killProcess, runProcess } from '../../test/support/database/run-process.ts';
import { sampleMigration, sampleTables } from '../../test/support/database/sample.ts';
import { PROGRAM_VERSION } from '../foundation/program-version.ts';
import { ensureSchema } from './ensure-schema.ts';
import type { Migration } from './migrate.ts';
import { SchemaError } from './migrate.ts';
import { type OpenDatabase, openDatabase } from './open.ts';

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

  /** Runs one statement on a connection of its own. */
  const onDatabase = async (sql: string): Promise<void> => {
    if (inject('engine') === 'postgres') await onServer(sql, place.url);
    else {
      const database = new Database(place.url.slice('sqlite:'.length));
      database.exec(sql);
      database.close();
    }
  };

  beforeEach(async () => {
    place = await newPlace();
  });
  afterEach(async () => {
    for (const { storage } of opened.splice(0)) await storage.close();
    await place.remove();
  });

  it('migrations are applied in order, once', async () => {
    expect(await (await open(first)).migrate()).toEqual([first.name]);
    const both = await open(first, second);
    expect(await both.migrate()).toEqual([second.name]);
    expect(await both.migrate()).toEqual([]);
    expect(await both.state()).toEqual({
      ...{ applied: 2, known: 2, pending: [], isNewer: false, isCompatible: true, newerVersion: null },
    });
  });

  it('the shipped migrations create the tables of the program', async () => {
    const database = await open();
    const names = await database.migrate();
    expect(names).not.toEqual([]);
    expect(await database.migrate()).toEqual([]);
    const { counters } = sampleTables(database.dialect);
    await expect(database.storage.db.select().from(counters)).rejects.toThrow();
  });

  it('migrators that start at the same moment apply each migration once', async () => {
    // A migrator that waits for a SQLite file blocks its process, so each has its own process.
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

  it('reading the schema state changes nothing', async () => {
    const database = await open(first, second);
    const untouched = { applied: 0, known: 2, pending: [first.name, second.name], isNewer: false };
    const state = { ...untouched, isCompatible: false, newerVersion: null };
    expect(await database.state()).toEqual(state);
    expect(await database.state()).toEqual(state);
    await (await open(first)).migrate();
    expect(await database.state()).toEqual({ ...state, applied: 1, pending: [second.name] });
  });

  it('a database of a newer program is rejected', async () => {
    await (await open(first, second)).migrate();
    const older = await open(first);
    expect((await older.state()).isNewer).toBe(true);
    const error = await errorOf(older.migrate());
    expect(error).toBeInstanceOf(SchemaError);
    expect(error).toMatchObject({ reason: 'newer' });
    expect(String(error)).toContain(
      `migrated by Beckon ${PROGRAM_VERSION} (0001_more), which this program, Beckon ${PROGRAM_VERSION}, does not know: ` +
        `install Beckon ${PROGRAM_VERSION} or newer and start again; nothing was changed`,
    );
  });

  it('the schema of the next minor release is compatible, that of a later one and of an unknown one is not', async () => {
    const [major = 0, minor = 0] = PROGRAM_VERSION.split('.').map(Number);
    await (await open(first, second)).migrate();
    const older = await open(first);
    for (const [version, isCompatible] of [
      [PROGRAM_VERSION, true],
      [`${major}.${minor + 1}.7`, true],
      [`${major}.${minor + 2}.0`, false],
      [`${major + 1}.0.0`, true],
      [`${major + 1}.1.0`, false],
      [`${major + 2}.0.0`, false],
      [null, false],
    ] as const) {
      const value = version === null ? 'null' : `'${version}'`;
      await onDatabase(`update beckon_migrations set version = ${value} where name = '0001_more'`);
      expect(await older.state()).toMatchObject({ isNewer: true, isCompatible, newerVersion: version });
      const start = outcomeOf(ensureSchema(older, 'off'));
      expect('error' in (await start), String(version)).toBe(!isCompatible);
      for (const mode of ['auto', 'check'] as const)
        expect(await errorOf(ensureSchema(older, mode))).toMatchObject({ reason: 'newer' });
    }
  });

  it('a database that lacks migrations and has unknown ones is not compatible', async () => {
    const third = { ...second, name: '0002_other', sql: 'create table other (id text);' };
    await (await open(first, third)).migrate();
    expect(await (await open(first, second)).state()).toMatchObject({ isNewer: true, isCompatible: false });
  });

  it('missing migrations are applied by `auto` alone', async () => {
    const database = await open(first);
    for (const mode of ['check', 'off'] as const)
      expect(await errorOf(ensureSchema(database, mode))).toMatchObject({ reason: 'pending' });
    await ensureSchema(database, undefined);
    for (const mode of ['auto', 'check', 'off'] as const) await ensureSchema(database, mode);
    expect((await database.state()).pending).toEqual([]);
  });

  it('a database of a newer program without a version is rejected with the name of the migration', async () => {
    await (await open(first, second)).migrate();
    await onDatabase("update beckon_migrations set version = null where name = '0001_more'");
    const error = await errorOf((await open(first)).migrate());
    expect(String(error)).toContain('by a newer version of Beckon (0001_more)');
  });

  it('migrations are applied to a database whose migrations table has no version column', async () => {
    await (await open(first)).migrate();
    await onDatabase('alter table beckon_migrations drop column version');
    const both = await open(first, second);
    expect((await both.state()).pending).toEqual([second.name]);
    expect(await both.migrate()).toEqual([second.name]);
  });

  it('a database from before the schema freeze is rejected with steps to keep its workflows', async () => {
    await (await open(first, second)).migrate();
    const frozen = await open({ ...first, sql: `${first.sql} -- frozen` }, second);
    const renamed = await open({ ...first, name: '0000_other' }, second);
    for (const program of [frozen, renamed])
      for (const error of [await errorOf(program.migrate()), await errorOf(program.state())]) {
        expect(error).toMatchObject({ name: 'SchemaError', reason: 'unreleased' });
        expect(String(error)).toContain('cannot be carried over: export its workflows');
        expect(String(error)).toContain('beckon bundle export');
      }
    expect(await (await open(first, second)).migrate()).toEqual([]);
  });

  it('a migration that was changed after it was applied is rejected', async () => {
    await (await open(first, second)).migrate();
    const changed = await open(first, { ...second, sql: `${second.sql} -- changed` });
    for (const error of [await errorOf(changed.migrate()), await errorOf(changed.state())])
      expect(error).toMatchObject({ name: 'SchemaError', reason: 'changed' });
  });

  it('a failed migration rolls back all migrations of the run', async () => {
    const database = await open(first, second, failing);
    const error = await errorOf(database.migrate());
    expect(error).toMatchObject({ name: 'SchemaError', reason: 'failed' });
    expect(String(error)).toMatch(
      /^SchemaError: migration 0002_failing could not be applied: .*no_such_table.*; everything in the database is as it was, so remove the cause and run "beckon migrate up" again, or go on with the version of Beckon that used it before$/,
    );
    expect((await database.state()).applied).toBe(0);
    const { counters } = sampleTables(database.dialect);
    expect(await errorOf(database.storage.db.select().from(counters).execute())).toBeInstanceOf(Error);
    expect(await (await open(first, second)).migrate()).toEqual([first.name, second.name]);
  });

  it('a migration that fails on a value reports its kind and not the value', async () => {
    const { name } = failing;
    const sql =
      "create table typed (n integer);\n--> statement-breakpoint\ninsert into typed values (cast('s3cret' as integer) / 0);";
    const error = await errorOf((await open(first, { name, sql })).migrate());
    expect(String(error)).not.toContain('s3cret');
  });

  it('a migration ended by kill -9 leaves a database that starts, empty or in use', async () => {
    for (const at of [1, 20, 60]) {
      await killProcess(200, 'stall', place.url, String(at));
      const database = await open();
      expect((await database.state()).applied).toBe(0);
      const names = await database.migrate();
      expect(names).toEqual((await database.state()).pending.length === 0 ? names : []);
      expect(names).not.toEqual([]);
      await database.storage.close();
      opened.splice(opened.indexOf(database), 1);
      await place.remove();
      place = await newPlace();
    }
    await (await open(first)).migrate();
    const inUse = await open(first);
    const { counters } = sampleTables(inUse.dialect);
    await inUse.storage.db.insert(counters).values({ id: 'kept', value: 7, version: 1 });
    await killProcess(200, 'upgrade', place.url);
    expect((await inUse.state()).applied).toBe(1);
    expect(await (await open(first, second)).migrate()).toEqual([second.name]);
    expect(await inUse.storage.db.select({ id: counters.id }).from(counters)).toEqual([{ id: 'kept' }]);
  });

  it('a migration waits for a transaction of the same storage and does not join it', async () => {
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
