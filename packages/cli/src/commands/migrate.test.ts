import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type EmptyCli, emptyCli } from '../../test/support/empty.ts';
import { services } from '../services.ts';

const DB = 'sqlite:x.db';

/** Runs SQL on the database of the folder. */
const change = ({ io }: EmptyCli, sql: string): void => {
  const database = new Database(join(io.cwd, 'x.db'));
  database.exec(sql);
  database.close();
};
/** A program in an empty folder with an empty database: every migration is pending. */
const withEmptyDatabase = (): EmptyCli => {
  const one = emptyCli({ env: { BECKON_DB: DB } });
  one.put('x.db', '');
  return one;
};

describe('migrate check', () => {
  let folder: EmptyCli;
  let one: EmptyCli;
  beforeAll(async () => {
    folder = withEmptyDatabase();
    expect(await folder.run('migrate', 'up')).toBe(0);
  });
  beforeEach(() => {
    one = emptyCli({ cwd: folder.io.cwd, env: { BECKON_DB: DB } });
  });
  afterAll(() => folder.io.remove());

  it('`migrate check` exits 0 for a current schema, without a master key', async () => {
    expect(await one.run('migrate', 'check')).toBe(0);
    expect(one.io.out()).toContain('Up to date');
  });

  it('`migrate check` exits 1 and names pending migrations', async () => {
    const { run, io, envelope } = withEmptyDatabase();
    expect(await run('migrate', 'check', '--json')).toBe(1);
    expect(envelope()).toMatchObject({
      success: true,
      data: { pending: expect.arrayContaining([expect.stringMatching(/^0000_/)]) },
    });
    io.remove();
  });

  it('`migrate check` exits 70 on an unexpected error, because 1 is a result', async () => {
    const schema: typeof services.schema = async (options) => ({
      ...(await services.schema(options)),
      state: async () => {
        throw new TypeError('x is undefined');
      },
    });
    const { run, envelope } = emptyCli({ cwd: folder.io.cwd, env: { BECKON_DB: DB }, services: { schema } });
    expect(await run('migrate', 'check', '--json')).toBe(70);
    expect(envelope()).toMatchObject({ success: false, error: { code: 'INTERNAL' } });
  });

  it('`migrate check` exits 3 for a newer database', async () => {
    change(one, "insert into beckon_migrations values ('9999_future', 'x', 0, '99.0.0')");
    expect(await one.run('migrate', 'check')).toBe(3);
    change(one, "delete from beckon_migrations where name = '9999_future'");
  });

  it('`migrate check` exits 3 if an applied migration was changed', async () => {
    change(one, "update beckon_migrations set checksum = 'x' where name = (select max(name) from beckon_migrations)");
    expect(await one.run('migrate', 'check')).toBe(3);
  });
});

describe('migrate status', () => {
  it('`migrate status` lists pending migrations and exits 0', async () => {
    const { run, io } = withEmptyDatabase();
    expect(await run('migrate', 'status')).toBe(0);
    expect(io.out()).toMatch(/\b0000_\w+/);
    io.remove();
  });

  it('`migrate status` does not create a SQLite file', async () => {
    const { run, io } = emptyCli();
    expect(await run('migrate', 'status', '--db', 'sqlite:absent.db')).toBe(1);
    expect(existsSync(join(io.cwd, 'absent.db'))).toBe(false);
    io.remove();
  });
});

describe('migrate up', () => {
  it('`migrate up` applies pending migrations once and creates the folder of a new database', async () => {
    const { run, io } = emptyCli();
    expect(await run('migrate', 'up')).toBe(0);
    expect(await run('migrate', 'up')).toBe(0);
    expect(io.out()).toMatch(/^(applied \d{4}_\w+\n)+Up to date\.\n$/);
    expect(existsSync(join(io.cwd, 'data'))).toBe(true);
    io.remove();
  });
});
