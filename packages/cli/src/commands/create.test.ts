import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Cli, cli } from '../../test/support/cli.ts';
import { FRAMEWORKS } from '../starter.ts';

const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

describe('create', () => {
  let program: Cli;
  beforeEach(() => {
    program = cli({ isNew: true });
  });
  afterEach(() => program.io.remove());

  it.each(FRAMEWORKS)(
    '`create` writes a starter with %s, its master key and a manifest of this version',
    async (framework) => {
      const { io, run } = program;
      expect(await run('create', 'My-Shop', '--framework', framework)).toBe(0);
      const folder = join(io.cwd, 'My-Shop');
      const manifest = readJson(join(folder, 'package.json'));
      const { version } = readJson(new URL('../../package.json', import.meta.url).pathname);
      expect(manifest).toMatchObject({ name: 'my-shop', dependencies: { '@beckon/core': `^${version}` } });
      expect(JSON.stringify(manifest)).not.toContain('"*"');
      expect(readFileSync(join(folder, '.env'), 'utf8')).toMatch(/^BECKON_MASTER_KEY=[0-9a-f]{64}\n$/);
      expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);
      expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toContain('.env');
      expect(existsSync(join(folder, 'gitignore'))).toBe(false);
      for (const file of ['src/server.ts', 'src/main.ts', 'workflows/welcome.bundle.test.json'])
        expect(existsSync(join(folder, file)), file).toBe(true);
      expect(io.err()).toContain('Next: cd My-Shop && npm install && npm test && npm start');
    },
  );

  it.each(FRAMEWORKS)(
    'the libraries of the %s starter have the versions that its example is tested with',
    (framework) => {
      const starter = readJson(new URL(`../../starter/${framework}/package.json`, import.meta.url).pathname);
      const read = (path: string) => readJson(new URL(`../../../../${path}package.json`, import.meta.url).pathname);
      const tested = [read(''), read(`examples/${framework}/`)].map((one) => ({
        ...one.devDependencies,
        ...one.dependencies,
      }));
      const others = Object.entries({ ...starter.dependencies, ...starter.devDependencies }).filter(
        ([name]) => !name.startsWith('@beckon/'),
      );
      expect(others).not.toEqual([]);
      for (const [name, version] of others)
        expect([name, tested.map((one) => one[name])]).toEqual([name, expect.arrayContaining([version])]);
    },
  );

  it('`create` refuses a folder with files and changes nothing', async () => {
    const { io, run, put } = program;
    put('notes.txt', 'mine');
    expect(await run('create', '.')).toBe(6);
    expect(io.err()).toContain('is not empty. Nothing was written.');
    expect(existsSync(join(io.cwd, 'package.json'))).toBe(false);
    expect(await run('create', 'notes.txt')).toBe(6);
    expect(io.err()).toContain('is a file. Nothing was written.');
    expect(readFileSync(join(io.cwd, 'notes.txt'), 'utf8')).toBe('mine');
  });

  it('`create` accepts an empty folder and names a package whose folder has no valid name', async () => {
    const { io, run } = program;
    expect(await run('create', 'Ünïted shop')).toBe(0);
    expect(readJson(join(io.cwd, 'Ünïted shop', 'package.json'))).toMatchObject({ name: 'my-app' });
    writeFileSync(join(io.cwd, 'x'), '');
    expect(await run('create')).toBe(2);
    expect(await run('create', 'y', '--framework', 'rails')).toBe(2);
    expect(existsSync(join(io.cwd, 'y'))).toBe(false);
  });
});
