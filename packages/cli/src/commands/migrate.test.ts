import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli } from '../../test/support/cli.ts';
import { schemaError } from '../../test/support/world.ts';

describe('migrate check', () => {
  it('`migrate check` exits 0 for a current schema', async () => {
    const { run, io } = cli();
    expect(await run('migrate', 'check')).toBe(0);
    expect(io.out()).toContain('Up to date');
    io.remove();
  });

  it('`migrate check` exits 1 and names pending migrations', async () => {
    const { run, io, state, envelope } = cli();
    state.known.push('0001_second');
    expect(await run('migrate', 'check', '--json')).toBe(1);
    expect(envelope()).toMatchObject({ success: true, data: { pending: ['0001_second'] } });
    io.remove();
  });

  it('`migrate check` exits 3 for a newer database', async () => {
    const { run, io, state } = cli();
    state.applied.push('0009_future');
    expect(await run('migrate', 'check')).toBe(3);
    io.remove();
  });

  it('`migrate check` exits 70 on an unexpected error, because 1 is a result', async () => {
    const { run, io, state, envelope } = cli();
    state.failure.state = new TypeError('x is undefined');
    expect(await run('migrate', 'check', '--json')).toBe(70);
    expect(envelope()).toMatchObject({ success: false, error: { code: 'INTERNAL' } });
    io.remove();
  });

  it('`migrate check` exits 3 if an applied migration was changed', async () => {
    const { run, io, state } = cli();
    state.failure.state = schemaError('changed');
    expect(await run('migrate', 'check')).toBe(3);
    io.remove();
  });

  it('`migrate check` needs no master key', async () => {
    const { run, io } = cli({ env: { BECKON_MASTER_KEY: '' } });
    expect(await run('migrate', 'check')).toBe(0);
    io.remove();
  });
});

describe('migrate status', () => {
  it('`migrate status` lists pending migrations and exits 0', async () => {
    const { run, io, state } = cli();
    state.known.push('0001_second');
    expect(await run('migrate', 'status')).toBe(0);
    expect(io.out()).toContain('0001_second');
    io.remove();
  });

  it('`migrate status` does not create a SQLite file', async () => {
    const { run, io } = cli({ isNew: true });
    expect(await run('migrate', 'status', '--db', 'sqlite:absent.db')).toBe(1);
    expect(existsSync(join(io.cwd, 'absent.db'))).toBe(false);
    io.remove();
  });
});

describe('migrate up', () => {
  it('`migrate up` applies pending migrations once', async () => {
    const { run, io, state } = cli();
    state.known.push('0001_second');
    expect(await run('migrate', 'up')).toBe(0);
    expect(await run('migrate', 'up')).toBe(0);
    expect(io.out()).toBe('applied 0001_second\nUp to date.\n');
    io.remove();
  });

  it('`migrate up` creates the folder of a new database', async () => {
    const { run, io } = cli({ isNew: true });
    expect(await run('migrate', 'up')).toBe(0);
    expect(existsSync(join(io.cwd, 'data'))).toBe(true);
    io.remove();
  });
});
