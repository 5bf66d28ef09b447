import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Webhook } from '@beckon/core';
import { describe, expect, it } from 'vitest';
import { startDnsServer, type Zone } from '../../../core/test/support/email/domains/dns-server.ts';
import { cli } from '../../test/support/cli.ts';
import { emptyCli } from '../../test/support/empty.ts';
import { realCli } from '../../test/support/real.ts';
import { addTenant } from '../../test/support/world.ts';

const open = () => {
  const program = cli();
  addTenant(program.state);
  return program;
};

describe('doctor', () => {
  it('doctor exits 0 without a failed check and warns about missing settings', async () => {
    const { run, io, state } = open();
    state.providers.set('smtp', 1);
    expect(await run('doctor')).toBe(0);
    const lines = io.out().split('\n');
    expect(lines[0]).toBe('GROUP\tCHECK\tRESULT\tMESSAGE');
    expect(lines[1]).toBe('secrets\tmaster key\tok\tset');
    expect(lines).toContain(`runtime\tnode\tok\t${process.version}`);
    expect(io.out()).toContain('publicUrl\twarn\tnot set');
    expect(io.out()).toContain('push\twarn\tno provider');
    expect(io.out()).toContain('email\twarn\tsmtp never accepted its credentials: beckon providers test smtp');
  });

  it('doctor names a paused provider and the reason', async () => {
    const { run, io, state } = open();
    state.providers.set('smtp', 1);
    state.openCircuits.push({ provider: 'smtp', until: new Date('2026-11-20T08:01:00Z'), code: 'ECONNREFUSED' });
    expect(await run('doctor')).toBe(0);
    expect(io.out()).toContain('email\twarn\tsmtp is paused until 2026-11-20T08:01:00.000Z: ECONNREFUSED');
  });

  it('doctor names webhooks that have failed for more than a day', async () => {
    const { run, io, state } = open();
    const since = (ms: number) => new Date(io.now().getTime() - ms);
    const hook = (id: string, over: Partial<Webhook>): Webhook => ({
      ...{ id, url: `https://${id}.example/secret`, events: ['sms.failed'], description: null, headers: {} },
      ...{ isActive: true, isPulled: false, projectId: 'p', disabledReason: null, failingSince: null },
      ...{ createdAt: since(0), updatedAt: since(0), ...over },
    });
    state.webhooks.push(
      hook('fine', {}),
      hook('young', { failingSince: since(86_400_000 - 1) }),
      hook('down', { failingSince: since(86_400_000) }),
      hook('off', { failingSince: since(120 * 3_600_000), disabledReason: 'failing', isActive: false }),
    );
    expect(await run('doctor')).toBe(0);
    const named = io
      .out()
      .split('\n')
      .filter((line) => line.startsWith('webhooks'));
    expect(named).toEqual([
      expect.stringMatching(/ down\twarn\tdown\.example has failed since 2026-\S+: beckon webhooks deliveries down/),
      expect.stringMatching(/ off\twarn\toff\.example has failed since \S+ and is disabled: /),
    ]);
  });

  it('doctor names users with a placeholder id', async () => {
    const { run, io, state } = open();
    expect(await run('doctor')).toBe(0);
    expect(io.out()).not.toContain('several people');
    state.placeholders.push({ userId: 'undefined', devices: 2 }, { userId: ' ', devices: 1 });
    expect(await run('doctor')).toBe(0);
    expect(io.out()).toContain(
      'app placeholder ids\twarn\tone profile may mix several users ("undefined": 2 active devices, " ": 1 active device): beckon profiles erase USER --env prod',
    );
  });

  it('doctor exits 1 for an unverified sending domain and gives advice about SPF', async () => {
    const zone: Zone = {};
    const dns = await startDnsServer(zone);
    const real = await realCli({ BECKON_EMAIL_DNS_SERVERS: dns.address });
    const doctor = () => real.run(['doctor', '--network', '--json'], { fetch: async () => new Response() });
    const [name = '', value = ''] = (await real.run(['domains', 'create', 'good.test'])).out
      .trimEnd()
      .split('\t')
      .slice(1);
    zone[name] = [[value]];
    expect((await doctor()).code).toBe(0);
    await real.run(['domains', 'create', 'bad.test']);
    const { code, out } = await doctor();
    expect(code).toBe(1);
    expect(out).toContain('bad.test ownership');
    expect(out).toContain('There is no SPF record');
    await real.close();
    await dns.stop();
  });

  it('doctor exits 1 for a database of another version and names the command that helps', async () => {
    const { run, io, state } = open();
    state.failure.state = new Error('behind');
    expect(await run('doctor')).toBe(1);
    expect(io.out()).toContain('schema\tfailed\t1 migrations missing: beckon migrate up');
  });

  it('doctor restricts files with secrets only with --fix', async () => {
    const { run, io, put } = open();
    put('.env', 'BECKON_DURABILITY=process\n');
    const path = join(io.cwd, '.env');
    chmodSync(path, 0o644);
    expect(await run('doctor')).toBe(1);
    expect(io.out()).toContain('.env\tfailed\treadable by others: chmod 600 .env');
    expect(statSync(path).mode & 0o777).toBe(0o644);
    expect(await run('doctor', '--fix')).toBe(0);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(io.out()).toContain('durability\twarn\tprocess');
    io.remove();
  });

  it('doctor warns about overdue work and about a master key in .env', async () => {
    const { run, io, state, put } = open();
    const idle = { expired: 0, claimed: 0, scheduled: 0 };
    state.queues.push(
      { ...idle, name: 'messages', due: 3, oldestSeconds: 61, expired: 2 },
      { ...idle, name: 'runs', due: 1, oldestSeconds: 60, expired: 1 },
    );
    expect(await run('doctor', '--strict')).toBe(1);
    expect(io.out()).toContain('work\tmessages\twarn\t3 due, the oldest for 61 s: beckon worker');
    expect(io.out()).toContain('work\truns\tok\t1 due');
    expect(io.out()).toContain('leases\twarn\texpired leases of stopped workers (2 messages): beckon worker');
    expect(io.out()).toContain('secrets\tmaster key\tok');
    put('.env', 'BECKON_MASTER_KEY=key\n');
    chmodSync(join(io.cwd, '.env'), 0o600);
    const own = { env: { ...io.env, BECKON_MASTER_KEY: '' }, cwd: io.cwd };
    const other = cli({ ...own, isNew: true });
    await other.run('doctor');
    expect(other.io.out()).toContain('secrets\tmaster key\twarn\tset in .env');
    io.remove();
  });

  it('doctor does not warn about the master key in the .env of `init`', async () => {
    const { run, io } = emptyCli();
    expect(await run('init')).toBe(0);
    const other = emptyCli({ cwd: io.cwd });
    await other.run('doctor');
    expect(other.io.out()).toContain('secrets\tmaster key\tok\tset in .env, readable by its owner only');
    expect(other.io.out()).not.toContain('comes from .env');
    io.remove();
  });

  it('doctor reports a malformed master key first and does not open the database', async () => {
    const { run, io, opened, put } = emptyCli({ env: { BECKON_MASTER_KEY: 'weak', BECKON_DB: 'sqlite:x.db' } });
    put('x.db', '');
    expect(await run('doctor')).toBe(1);
    const [, first] = io.out().split('\n');
    expect(first).toMatch(/^secrets\tmaster key\tfailed\tunusable: /);
    expect(io.out()).toContain('storage\tdatabase\tskip\tnot checked: the master key is unusable');
    expect(io.out()).not.toContain('weak');
    expect(opened).toEqual([]);
    io.remove();
  });

  it('doctor reports the number of failed messages if too many fail', async () => {
    const { run, io, state } = open();
    Object.assign(state.deliverability, { status: 'degraded', failed: 3, sent: 27, retrying: 1 });
    expect(await run('doctor')).toBe(0);
    expect(io.out()).toMatch(
      /work\t\S+ app email\twarn\t3 of 30 failed in 60 min, 1 will be retried: beckon sends list/,
    );
  });

  it('doctor reports a wrong master key, and a master key file that others can read', async () => {
    const { io, state, put } = open();
    put('key.txt', 'key\n');
    chmodSync(join(io.cwd, 'key.txt'), 0o644);
    const env = { ...io.env, BECKON_MASTER_KEY: '', BECKON_MASTER_KEY_FILE: 'key.txt' };
    const other = cli({ env, cwd: io.cwd });
    addTenant(other.state);
    expect(await other.run('doctor')).toBe(0);
    expect(other.io.out()).toContain('master key file\twarn\treadable by others: chmod 600 key.txt, or pass --fix');
    expect(other.io.out()).toContain('data keys\tok');
    expect(await other.run('doctor', '--fix')).toBe(0);
    expect(statSync(join(io.cwd, 'key.txt')).mode & 0o777).toBe(0o600);
    other.state.failure.open = Object.assign(new Error('no key opens it'), { name: 'WrongMasterKey' });
    expect(await other.run('doctor')).toBe(1);
    expect(other.io.out()).toContain('secrets\tdata keys\tfailed\tno key opens it');
    expect(state.failure.open).toBeUndefined();
    io.remove();
  });

  it('doctor reports a database that does not open as a finding', async () => {
    const { run, io, state } = open();
    state.failure.open = Object.assign(new Error('no route'), { code: 'ECONNREFUSED' });
    expect(await run('doctor')).toBe(1);
    expect(io.out()).toContain('storage\tdatabase\tfailed\tCannot use the database');
    expect(io.out()).toContain('runtime\tnode\tok');
    io.remove();
  });

  it('doctor makes no network requests without --network', async () => {
    const { run, io, state } = open();
    state.providers.set('smtp', 1);
    state.tests.set('smtp', { ok: false, code: 'EAUTH' });
    expect(await run('doctor')).toBe(0);
    expect(io.out()).toContain('domains\tacme app\tskip');
    expect(await run('doctor', '--network')).toBe(1);
    expect(io.out()).toContain('failed\tsmtp rejects the credentials (EAUTH): beckon providers test smtp');
    io.remove();
  });
});
