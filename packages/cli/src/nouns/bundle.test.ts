import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Cli, cli } from '../../test/support/cli.ts';
import { addTenant, coreError } from '../../test/support/world.ts';

const bundle = (...names: string[]): string =>
  JSON.stringify({ version: 1, exportedAt: '2026-11-20T08:00:00.000Z', workflows: names.map((name) => ({ name })) });

const project = (options?: Parameters<typeof cli>[0]): Cli => {
  const one = cli(options);
  addTenant(one.state);
  one.state.workflows.set('A', { name: 'A' });
  one.state.workflows.set('B', { name: 'B' });
  one.put('new.json', bundle('B', 'C'));
  one.put('same.json', bundle('A'));
  return one;
};

describe('bundle export', () => {
  it('`bundle export` writes an indented bundle to stdout', async () => {
    const { run, io } = project();
    expect(await run('bundle', 'export')).toBe(0);
    expect(JSON.parse(io.out())).toMatchObject({ version: 1, workflows: [{ name: 'A' }, { name: 'B' }] });
    expect(io.out()).toContain('\n  "workflows"');
    io.remove();
  });

  it('`bundle export` writes a compact, stable file with selected workflows', async () => {
    const { run, io } = project();
    expect(await run('bundle', 'export', '-f', 'out.json', '--compact', '--stable', '--workflow', 'B')).toBe(0);
    expect(readFileSync(join(io.cwd, 'out.json'), 'utf8')).toBe(
      '{"$schema":"https://unpkg.com/@beckon/core/bundle.schema.json","version":1,"exportedAt":"1970-01-01T00:00:00.000Z","workflows":[{"name":"B"}]}\n',
    );
    expect(io.out()).toBe('Wrote 1 workflow to out.json.\n');
    io.remove();
  });

  it('`bundle export --json` prints one envelope', async () => {
    const { run, io, envelope } = project();
    expect(await run('bundle', 'export', '--json')).toBe(0);
    expect(envelope()).toMatchObject({ success: true, data: { version: 1 } });
    io.remove();
  });

  it('`bundle export` exits 2 for --pretty with --compact', async () => {
    const { run, io } = project();
    expect(await run('bundle', 'export', '--pretty', '--compact')).toBe(2);
    io.remove();
  });
});

describe('a bundle that is not JSON', () => {
  it.each([
    ['validate', 'new.json'],
    ['diff', 'new.json'],
    ['import', 'new.json', '--dry-run'],
    ['import', 'new.json'],
  ])('`bundle %s` names the file, the line and the column', async (...argv) => {
    const { run, io, put, state } = project();
    put('new.json', '{\n  "version": 1\n  "workflows": ["secret"]\n}');
    expect(await run('bundle', ...argv)).toBe(5);
    expect(io.err()).toBe('beckon: new.json is not valid JSON: line 3, column 3: expected "," or "}".\n');
    expect(state.calls).toEqual([]);
    io.remove();
  });

  it('the position of a JSON error is in the details of --json, without the text', async () => {
    const { run, io, put, envelope } = project();
    put('new.json', '["secret]');
    expect(await run('bundle', 'validate', 'new.json', '--json')).toBe(5);
    expect(envelope()).toMatchObject({ error: { code: 'VALIDATION_ERROR', details: { line: 1, column: 10 } } });
    expect(io.out()).not.toContain('secret');
    io.remove();
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
    io.remove();
  });

  it('a configuration file that is not JSON is named with line and column', async () => {
    const { run, io, put } = project();
    put('beckon.config.json', '{"port": 8080,}');
    expect(await run('keys', 'list')).toBe(2);
    expect(io.err()).toContain(
      'beckon.config.json is not valid JSON: line 1, column 15: expected a name in double quotes',
    );
    io.remove();
  });
});

describe('bundle import', () => {
  it('`bundle import` reports a missing file before it asks for confirmation', async () => {
    const { run, io, state } = project();
    expect(await run('bundle', 'import', 'missing.json')).toBe(1);
    expect(io.err()).toContain('missing.json cannot be read (ENOENT).');
    expect(io.err()).not.toContain('--yes');
    expect(state.opened).toEqual([]);
    io.remove();
  });

  it('`bundle import` exits 9 and writes nothing without a terminal and without --yes', async () => {
    const { run, io, state } = project();
    expect(await run('bundle', 'import', 'new.json')).toBe(9);
    expect(io.err()).toContain('--yes');
    expect(state.calls).toEqual([]);
    io.remove();
  });

  it('`bundle import --yes` imports and prints the changes', async () => {
    const { run, io, state } = project();
    expect(await run('bundle', 'import', 'new.json', '--yes')).toBe(0);
    expect([...state.workflows.keys()]).toEqual(['A', 'B', 'C']);
    expect(io.out()).toContain('+ create  C\n= same    B\n1 to create, 0 to update, 1 unchanged\nImported.\n');
    io.remove();
  });

  it('`bundle import` passes --only and --prune to the API', async () => {
    const { run, io, state } = project();
    expect(await run('bundle', 'import', 'new.json', '--yes', '--only', 'create', '--prune')).toBe(0);
    expect(state.calls).toContain('import {"dryRun":false,"only":"create","prune":true}');
    expect(await run('bundle', 'import', 'new.json', '--yes', '--only', 'both')).toBe(2);
    io.remove();
  });

  it('--map-audience replaces audience ids everywhere in the bundle', async () => {
    const { run, io, state, put } = project();
    const workflow = (id: string, at: string) => ({
      name: 'C',
      trigger: { eventType: 'old', audienceId: id },
      steps: [{ config: { when: { any: [{ audience: at, op: 'in' }] } } }],
    });
    put('mapped.json', JSON.stringify({ version: 1, exportedAt: '', workflows: [workflow('old', 'OTHER')] }));
    const map = ['--map-audience', 'Old=new', '--map-audience', 'other=another'];
    expect(await run('bundle', 'import', 'mapped.json', '--yes', ...map)).toBe(0);
    expect(state.workflows.get('C')).toEqual(workflow('new', 'another'));
    expect(await run('bundle', 'import', 'mapped.json', '--yes', '--map-audience', 'old')).toBe(2);
    io.remove();
  });

  it('--url needs an API key and uses its environment', async () => {
    const { run, io } = project();
    expect(await run('bundle', 'import', 'new.json', '--yes', '--url', 'http://127.0.0.1:1')).toBe(2);
    expect(io.err()).toContain('BECKON_API_KEY');
    expect(await run('bundle', 'export', '--url', 'http://127.0.0.1:1', '--db', 'sqlite:x.db')).toBe(2);
    io.remove();
    const other = project({ env: { BECKON_API_KEY: 'sk_test_key' } });
    expect(await other.run('runs', 'list', '--env', 'prod', '--url', 'http://127.0.0.1:1')).toBe(2);
    other.io.remove();
  });

  it('`bundle import -` reads stdin', async () => {
    const { run, io, state } = project({ stdin: bundle('D') });
    expect(await run('bundle', 'import', '-', '-y', '--json')).toBe(0);
    expect(state.workflows.has('D')).toBe(true);
    io.remove();
  });

  it('`bundle import --dry-run` writes nothing and exits 0 without --exit-code', async () => {
    const { run, io, state } = project();
    expect(await run('bundle', 'import', 'new.json', '--dry-run')).toBe(0);
    expect(await run('bundle', 'import', 'new.json', '--dry-run', '--exit-code')).toBe(1);
    expect(await run('bundle', 'import', 'same.json', '--dry-run', '--exit-code')).toBe(0);
    expect([...state.workflows.keys()]).toEqual(['A', 'B']);
    io.remove();
  });

  it('`bundle import --exit-code` never exits 1 for an error', async () => {
    const { run, io } = project();
    expect(await run('bundle', 'import', 'missing.json', '--dry-run', '--exit-code')).toBe(70);
    io.remove();
  });

  it('`bundle import` shows the changes on a terminal, asks, and imports what was confirmed', async () => {
    const { run, io, state } = project({ isTTY: true, answer: 'y' });
    expect(await run('bundle', 'import', 'new.json')).toBe(0);
    expect(io.err()).toContain('+ create  C');
    expect(io.questions).toHaveLength(1);
    expect(state.calls).toContain('import {"dryRun":false,"ifMatch":"etag2","prune":false}');
    io.remove();
  });

  it('`bundle import` imports nothing for another answer than yes', async () => {
    const { run, io, state } = project({ isTTY: true, answer: '' });
    expect(await run('bundle', 'import', 'new.json')).toBe(1);
    expect([...state.workflows.keys()]).toEqual(['A', 'B']);
    io.remove();
  });

  it('`bundle import` exits 5 and prints each invalid field', async () => {
    const { run, io, state } = project();
    const details = { fieldErrors: { 'workflows.0.steps.1.config.url': ['must be a URL', 'must be https'] } };
    state.failure.importBundle = coreError('VALIDATION_ERROR', 'Some fields are not valid.', details);
    expect(await run('bundle', 'import', 'new.json', '--yes')).toBe(5);
    expect(io.err()).toContain('  workflows.0.steps.1.config.url: must be a URL\n');
    expect(io.err()).toContain('  workflows.0.steps.1.config.url: must be https\n');
    io.remove();
  });

  it.each([
    ['of another version', 3, coreError('VALIDATION_ERROR', 'x', { reason: 'unsupported_bundle_version' })],
    ['changed in the meantime', 6, coreError('CONFLICT', 'x', { reason: 'version_changed' })],
  ])('an import of a bundle %s exits %i', async (_, code, error) => {
    const { run, io, state } = project();
    state.failure.importBundle = error;
    expect(await run('bundle', 'import', 'new.json', '--yes')).toBe(code);
    io.remove();
  });

  it('`bundle import` exits 5 for more than 1 MB, from a file and from stdin, and for invalid JSON', async () => {
    const { run, io, put, state } = project({ stdin: ' '.repeat(1_048_577) });
    put('large.json', ' '.repeat(1_048_577));
    put('broken.json', '{');
    expect(await run('bundle', 'import', 'large.json', '--yes')).toBe(5);
    expect(await run('bundle', 'import', '-', '--yes')).toBe(5);
    expect(await run('bundle', 'import', 'broken.json', '--yes')).toBe(5);
    expect(state.calls).toEqual([]);
    io.remove();
  });

  it('`bundle import` exits 2 for --exit-code without --dry-run', async () => {
    const { run, io } = project();
    expect(await run('bundle', 'import', 'new.json', '--yes', '--exit-code')).toBe(2);
    io.remove();
  });
});
