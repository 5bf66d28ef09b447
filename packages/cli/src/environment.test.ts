import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Beckon, newMasterKey, type Send } from '@beckon/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EmptyCli, emptyCli, servicesOf } from '../test/support/empty.ts';
import { type RealCli, realCli } from '../test/support/real.ts';

const SEND = ['send', 'test', 'sms', '--to', '+15005550006'];

let real: RealCli;
beforeEach(async () => {
  real = await realCli();
});
afterEach(() => real.close());

describe('the default environment of a command', () => {
  const withEnv = (env: string, argv: readonly string[]) =>
    real.run(argv, { env: { ...real.env, ...(env ? { BECKON_ENV: env } : {}) } });
  const sends = async (environment: 'prod' | 'test'): Promise<readonly Send[]> => {
    const scope = await real.beckon.tenancy.scope({ ...real.scope, environment });
    return (await real.beckon.sends.list(scope, 'sms')).data;
  };

  it('the default environment is BECKON_ENV, else env in the configuration', async () => {
    const { id } = await real.beckon.sms.send(real.scope, { to: '+15005550006', body: 'Hi' });
    const list = ['sends', 'list', '--channel', 'sms'];
    real.put('beckon.config.json', JSON.stringify({ env: 'prod' }));
    const configured = await withEnv('', list);
    expect([configured.code, configured.err]).toEqual([0, expect.stringContaining('No sends match in prod')]);
    expect((await withEnv('test', list)).out).toContain(id);
    expect((await withEnv('test', [...list, '--env', 'prod'])).err).toContain('No sends match in prod');
  });

  it('a missing environment, or one other than prod and test, is an error', async () => {
    const none = await withEnv('', ['sends', 'list']);
    expect(none.code).toBe(2);
    expect(none.err).toContain('Missing environment. Pass --env prod or --env test.\nSet a default with BECKON_ENV');
    const wrong = await withEnv('staging', ['sends', 'list']);
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain('BECKON_ENV must be prod or test');
  });

  it('commands that send never default to prod', async () => {
    for (const argv of [
      SEND,
      ['send', 'sms', '--audience', '01890000-0000-7000-8000-000000000000', '--body', 'Hi'],
      ['runs', 'retry', 'r1'],
      ['live-activities', 'end', 'a1'],
    ]) {
      const { code, err } = await withEnv('prod', argv);
      expect([argv.join(' '), code]).toEqual([argv.join(' '), 2]);
      expect(err).toContain('This command sends real messages in prod. Pass --env prod to confirm.');
    }
    // Without a provider the explicit send is rejected later, by core.
    expect((await withEnv('prod', [...SEND, '--env', 'prod'])).code).toBe(8);
    expect(await sends('prod')).toEqual([]);
    expect((await withEnv('test', SEND)).code).toBe(0);
    expect(await sends('test')).toHaveLength(1);
  });

  it('after `init` the default environment is test', async () => {
    const one = emptyCli();
    expect(await one.run('init')).toBe(0);
    expect(JSON.parse(readFileSync(join(one.io.cwd, 'beckon.config.json'), 'utf8'))).toMatchObject({ env: 'test' });
    expect(await one.run('sends', 'list', '--channel', 'sms')).toBe(0);
    expect(one.io.err()).toContain('No sends match in test');
    one.io.remove();
  });
});

describe('a PostgreSQL that is down', () => {
  const down = (code: string) => Object.assign(new Error(`connect ${code} 10.0.0.7:5432`), { code });
  const throwing = (error: Error) => async (): Promise<never> => {
    throw error;
  };
  /** The program with a database that does not open. */
  const notOpening = (db: string, error: Error): EmptyCli => {
    const env = { BECKON_MASTER_KEY: newMasterKey(), BECKON_DB: db };
    return emptyCli({ env, services: { open: throwing(error) } });
  };
  /** The program with a PostgreSQL that opens, and an error of every SMS. */
  const notSending = (error: Error): EmptyCli => {
    const env = { ...real.env, BECKON_DB: 'postgres://u:canary@h/d' };
    const change = (beckon: Beckon): Beckon => ({ ...beckon, sms: { ...beckon.sms, send: throwing(error) } });
    return emptyCli({ cwd: real.cwd, env, services: servicesOf(join(real.cwd, 'data', 'beckon.db')), change });
  };

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
    const { run, io } = notOpening(db, new Error('the database refused a statement', { cause: down(code) }));
    expect(await run('keys', 'list')).toBe(10);
    expect(io.err()).toContain(`beckon: Cannot connect to PostgreSQL at ${place}.\n`);
    expect(io.err()).not.toContain('canary');
    io.remove();
  });

  it('an unreachable PostgreSQL is reported in the same words after a lost connection, by `migrate` and by `doctor`', async () => {
    const late = notSending(Object.assign(down('ECONNRESET'), { name: 'StorageError' }));
    expect(await late.run(...SEND, '--env', 'test')).toBe(10);
    expect(late.io.err()).toContain('Cannot connect to PostgreSQL at h:5432 (connection reset).');
    const env = { BECKON_DB: 'postgres://u:canary@h/d' };
    const migrate = emptyCli({ env, services: { schema: throwing(down('ECONNREFUSED')) } });
    expect(await migrate.run('migrate', 'status')).toBe(10);
    expect(migrate.io.err()).toContain('Cannot connect to PostgreSQL at h:5432 (connection refused).');
    const doctor = notOpening('postgres://u:canary@h/d', down('ECONNREFUSED'));
    expect(await doctor.run('doctor')).toBe(1);
    expect(doctor.io.out()).toContain('database\tfailed\tCannot connect to PostgreSQL at h:5432 (connection refused).');
    for (const { io } of [migrate, doctor]) io.remove();
  });

  it('other errors and SQLite files are not reported as an unreachable PostgreSQL', async () => {
    const file = notOpening('sqlite:x.db', down('ECONNREFUSED'));
    file.put('x.db', '');
    expect(await file.run('keys', 'list')).toBe(10);
    expect(file.io.err()).toContain('Cannot use the database sqlite ./x.db');
    const elsewhere = notSending(down('ECONNREFUSED'));
    expect(await elsewhere.run(...SEND, '--env', 'test')).toBe(10);
    expect(elsewhere.io.err()).not.toContain('Cannot connect');
    const wrong = Object.assign(new Error('password authentication failed'), { code: '28P01' });
    const password = notOpening('postgres://u@h/d', wrong);
    expect(await password.run('keys', 'list')).toBe(1);
    expect(password.io.err()).not.toContain('Cannot connect');
    file.io.remove();
    password.io.remove();
  });
});
