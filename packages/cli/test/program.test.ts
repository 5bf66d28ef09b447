import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { programIn } from './program.ts';

describe('the program that tests start', () => {
  let root: string;
  const put = (path: string, minute: number): void => {
    const file = join(root, 'packages', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '');
    utimesSync(file, minute * 60, minute * 60);
  };
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'beckon-program-'));
    for (const name of ['core', 'http', 'cli']) put(`${name}/src/index.ts`, 1);
    for (const file of ['core/dist/index.js', 'http/dist/index.js', 'cli/dist/main.js']) put(file, 2);
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('tests run the program from source unless BECKON_TEST_DIST is set', () => {
    rmSync(join(root, 'packages/cli/dist'), { recursive: true });
    expect(programIn(root, false)).toBe(join(root, 'packages/cli/bin/beckon.js'));
  });

  it('the bundle is used if no source is newer, even if tests are', () => {
    for (const name of ['run.test.ts', 'testing/cli.ts']) put(`cli/src/${name}`, 3);
    expect(programIn(root, true)).toBe(join(root, 'packages/cli/dist/main.js'));
  });

  it('a missing bundle is an error', () => {
    rmSync(join(root, 'packages/http/dist'), { recursive: true });
    expect(() => programIn(root, true)).toThrow(
      'BECKON_TEST_DIST is 1, but there is no packages/http/dist/index.js. Run "npm run build", or leave the variable out.',
    );
  });

  it.each(['core/src/people/events/store.ts', 'core/src/storage/migrations/sqlite/0001.sql', 'http/src/index.ts'])(
    'the bundle is rejected if %s changed after the build',
    (path) => {
      put(path, 3);
      expect(() => programIn(root, true)).toThrow(`packages/${path} is newer than packages/`);
    },
  );
});
