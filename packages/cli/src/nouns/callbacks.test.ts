import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli } from '../../test/support/cli.ts';
import { AT, addTenant } from '../../test/support/world.ts';

const callback = (id: string, provider = 'sendgrid') => ({
  id,
  channel: 'email' as const,
  provider,
  bytes: 120,
  receivedAt: AT,
  appliedAt: AT,
  events: 3,
  applied: 1,
  duplicates: 0,
  unknown: 2,
});

describe('callbacks', () => {
  it('lists what a provider posted, and what became of it', async () => {
    const { run, io, state } = cli();
    addTenant(state);
    state.callbacks.push(callback('c1'), callback('c2', 'resend'));
    expect(await run('callbacks', 'list', '--env', 'prod', '--provider', 'sendgrid')).toBe(0);
    const head = 'ID\tRECEIVED\tCHANNEL\tPROVIDER\tEVENTS\tAPPLIED\tDUPLICATES\tUNKNOWN\n';
    expect(io.out()).toBe(`${head}c1\t${AT.toISOString()}\temail\tsendgrid\t3\t1\t0\t2\n`);
    expect(state.calls).toContain('callbacks prod');
    io.remove();
  });

  it('says so where nothing was posted', async () => {
    const { run, io, state } = cli();
    addTenant(state);
    expect(await run('callbacks', 'list', '--env', 'prod')).toBe(0);
    expect(io.err()).toContain('No provider has posted anything.');
    io.remove();
  });

  it('goes through one again, and exits 1 where there is none', async () => {
    const { run, io, state } = cli();
    addTenant(state);
    state.callbacks.push(callback('c1'));
    expect(await run('callbacks', 'replay', 'c1', '--env', 'prod')).toBe(0);
    expect(io.out()).toContain('applied: 3');
    expect(await run('callbacks', 'replay', 'c9', '--env', 'prod')).toBe(1);
    io.remove();
  });

  it('shows what to give a provider', async () => {
    const { run, io, state } = cli();
    addTenant(state);
    expect(await run('callbacks', 'urls', '--env', 'prod')).toBe(0);
    expect(io.out()).toContain('https://push.example/x?k=1');
    io.remove();
  });

  it('asks which environment is meant', async () => {
    const { run, io, state } = cli();
    addTenant(state);
    expect(await run('callbacks', 'list')).toBe(2);
    io.remove();
  });

  it('sets what a provider signs with from a file (a key in PEM, too), shows that it is there and never what it is, and takes it away', async () => {
    const { run, io, state } = cli();
    addTenant(state);
    const write = (name: string, text: string) => writeFileSync(join(io.cwd, name), text);
    write('key.pem', 'MFkw-first\n');
    expect(await run('callbacks', 'secrets', 'set', 'sendgrid', '--file', 'key.pem', '--env', 'prod')).toBe(0);
    write('two.txt', 'whsec_old\nwhsec_new\n');
    expect(await run('callbacks', 'secrets', 'set', 'resend', '--file', 'two.txt', '--env', 'prod')).toBe(0);
    write('login.json', '{"user":"beckon","password":"pass-word"}');
    expect(await run('callbacks', 'secrets', 'set', 'postmark', '--file', 'login.json', '--env', 'prod')).toBe(0);
    expect(Object.fromEntries(state.callbackSecrets)).toEqual({
      sendgrid: { publicKey: 'MFkw-first' },
      resend: { secret: ['whsec_old', 'whsec_new'] },
      postmark: { user: 'beckon', password: 'pass-word' },
    });
    expect(await run('callbacks', 'secrets', 'list', '--env', 'prod')).toBe(0);
    expect(io.out()).toContain(`sendgrid\tyes\t${AT.toISOString()}\thttps://push.example/sendgrid?k=1`);
    expect(io.out()).toContain('ses\tno\t-\t');
    expect(io.out() + io.err()).not.toMatch(/MFkw|whsec|pass-word/);
    expect(await run('callbacks', 'secrets', 'remove', 'resend', '--env', 'prod')).toBe(0);
    expect([...state.callbackSecrets.keys()]).toEqual(['sendgrid', 'postmark']);
    write('pem.pem', '-----BEGIN PUBLIC KEY-----\nMFkwE\r\nwYHK=\n-----END PUBLIC KEY-----\n');
    expect(await run('callbacks', 'secrets', 'set', 'sendgrid', '--file', 'pem.pem', '--env', 'prod')).toBe(0);
    expect(state.callbackSecrets.get('sendgrid')).toEqual({ publicKey: 'MFkwEwYHK=' });
    expect(await run('callbacks', 'secrets', 'set', 'smtp', '--file', 'key.pem', '--env', 'prod')).toBe(2);
    io.remove();
  });
});
