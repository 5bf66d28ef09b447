import { chmodSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EmptyCli, emptyCli, servicesOf } from '../test/support/empty.ts';
import { type RealCli, realCli } from '../test/support/real.ts';

describe('the data folder', () => {
  let real: RealCli;
  let folder: string;
  beforeEach(async () => {
    real = await realCli();
    folder = join(real.cwd, 'data');
    chmodSync(folder, 0o755);
  });
  afterEach(() => real.close());

  const mode = () => statSync(folder).mode & 0o777;
  /** The program with the default data folder. */
  const program = (env: Record<string, string> = {}): EmptyCli => {
    const { BECKON_MASTER_KEY = '' } = real.env;
    return emptyCli({ cwd: real.cwd, env: { BECKON_MASTER_KEY, ...env } });
  };

  it('the data folder is restricted to its owner with a note', async () => {
    for (const command of [
      ['keys', 'list'],
      ['migrate', 'up'],
    ]) {
      chmodSync(folder, 0o755);
      const { run, io } = program();
      expect(await run(...command)).toBe(0);
      expect(mode()).toBe(0o700);
      expect(io.err()).toContain(`Restricted the data folder ${folder} to its owner`);
    }
  });

  it('the data folder stays unchanged with sqlite.trustPath, which is passed to core', async () => {
    const { run, opened } = program({ BECKON_SQLITE_TRUST_PATH: 'true' });
    expect(await run('keys', 'list')).toBe(0);
    expect(mode()).toBe(0o755);
    expect(opened[0]).toMatchObject({ trustPath: true });
  });

  it('postgres.preparedNames is passed to core', async () => {
    const { BECKON_MASTER_KEY = '' } = real.env;
    const env = { BECKON_MASTER_KEY, BECKON_DB: 'postgres://u@h/d', BECKON_POSTGRES_PREPARED_NAMES: 'false' };
    const services = servicesOf(join(folder, 'beckon.db'));
    const { run, opened } = emptyCli({ cwd: real.cwd, env, services });
    expect(await run('keys', 'list')).toBe(0);
    expect(opened[0]).toMatchObject({ preparedNames: false });
  });

  it('an unsafe database is rejected with a message that names the setting', async () => {
    symlinkSync(join(folder, 'beckon.db'), join(real.cwd, 'x.db'));
    const { run, io } = program({ BECKON_DB: 'sqlite:x.db' });
    expect(await run('keys', 'list')).toBe(1);
    expect(io.err()).toMatch(/^beckon: x\.db is a symbolic link: /);
    expect(io.err()).toContain(
      '\nTo accept it, set sqlite.trustPath in the configuration, or BECKON_SQLITE_TRUST_PATH=true.\n',
    );
  });

  it('the permissions of the working directory stay unchanged', async () => {
    const { run } = program({ BECKON_DATA_DIR: '.' });
    chmodSync(real.cwd, 0o755);
    expect(await run('migrate', 'up', '--db', 'sqlite:beckon.db')).toBe(0);
    expect(await run('keys', 'list', '--db', 'sqlite:beckon.db')).toBe(0);
    expect(statSync(real.cwd).mode & 0o777).toBe(0o755);
  });
});
