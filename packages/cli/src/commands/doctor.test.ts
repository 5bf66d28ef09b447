import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Webhook } from '@beckon/core';
import { describe, expect, it } from 'vitest';
import { startDnsServer, type Zone } from '../../../core/test/support/email/domains/dns-server.ts';
import { cli } from '../../test/support/cli.ts';
import { realCli } from '../../test/support/real.ts';
import { addTenant } from '../../test/support/world.ts';

const open = () => {
  const program = cli();
  addTenant(program.state);
  return program;
};

describe('doctor', () => {
  it('exits 0 where nothing failed, and warns of what is missing', async () => {
    const { run, io, state } = open();
    state.providers.set('smtp', 1);
    expect(await run('doctor')).toBe(0);
    const lines = io.out().split('\n');
    expect(lines[0]).toBe('GROUP\tCHECK\tRESULT\tMESSAGE');
    expect(lines[1]).toBe('secrets\tmaster key\tok\tis set');
    expect(lines).toContain(`runtime\tnode\tok\t${process.version}`);
    expect(io.out()).toContain('publicUrl\twarn\tis not set');
    expect(io.out()).toContain('push\twarn\tno provider');
    expect(io.out()).toContain('email\twarn\tnever verified: beckon providers test smtp');
  });

  it('says which provider stands aside, and why', async () => {
    const { run, io, state } = open();
    state.providers.set('smtp', 1);
    state.openCircuits.push({ provider: 'smtp', until: new Date('2026-11-20T08:01:00Z'), code: 'ECONNREFUSED' });
    expect(await run('doctor')).toBe(0);
    expect(io.out()).toContain('email\twarn\tsmtp gets no messages until 2026-11-20T08:01:00.000Z: ECONNREFUSED');
  });

  it('names webhooks whose receivers took nothing for more than a day', async () => {
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
      expect.stringMatching(
        / down\twarn\tdown\.example has taken nothing since 2026-\S+: beckon webhooks deliveries down/,
      ),
      expect.stringMatching(/ off\twarn\toff\.example has taken nothing since \S+, and is told nothing any more: /),
    ]);
  });

  it('names users with a placeholder for an id, behind whom several people may be', async () => {
    const { run, io, state } = open();
    expect(await run('doctor')).toBe(0);
    expect(io.out()).not.toContain('several people');
    state.placeholders.push({ userId: 'undefined', devices: 2 }, { userId: ' ', devices: 1 });
    expect(await run('doctor')).toBe(0);
    expect(io.out()).toContain(
      'app placeholder ids\twarn\tseveral people may be behind one user ("undefined": 2 active devices, " ": 1 active device): beckon profiles erase USER --env prod',
    );
  });

  it('exits 1 where a sending domain is not verified, and advises about SPF', async () => {
    const zone: Zone = {};
    const dns = await startDnsServer(zone);
    const real = await realCli({ BECKON_EMAIL_DNS_SERVERS: dns.address });
    const doctor = () => real.run(['doctor', '--network', '--json'], { fetch: async () => new Response() });
    const [name = '', value = ''] = (await real.run(['domains', 'add', 'good.test'])).out
      .trimEnd()
      .split('\t')
      .slice(1);
    zone[name] = [[value]];
    expect((await doctor()).code).toBe(0);
    await real.run(['domains', 'add', 'bad.test']);
    const { code, out } = await doctor();
    expect(code).toBe(1);
    expect(out).toContain('bad.test ownership');
    expect(out).toContain('There is no SPF record');
    await real.close();
    await dns.stop();
  });

  it('exits 1 where the database is of another version, and says what helps', async () => {
    const { run, io, state } = open();
    state.failure.state = new Error('behind');
    expect(await run('doctor')).toBe(1);
    expect(io.out()).toContain('schema\tfailed\t1 migrations missing: beckon migrate up');
  });

  it('closes files with secrets to others only when it may', async () => {
    const { run, io, put } = open();
    put('.env', 'BECKON_DURABILITY=process\n');
    const path = join(io.cwd, '.env');
    chmodSync(path, 0o644);
    expect(await run('doctor')).toBe(1);
    expect(io.out()).toContain('.env\tfailed\tcan be read by others: chmod 600 .env');
    expect(statSync(path).mode & 0o777).toBe(0o644);
    expect(await run('doctor', '--fix')).toBe(0);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(io.out()).toContain('durability\twarn\tprocess');
    io.remove();
  });

  it('warns of work that waits, and of a master key that lies in .env', async () => {
    const { run, io, state, put } = open();
    const idle = { expired: 0, claimed: 0, scheduled: 0 };
    state.queues.push(
      { ...idle, name: 'messages', due: 3, oldestSeconds: 61, expired: 2 },
      { ...idle, name: 'runs', due: 1, oldestSeconds: 60, expired: 1 },
    );
    expect(await run('doctor', '--strict')).toBe(1);
    expect(io.out()).toContain('work\tmessages\twarn\t3 wait, the first for 61 s: beckon worker');
    expect(io.out()).toContain('work\truns\tok\t1 wait');
    expect(io.out()).toContain('leases\twarn\tworkers are gone that had work in hand (2 messages): beckon worker');
    expect(io.out()).toContain('secrets\tmaster key\tok');
    put('.env', 'BECKON_MASTER_KEY=key\n');
    chmodSync(join(io.cwd, '.env'), 0o600);
    const own = { env: { ...io.env, BECKON_MASTER_KEY: '' }, cwd: io.cwd };
    const other = cli({ ...own, isNew: true });
    await other.run('doctor');
    expect(other.io.out()).toContain('secrets\tmaster key\twarn\tcomes from .env');
    io.remove();
  });

  it('does not warn of the master key in the .env that `init` wrote', async () => {
    const { run, io } = cli({ isNew: true });
    expect(await run('init')).toBe(0);
    const other = cli({ isNew: true, cwd: io.cwd });
    other.put('data/beckon.db', '');
    await other.run('doctor');
    expect(other.io.out()).toContain('secrets\tmaster key\tok\tis set, in .env, which only its owner can read');
    expect(other.io.out()).not.toContain('comes from .env');
    io.remove();
  });

  it('says first that the master key is malformed, and opens no database with it', async () => {
    const { run, io, state } = cli({ env: { BECKON_MASTER_KEY: 'weak' } });
    expect(await run('doctor')).toBe(1);
    const [, first] = io.out().split('\n');
    expect(first).toMatch(/^secrets\tmaster key\tfailed\tis not usable: /);
    expect(io.out()).toContain('storage\tdatabase\tskip\tis opened once the master key is usable');
    expect(io.out()).not.toContain('weak');
    expect(state.opened).toEqual([]);
    io.remove();
  });

  it('says how many messages failed where too many do', async () => {
    const { run, io, state } = open();
    Object.assign(state.deliverability, { status: 'degraded', failed: 3, sent: 27, retrying: 1 });
    expect(await run('doctor')).toBe(0);
    expect(io.out()).toMatch(
      /work\t\S+ app email\twarn\t3 of 30 failed in 60 min, 1 of them are tried again: beckon sends list/,
    );
  });

  it('says that the master key does not fit, and of its file that others may read it', async () => {
    const { io, state, put } = open();
    put('key.txt', 'key\n');
    chmodSync(join(io.cwd, 'key.txt'), 0o644);
    const env = { ...io.env, BECKON_MASTER_KEY: '', BECKON_MASTER_KEY_FILE: 'key.txt' };
    const other = cli({ env, cwd: io.cwd });
    addTenant(other.state);
    expect(await other.run('doctor')).toBe(0);
    expect(other.io.out()).toContain('master key file\twarn\tcan be read by others: chmod 600 key.txt, or --fix');
    expect(other.io.out()).toContain('data keys\tok');
    expect(await other.run('doctor', '--fix')).toBe(0);
    expect(statSync(join(io.cwd, 'key.txt')).mode & 0o777).toBe(0o600);
    other.state.failure.open = Object.assign(new Error('no key opens it'), { name: 'WrongMasterKey' });
    expect(await other.run('doctor')).toBe(1);
    expect(other.io.out()).toContain('secrets\tdata keys\tfailed\tno key opens it');
    expect(state.failure.open).toBeUndefined();
    io.remove();
  });

  it('tells of a database that does not open as of everything else', async () => {
    const { run, io, state } = open();
    state.failure.open = Object.assign(new Error('no route'), { code: 'ECONNREFUSED' });
    expect(await run('doctor')).toBe(1);
    expect(io.out()).toContain('storage\tdatabase\tfailed\tThe database');
    expect(io.out()).toContain('runtime\tnode\tok');
    io.remove();
  });

  it('asks nobody outside unless told to', async () => {
    const { run, io, state } = open();
    state.providers.set('smtp', 1);
    state.tests.set('smtp', { ok: false, code: 'EAUTH' });
    expect(await run('doctor')).toBe(0);
    expect(io.out()).toContain('domains\tacme app\tskip');
    expect(await run('doctor', '--network')).toBe(1);
    expect(io.out()).toContain('failed\tsmtp refuses the credentials (EAUTH): beckon providers test smtp');
    io.remove();
  });
});
