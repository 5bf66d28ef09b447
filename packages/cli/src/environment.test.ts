import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Cli, cli } from '../test/support/cli.ts';
import { addTenant } from '../test/support/world.ts';

const withTenant = (env: Record<string, string> = {}): Cli => {
  const program = cli({ env });
  addTenant(program.state);
  return program;
};
const SEND = ['send', 'test', 'sms', '--to', '+15005550006'];
const configure = ({ io }: Cli, env: string): void =>
  writeFileSync(join(io.cwd, 'beckon.config.json'), JSON.stringify({ env }));

describe('the default environment of a command', () => {
  it('the default environment is BECKON_ENV, else env in the configuration', async () => {
    const one = withTenant();
    configure(one, 'prod');
    expect(await one.run('sends', 'list', '--channel', 'sms')).toBe(0);
    expect(one.state.calls).toContain('sends prod sms');
    const two = withTenant({ BECKON_ENV: 'test' });
    configure(two, 'prod');
    expect(await two.run('sends', 'list', '--channel', 'sms')).toBe(0);
    expect(two.state.calls).toContain('sends test sms');
    expect(await two.run('sends', 'list', '--channel', 'sms', '--env', 'prod')).toBe(0);
    expect(two.state.calls).toContain('sends prod sms');
    one.io.remove();
    two.io.remove();
  });

  it('a missing environment, or one other than prod and test, is an error', async () => {
    const none = withTenant();
    expect(await none.run('sends', 'list')).toBe(2);
    expect(none.io.err()).toContain(
      'Missing environment. Pass --env prod or --env test.\nSet a default with BECKON_ENV',
    );
    const wrong = withTenant({ BECKON_ENV: 'staging' });
    expect(await wrong.run('sends', 'list')).toBe(2);
    expect(wrong.io.err()).toContain('BECKON_ENV must be prod or test');
    none.io.remove();
    wrong.io.remove();
  });

  it('commands that send never default to prod', async () => {
    const prod = withTenant({ BECKON_ENV: 'prod' });
    for (const argv of [
      SEND,
      ['send', 'sms', '--audience', '01890000-0000-7000-8000-000000000000', '--body', 'Hi'],
      ['runs', 'retry', 'r1'],
      ['live-activities', 'end', 'a1'],
    ]) {
      expect([argv.join(' '), await prod.run(...argv)]).toEqual([argv.join(' '), 2]);
      expect(prod.io.err()).toContain('This command sends real messages in prod. Pass --env prod to confirm.');
    }
    expect(prod.state.bodies).toEqual([]);
    expect(await prod.run(...SEND, '--env', 'prod')).toBe(0);
    expect(prod.state.bodies).toHaveLength(1);
    const test = withTenant({ BECKON_ENV: 'test' });
    expect(await test.run(...SEND)).toBe(0);
    expect(test.state.bodies).toHaveLength(1);
    prod.io.remove();
    test.io.remove();
  });

  it('after `init` the default environment is test', async () => {
    const one = cli({ isNew: true });
    expect(await one.run('init')).toBe(0);
    expect(JSON.parse(readFileSync(join(one.io.cwd, 'beckon.config.json'), 'utf8'))).toMatchObject({ env: 'test' });
    one.put('data/beckon.db', '');
    expect(await one.run('sends', 'list', '--channel', 'sms')).toBe(0);
    expect(one.state.calls).toContain('sends test sms');
    one.io.remove();
  });
});

describe('a PostgreSQL that is down', () => {
  const down = (code: string) => Object.assign(new Error(`connect ${code} 10.0.0.7:5432`), { code });

  it.each([
    ['postgres://beckon:canary@db.internal/beckon', 'ECONNREFUSED', 'db.internal:5432 (connection refused)'],
    [
      'postgresql://u:canary@db.internal:6432/d?sslmode=require',
      'ETIMEDOUT',
      'db.internal:6432 (connection timed out)',
    ],
    ['postgres://u:canary@nowhere/d', 'ENOTFOUND', 'nowhere:5432 (unknown host)'],
    ['postgres://u:canary@[::1]:5433/d', '57P03', '[::1]:5433 (the server is starting or stopping)'],
    ['postgres://u:canary@/d?host=/run/postgresql', 'ENOENT', '/run/postgresql (no such socket)'],
    ['postgres://u@h/d', '08006', 'h:5432 (no response, or the connection was lost)'],
    ['postgres:///d', 'ECONNREFUSED', 'localhost:5432 (connection refused)'],
  ])('an unreachable %s (%s) is named with host and port, without a password', async (db, code, place) => {
    const { run, io, state } = cli({ env: { BECKON_DB: db } });
    state.failure.open = new Error('the database refused a statement', { cause: down(code) });
    expect(await run('keys', 'list')).toBe(10);
    expect(io.err()).toContain(`beckon: Cannot connect to PostgreSQL at ${place}.\n`);
    expect(io.err()).not.toContain('canary');
    io.remove();
  });

  it('an unreachable PostgreSQL is reported in the same words after a lost connection, by `migrate` and by `doctor`', async () => {
    const env = { BECKON_DB: 'postgres://u:canary@h/d' };
    const late = withTenant(env);
    late.state.failure.send = Object.assign(down('ECONNRESET'), { name: 'StorageError' });
    expect(await late.run(...SEND, '--env', 'test')).toBe(10);
    expect(late.io.err()).toContain('Cannot connect to PostgreSQL at h:5432 (connection reset).');
    const migrate = cli({ env });
    migrate.state.failure.state = down('ECONNREFUSED');
    expect(await migrate.run('migrate', 'status')).toBe(10);
    expect(migrate.io.err()).toContain('Cannot connect to PostgreSQL at h:5432 (connection refused).');
    const doctor = cli({ env });
    doctor.state.failure.open = down('ECONNREFUSED');
    expect(await doctor.run('doctor')).toBe(1);
    expect(doctor.io.out()).toContain('database\tfailed\tCannot connect to PostgreSQL at h:5432 (connection refused).');
    for (const { io } of [late, migrate, doctor]) io.remove();
  });

  it('other errors and SQLite files are not reported as an unreachable PostgreSQL', async () => {
    const file = cli();
    file.state.failure.open = down('ECONNREFUSED');
    expect(await file.run('keys', 'list')).toBe(10);
    expect(file.io.err()).toContain('Cannot use the database sqlite ./x.db');
    const elsewhere = withTenant({ BECKON_DB: 'postgres://u@h/d' });
    elsewhere.state.failure.send = down('ECONNREFUSED');
    expect(await elsewhere.run(...SEND, '--env', 'test')).toBe(10);
    expect(elsewhere.io.err()).not.toContain('Cannot connect');
    elsewhere.io.remove();
    const password = cli({ env: { BECKON_DB: 'postgres://u@h/d' } });
    password.state.failure.open = Object.assign(new Error('password authentication failed'), { code: '28P01' });
    expect(await password.run('keys', 'list')).toBe(1);
    expect(password.io.err()).not.toContain('Cannot connect');
    file.io.remove();
    password.io.remove();
  });
});
