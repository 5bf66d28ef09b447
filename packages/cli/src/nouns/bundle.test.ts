import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ImportOptions } from '@beckon/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EmptyCli, emptyCli } from '../../test/support/empty.ts';
import { type RealCli, realCli } from '../../test/support/real.ts';

const workflow = (name: string) => ({
  ...{ name, description: null, isActive: true },
  trigger: { eventType: `${name.toLowerCase()}.happened` },
  steps: [{ type: 'wait' as const, config: { minutes: 60 } }],
});
const bundleOf = (...workflows: readonly unknown[]): string =>
  JSON.stringify({ version: 1, exportedAt: '2026-11-20T08:00:00.000Z', workflows });
const bundle = (...names: string[]): string => bundleOf(...names.map(workflow));

let real: RealCli;
beforeEach(async () => {
  real = await realCli();
  for (const name of ['A', 'B']) await real.beckon.workflows.create(real.scope, workflow(name));
  real.put('new.json', bundle('B', 'C'));
  real.put('same.json', bundle('A'));
});
afterEach(() => real.close());

/** A new process in the folder of the database. */
const project = (options: Parameters<typeof emptyCli>[0] = {}): EmptyCli =>
  emptyCli({ cwd: real.cwd, ...options, env: { ...real.env, ...options.env } });
const stored = async () => (await real.beckon.workflows.exportBundle(real.scope)).bundle.workflows;
const names = async (): Promise<string[]> => (await stored()).map(({ name }) => name).toSorted();

describe('bundle export', () => {
  it('`bundle export` writes an indented bundle to stdout', async () => {
    const { run, io } = project();
    expect(await run('bundle', 'export')).toBe(0);
    expect(JSON.parse(io.out())).toMatchObject({ version: 1, workflows: [workflow('A'), workflow('B')] });
    expect(io.out()).toContain('\n  "workflows"');
  });

  it('`bundle export` writes a compact, stable file with selected workflows', async () => {
    const { run, io } = project();
    expect(await run('bundle', 'export', '-f', 'out.json', '--compact', '--stable', '--workflow', 'B')).toBe(0);
    const text = readFileSync(join(io.cwd, 'out.json'), 'utf8');
    expect(text).toMatch(
      /^\{"\$schema":"https:\/\/unpkg\.com\/@beckon\/core\/bundle\.schema\.json","version":1,"exportedAt":"1970-01-01T00:00:00\.000Z","workflows":\[\{.*\}\]\}\n$/,
    );
    expect(JSON.parse(text).workflows).toMatchObject([workflow('B')]);
    expect(io.out()).toBe('Wrote 1 workflow to out.json.\n');
  });

  it('`bundle export --json` prints one envelope', async () => {
    const { run, envelope } = project();
    expect(await run('bundle', 'export', '--json')).toBe(0);
    expect(envelope()).toMatchObject({ success: true, data: { version: 1 } });
  });

  it('`bundle export` exits 2 for --pretty with --compact', async () => {
    expect(await project().run('bundle', 'export', '--pretty', '--compact')).toBe(2);
  });
});

describe('a bundle that is not JSON', () => {
  it.each([
    ['validate', 'new.json'],
    ['diff', 'new.json'],
    ['import', 'new.json', '--dry-run'],
    ['import', 'new.json'],
  ])('`bundle %s` names the file, the line and the column', async (...argv) => {
    const { run, io, put, opened } = project();
    put('new.json', '{\n  "version": 1\n  "workflows": ["secret"]\n}');
    expect(await run('bundle', ...argv)).toBe(5);
    expect(io.err()).toBe('beckon: new.json is not valid JSON: line 3, column 3: expected "," or "}".\n');
    expect(opened).toEqual([]);
  });

  it('the position of a JSON error is in the details of --json, without the text', async () => {
    const { run, io, put, envelope } = project();
    put('new.json', '["secret]');
    expect(await run('bundle', 'validate', 'new.json', '--json')).toBe(5);
    expect(envelope()).toMatchObject({ error: { code: 'VALIDATION_ERROR', details: { line: 1, column: 10 } } });
    expect(io.out()).not.toContain('secret');
  });

  it.each([
    [['settings', 'set', 'push', '--file', 'x.json', '--env', 'test']],
    [['audiences', 'preview', 'x.json', '--env', 'test']],
    [
      [
        'webhooks',
        'create',
        'https://x.example/',
        '--events',
        'sms.failed',
        '--headers-file',
        'x.json',
        '--env',
        'test',
      ],
    ],
    [['ab-tests', 'create', '--channel', 'sms', '--file', 'x.json', '--env', 'test']],
    [['providers', 'add', 'fcm', '--service-account', 'x.json']],
    [['callbacks', 'secrets', 'set', 'ses', '--file', 'x.json', '--env', 'prod']],
    [['workflows', 'simulate', 'A', '--bundle', 'x.json', '--event', 'x.json']],
  ])('`beckon %j` names the file, the line and the column of invalid JSON', async (argv) => {
    const { run, io, put } = project();
    put('x.json', '{"a": "secret" "b"}');
    expect(await run(...argv)).toBe(5);
    expect(io.err()).toContain('x.json is not valid JSON: line 1, column 16: expected "," or "}".');
    expect(io.err()).not.toContain('secret');
  });

  it('a configuration file that is not JSON is named with line and column', async () => {
    const { run, io, put } = project();
    put('beckon.config.json', '{"port": 8080,}');
    expect(await run('keys', 'list')).toBe(2);
    expect(io.err()).toContain(
      'beckon.config.json is not valid JSON: line 1, column 15: expected a name in double quotes',
    );
  });
});

describe('bundle import', () => {
  /** A program that records the options of imports; `before` runs before each import that writes. */
  const recording = (options: Parameters<typeof emptyCli>[0] = {}, before = async (): Promise<void> => undefined) => {
    const imports: (ImportOptions | undefined)[] = [];
    const one = project({
      ...options,
      change: (beckon) => ({
        ...beckon,
        workflows: {
          ...beckon.workflows,
          importBundle: async (scope, body, query) => {
            imports.push(query);
            if (query?.dryRun !== true) await before();
            return beckon.workflows.importBundle(scope, body, query);
          },
        },
      }),
    });
    return { ...one, imports };
  };
  const audience = async (name: string): Promise<string> =>
    (await real.beckon.audiences.create(real.scope, { name })).id;

  it('`bundle import` reports a missing file before it asks for confirmation', async () => {
    const { run, io, opened } = project();
    expect(await run('bundle', 'import', 'missing.json')).toBe(1);
    expect(io.err()).toContain('missing.json cannot be read (ENOENT).');
    expect(io.err()).not.toContain('--yes');
    expect(opened).toEqual([]);
  });

  it('`bundle import` exits 9 and writes nothing without a terminal and without --yes', async () => {
    const { run, io, opened } = project();
    expect(await run('bundle', 'import', 'new.json')).toBe(9);
    expect(io.err()).toContain('--yes');
    expect(opened).toEqual([]);
  });

  it('`bundle import --yes` imports and prints the changes', async () => {
    const { run, io } = project();
    expect(await run('bundle', 'import', 'new.json', '--yes')).toBe(0);
    expect(await names()).toEqual(['A', 'B', 'C']);
    expect(io.out()).toContain('+ create  C\n= same    B\n1 to create, 0 to update, 1 unchanged\nImported.\n');
  });

  it('`bundle import` passes --only and --prune to the API', async () => {
    const { run, imports } = recording();
    expect(await run('bundle', 'import', 'new.json', '--yes', '--only', 'create', '--prune')).toBe(0);
    expect(imports).toEqual([{ dryRun: false, only: 'create', prune: true }]);
    expect(await names()).toEqual(['A', 'B', 'C']);
    expect(await run('bundle', 'import', 'new.json', '--yes', '--only', 'both')).toBe(2);
  });

  it('--map-audience replaces audience ids everywhere in the bundle', async () => {
    const { run } = project();
    const [one, two] = [await audience('One'), await audience('Two')];
    const withIds = (id: string, other: string) => ({
      ...workflow('C'),
      trigger: { eventType: 'c.happened', audienceId: id },
      steps: [{ type: 'wait', config: { minutes: 1, when: { any: [{ audience: other, op: 'in' }] } } }],
    });
    const [old, other] = ['01890000-0000-7000-8000-00000000000A', '01890000-0000-7000-8000-00000000000b'];
    real.put('mapped.json', bundleOf(withIds(old.toLowerCase(), other.toUpperCase())));
    const map = ['--map-audience', `${old}=${one}`, '--map-audience', `${other}=${two}`];
    expect(await run('bundle', 'import', 'mapped.json', '--yes', ...map)).toBe(0);
    expect((await stored()).find(({ name }) => name === 'C')).toMatchObject(withIds(one, two));
    expect(await run('bundle', 'import', 'mapped.json', '--yes', '--map-audience', 'old')).toBe(2);
  });

  it('--url needs an API key and uses its environment', async () => {
    const { run, io } = project();
    expect(await run('bundle', 'import', 'new.json', '--yes', '--url', 'http://127.0.0.1:1')).toBe(2);
    expect(io.err()).toContain('BECKON_API_KEY');
    expect(await run('bundle', 'export', '--url', 'http://127.0.0.1:1', '--db', 'sqlite:x.db')).toBe(2);
    const other = project({ env: { BECKON_API_KEY: 'sk_test_key' } });
    expect(await other.run('runs', 'list', '--env', 'prod', '--url', 'http://127.0.0.1:1')).toBe(2);
  });

  it('`bundle import -` reads stdin', async () => {
    const { run, envelope } = project({ stdin: bundle('D') });
    expect(await run('bundle', 'import', '-', '-y', '--json')).toBe(0);
    expect(envelope()).toMatchObject({ success: true, data: { created: [{ name: 'D' }] } });
    expect(await names()).toContain('D');
  });

  it('`bundle import --dry-run` writes nothing and exits 0 without --exit-code', async () => {
    const { run } = project();
    expect(await run('bundle', 'import', 'new.json', '--dry-run')).toBe(0);
    expect(await run('bundle', 'import', 'new.json', '--dry-run', '--exit-code')).toBe(1);
    expect(await run('bundle', 'import', 'same.json', '--dry-run', '--exit-code')).toBe(0);
    expect(await names()).toEqual(['A', 'B']);
  });

  it('`bundle import --exit-code` never exits 1 for an error', async () => {
    const { run } = project();
    expect(await run('bundle', 'import', 'missing.json', '--dry-run', '--exit-code')).toBe(70);
  });

  it('`bundle import` shows the changes on a terminal, asks, and imports what was confirmed', async () => {
    const { etag } = await real.beckon.workflows.exportBundle(real.scope);
    const { run, io, imports } = recording({ isTTY: true, answer: 'y' });
    expect(await run('bundle', 'import', 'new.json')).toBe(0);
    expect(io.err()).toContain('+ create  C');
    expect(io.questions).toHaveLength(1);
    expect(imports).toEqual([
      { dryRun: true, prune: false },
      { dryRun: false, ifMatch: etag, prune: false },
    ]);
    expect(await names()).toEqual(['A', 'B', 'C']);
  });

  it('`bundle import` imports nothing for another answer than yes', async () => {
    const { run } = project({ isTTY: true, answer: '' });
    expect(await run('bundle', 'import', 'new.json')).toBe(1);
    expect(await names()).toEqual(['A', 'B']);
  });

  it('`bundle import` exits 5 and prints each invalid field', async () => {
    const { run, io, put } = project();
    const steps = [{ type: 'wait', config: { minutes: -1 } }];
    put('new.json', bundleOf(workflow('B'), { ...workflow('C'), name: '', steps }));
    expect(await run('bundle', 'import', 'new.json', '--yes')).toBe(5);
    expect(io.err()).toContain('workflows.1.name');
    expect(io.err()).toContain('workflows.1.steps.0.config.minutes: ');
    expect(await names()).toEqual(['A', 'B']);
  });

  it('an import of a bundle of another version exits 3', async () => {
    const { run, put } = project();
    put('new.json', JSON.stringify({ ...JSON.parse(bundle('C')), version: 2 }));
    expect(await run('bundle', 'import', 'new.json', '--yes')).toBe(3);
  });

  it('an import exits 6 if a workflow was changed after the confirmation', async () => {
    const one = recording({ isTTY: true, answer: 'y' }, async () => {
      await real.beckon.workflows.create(real.scope, workflow('Other'));
    });
    expect(await one.run('bundle', 'import', 'new.json')).toBe(6);
    expect(await names()).toEqual(['A', 'B', 'Other']);
  });

  it('`bundle import` exits 5 for more than 1 MB, from a file and from stdin, and for invalid JSON', async () => {
    const { run, put, opened } = project({ stdin: ' '.repeat(1_048_577) });
    put('large.json', ' '.repeat(1_048_577));
    put('broken.json', '{');
    expect(await run('bundle', 'import', 'large.json', '--yes')).toBe(5);
    expect(await run('bundle', 'import', '-', '--yes')).toBe(5);
    expect(await run('bundle', 'import', 'broken.json', '--yes')).toBe(5);
    expect(opened).toEqual([]);
  });

  it('`bundle import` exits 2 for --exit-code without --dry-run', async () => {
    const { run } = project();
    expect(await run('bundle', 'import', 'new.json', '--yes', '--exit-code')).toBe(2);
  });
});
