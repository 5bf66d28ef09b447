import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Cli, cli } from '../testing/cli.ts';
import { addTenant, coreError } from '../testing/world.ts';

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
  it('writes the bundle itself to stdout, indented', async () => {
    const { run, io } = project();
    expect(await run('bundle', 'export')).toBe(0);
    expect(JSON.parse(io.out())).toMatchObject({ version: 1, workflows: [{ name: 'A' }, { name: 'B' }] });
    expect(io.out()).toContain('\n  "workflows"');
    io.remove();
  });

  it('writes a file, compact, stable and of named workflows', async () => {
    const { run, io } = project();
    expect(await run('bundle', 'export', '-f', 'out.json', '--compact', '--stable', '--workflow', 'B')).toBe(0);
    expect(readFileSync(join(io.cwd, 'out.json'), 'utf8')).toBe(
      '{"version":1,"exportedAt":"1970-01-01T00:00:00.000Z","workflows":[{"name":"B"}]}\n',
    );
    expect(io.out()).toBe('Wrote 1 workflow to out.json.\n');
    io.remove();
  });

  it('prints one envelope for --json', async () => {
    const { run, io, envelope } = project();
    expect(await run('bundle', 'export', '--json')).toBe(0);
    expect(envelope()).toMatchObject({ success: true, data: { version: 1 } });
    io.remove();
  });

  it('exits 2 when it is to be pretty and compact', async () => {
    const { run, io } = project();
    expect(await run('bundle', 'export', '--pretty', '--compact')).toBe(2);
    io.remove();
  });
});

describe('bundle import', () => {
  it('exits 9 and writes nothing without a terminal and without --yes', async () => {
    const { run, io, state } = project();
    expect(await run('bundle', 'import', 'new.json')).toBe(9);
    expect(io.err()).toContain('--yes');
    expect(state.calls).toEqual([]);
    io.remove();
  });

  it('imports with --yes and says what it did', async () => {
    const { run, io, state } = project();
    expect(await run('bundle', 'import', 'new.json', '--yes')).toBe(0);
    expect([...state.workflows.keys()]).toEqual(['A', 'B', 'C']);
    expect(io.out()).toContain('+ create  C\n= same    B\n1 to create, 0 to update, 1 unchanged\nimported\n');
    io.remove();
  });

  it('passes on what it is to leave alone and what to deactivate', async () => {
    const { run, io, state } = project();
    expect(await run('bundle', 'import', 'new.json', '--yes', '--only', 'create', '--prune')).toBe(0);
    expect(state.calls).toContain('import {"only":"create","prune":true}');
    expect(await run('bundle', 'import', 'new.json', '--yes', '--only', 'both')).toBe(2);
    io.remove();
  });

  it('names other audiences where it is told which, wherever the bundle names one', async () => {
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

  it('asks a service instead of a database only with a key, and for the environment of that key', async () => {
    const { run, io } = project();
    expect(await run('bundle', 'import', 'new.json', '--yes', '--url', 'http://127.0.0.1:1')).toBe(2);
    expect(io.err()).toContain('BECKON_API_KEY');
    expect(await run('bundle', 'export', '--url', 'http://127.0.0.1:1', '--db', 'sqlite:x.db')).toBe(2);
    io.remove();
    const other = project({ env: { BECKON_API_KEY: 'sk_test_key' } });
    expect(await other.run('runs', 'list', '--env', 'prod', '--url', 'http://127.0.0.1:1')).toBe(2);
    other.io.remove();
  });

  it('reads the bundle from stdin', async () => {
    const { run, io, state } = project({ stdin: bundle('D') });
    expect(await run('bundle', 'import', '-', '-y', '--json')).toBe(0);
    expect(state.workflows.has('D')).toBe(true);
    io.remove();
  });

  it('writes nothing on a dry run, which exits 0 unless asked for an answer', async () => {
    const { run, io, state } = project();
    expect(await run('bundle', 'import', 'new.json', '--dry-run')).toBe(0);
    expect(await run('bundle', 'import', 'new.json', '--dry-run', '--exit-code')).toBe(1);
    expect(await run('bundle', 'import', 'same.json', '--dry-run', '--exit-code')).toBe(0);
    expect([...state.workflows.keys()]).toEqual(['A', 'B']);
    io.remove();
  });

  it('never exits 1 for an error where 1 is an answer', async () => {
    const { run, io } = project();
    expect(await run('bundle', 'import', 'missing.json', '--dry-run', '--exit-code')).toBe(70);
    io.remove();
  });

  it('shows the plan to a person, asks, and imports what was confirmed', async () => {
    const { run, io, state } = project({ isTTY: true, answer: 'y' });
    expect(await run('bundle', 'import', 'new.json')).toBe(0);
    expect(io.err()).toContain('+ create  C');
    expect(io.asked).toHaveLength(1);
    expect(state.calls).toContain('import {"ifMatch":"etag2"}');
    io.remove();
  });

  it('imports nothing when the person says anything but yes', async () => {
    const { run, io, state } = project({ isTTY: true, answer: '' });
    expect(await run('bundle', 'import', 'new.json')).toBe(1);
    expect([...state.workflows.keys()]).toEqual(['A', 'B']);
    io.remove();
  });

  it('exits 5 and prints each field that is wrong', async () => {
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
  ])('tells a bundle %s by exit code %i', async (_, code, error) => {
    const { run, io, state } = project();
    state.failure.importBundle = error;
    expect(await run('bundle', 'import', 'new.json', '--yes')).toBe(code);
    io.remove();
  });

  it('exits 5 for more than 1 MB, from a file and from stdin, and for what is no JSON', async () => {
    const { run, io, put, state } = project({ stdin: ' '.repeat(1_048_577) });
    put('large.json', ' '.repeat(1_048_577));
    put('broken.json', '{');
    expect(await run('bundle', 'import', 'large.json', '--yes')).toBe(5);
    expect(await run('bundle', 'import', '-', '--yes')).toBe(5);
    expect(await run('bundle', 'import', 'broken.json', '--yes')).toBe(5);
    expect(state.calls).toEqual([]);
    io.remove();
  });

  it('exits 2 for --exit-code without --dry-run', async () => {
    const { run, io } = project();
    expect(await run('bundle', 'import', 'new.json', '--yes', '--exit-code')).toBe(2);
    io.remove();
  });
});
