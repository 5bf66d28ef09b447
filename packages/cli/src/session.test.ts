import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli } from '../test/support/cli.ts';

describe('the data folder', () => {
  const given = (env: Record<string, string> = {}) => {
    const made = cli({ isNew: true, env: { BECKON_MASTER_KEY: 'key', ...env } });
    const folder = join(made.io.cwd, 'data');
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, 'beckon.db'), '');
    made.state.applied.push(...made.state.known);
    return { ...made, folder, mode: () => statSync(folder).mode & 0o777 };
  };

  it('is closed to others, and the user is told', async () => {
    for (const command of [
      ['keys', 'list'],
      ['migrate', 'up'],
    ]) {
      const { run, io, mode, folder } = given();
      expect(await run(...command)).toBe(0);
      expect(mode()).toBe(0o700);
      expect(io.err()).toContain(`The data folder ${folder} was open to others`);
      io.remove();
    }
  });

  it('stays as it is where the configuration trusts the path, which it hands on', async () => {
    const { run, io, mode, state } = given({ BECKON_SQLITE_TRUST_PATH: 'true' });
    expect(await run('keys', 'list')).toBe(0);
    expect(mode()).toBe(0o755);
    expect(state.opened[0]).toMatchObject({ trustPath: true });
    io.remove();
  });

  it('is not opened with names where the configuration says so', async () => {
    const { run, io, state } = given({ BECKON_POSTGRES_PREPARED_NAMES: 'false' });
    expect(await run('keys', 'list')).toBe(0);
    expect(state.opened[0]).toMatchObject({ preparedNames: false });
    io.remove();
  });

  it('is not the folder that one works in', async () => {
    const { run, io, put } = cli({ env: { BECKON_DATA_DIR: '.' } });
    chmodSync(io.cwd, 0o755);
    put('beckon.db', '');
    expect(await run('keys', 'list', '--db', 'sqlite:beckon.db')).toBe(0);
    expect(statSync(io.cwd).mode & 0o777).toBe(0o755);
    io.remove();
  });
});

describe('an unsafe database', () => {
  it('is refused in a sentence that names the setting', async () => {
    const { run, io, state } = cli();
    state.failure.open = Object.assign(new Error('x.db is a symbolic link: ...'), { name: 'UnsafeDatabase' });
    expect(await run('keys', 'list')).toBe(1);
    expect(io.err()).toBe(
      'beckon: x.db is a symbolic link: ...\nIn the configuration it is sqlite.trustPath, or BECKON_SQLITE_TRUST_PATH=true.\n',
    );
    io.remove();
  });
});
