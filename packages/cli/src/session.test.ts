import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli } from '../test/support/cli.ts';

describe('the data folder', () => {
  const setup = (env: Record<string, string> = {}) => {
    const made = cli({ isNew: true, env: { BECKON_MASTER_KEY: 'key', ...env } });
    const folder = join(made.io.cwd, 'data');
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, 'beckon.db'), '');
    made.state.applied.push(...made.state.known);
    return { ...made, folder, mode: () => statSync(folder).mode & 0o777 };
  };

  it('the data folder is restricted to its owner with a note', async () => {
    for (const command of [
      ['keys', 'list'],
      ['migrate', 'up'],
    ]) {
      const { run, io, mode, folder } = setup();
      expect(await run(...command)).toBe(0);
      expect(mode()).toBe(0o700);
      expect(io.err()).toContain(`Restricted the data folder ${folder} to its owner`);
      io.remove();
    }
  });

  it('the data folder stays unchanged with sqlite.trustPath, which is passed to core', async () => {
    const { run, io, mode, state } = setup({ BECKON_SQLITE_TRUST_PATH: 'true' });
    expect(await run('keys', 'list')).toBe(0);
    expect(mode()).toBe(0o755);
    expect(state.opened[0]).toMatchObject({ trustPath: true });
    io.remove();
  });

  it('postgres.preparedNames is passed to core', async () => {
    const { run, io, state } = setup({ BECKON_POSTGRES_PREPARED_NAMES: 'false' });
    expect(await run('keys', 'list')).toBe(0);
    expect(state.opened[0]).toMatchObject({ preparedNames: false });
    io.remove();
  });

  it('the permissions of the working directory stay unchanged', async () => {
    const { run, io, put } = cli({ env: { BECKON_DATA_DIR: '.' } });
    chmodSync(io.cwd, 0o755);
    put('beckon.db', '');
    expect(await run('keys', 'list', '--db', 'sqlite:beckon.db')).toBe(0);
    expect(statSync(io.cwd).mode & 0o777).toBe(0o755);
    io.remove();
  });
});

describe('an unsafe database', () => {
  it('an unsafe database is rejected with a message that names the setting', async () => {
    const { run, io, state } = cli();
    state.failure.open = Object.assign(new Error('x.db is a symbolic link: ...'), { name: 'UnsafeDatabase' });
    expect(await run('keys', 'list')).toBe(1);
    expect(io.err()).toBe(
      'beckon: x.db is a symbolic link: ...\nTo accept it, set sqlite.trustPath in the configuration, or BECKON_SQLITE_TRUST_PATH=true.\n',
    );
    io.remove();
  });
});
