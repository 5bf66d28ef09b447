import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli } from '../../test/support/cli.ts';
import { schemaError } from '../../test/support/world.ts';

describe('migrate check', () => {
  it('exits 0 when the schema is current', async () => {
    const { run, io } = cli();
    expect(await run('migrate', 'check')).toBe(0);
    expect(io.out()).toContain('Up to date');
    io.remove();
  });

  it('exits 1 and names what is pending', async () => {
    const { run, io, state, envelope } = cli();
    state.known.push('0001_second');
    expect(await run('migrate', 'check', '--json')).toBe(1);
    expect(envelope()).toMatchObject({ success: true, data: { pending: ['0001_second'] } });
    io.remove();
  });

  it('exits 3 when the database is newer', async () => {
    const { run, io, state } = cli();
    state.applied.push('0009_future');
    expect(await run('migrate', 'check')).toBe(3);
    io.remove();
  });

  it('exits 70 on an error that nobody foresaw, since 1 is an answer', async () => {
    const { run, io, state, envelope } = cli();
    state.failure.state = new TypeError('x is undefined');
    expect(await run('migrate', 'check', '--json')).toBe(70);
    expect(envelope()).toMatchObject({ success: false, error: { code: 'INTERNAL' } });
    io.remove();
  });

  it('exits 3 when a migration was changed after it was applied', async () => {
    const { run, io, state } = cli();
    state.failure.state = schemaError('changed');
    expect(await run('migrate', 'check')).toBe(3);
    io.remove();
  });

  it('needs no master key', async () => {
    const { run, io } = cli({ env: { BECKON_MASTER_KEY: '' } });
    expect(await run('migrate', 'check')).toBe(0);
    io.remove();
  });
});

describe('migrate status', () => {
  it('lists what is pending and exits 0', async () => {
    const { run, io, state } = cli();
    state.known.push('0001_second');
    expect(await run('migrate', 'status')).toBe(0);
    expect(io.out()).toContain('0001_second');
    io.remove();
  });

  it('makes no SQLite file by looking for one', async () => {
    const { run, io } = cli({ isNew: true });
    expect(await run('migrate', 'status', '--db', 'sqlite:absent.db')).toBe(1);
    expect(existsSync(join(io.cwd, 'absent.db'))).toBe(false);
    io.remove();
  });
});

describe('migrate up', () => {
  it('applies what is missing, once', async () => {
    const { run, io, state } = cli();
    state.known.push('0001_second');
    expect(await run('migrate', 'up')).toBe(0);
    expect(await run('migrate', 'up')).toBe(0);
    expect(io.out()).toBe('applied 0001_second\nUp to date.\n');
    io.remove();
  });

  it('makes the folder of a new database', async () => {
    const { run, io } = cli({ isNew: true });
    expect(await run('migrate', 'up')).toBe(0);
    expect(existsSync(join(io.cwd, 'data'))).toBe(true);
    io.remove();
  });
});
