import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type Cli, cli } from '../../test/support/cli.ts';
import { addTenant } from '../../test/support/world.ts';

const modeOf = ({ io }: Cli, name: string): number => statSync(join(io.cwd, name)).mode & 0o777;

/** Serves until the first lines are printed, then stops; returns the exit code. */
const serveOnce = async (one: Cli, ...argv: string[]): Promise<number> => {
  const before = one.io.out().length;
  const exit = one.run('serve', ...argv);
  await vi.waitFor(() => expect(one.io.out().length).toBeGreaterThan(before));
  one.io.signal('SIGTERM');
  return exit;
};

describe('serve', () => {
  it('serve prints its address, drains on SIGTERM and exits 0', async () => {
    const one = cli();
    expect(await serveOnce(one, '--port', '9000')).toBe(0);
    expect(one.io.out()).toContain('listening on http://127.0.0.1:9000');
    expect(one.state.calls).toEqual(['listen', 'worker start', 'server close', 'worker stop', 'close']);
    one.io.remove();
  });

  it('the worker polls every 200 ms on SQLite and every second on PostgreSQL', async () => {
    const one = cli();
    await serveOnce(one);
    await serveOnce(one, '--db', 'postgres://u@h/d');
    expect(one.state.opened.map(({ pollMs }) => pollMs)).toEqual([200, 1_000]);
    one.io.remove();
  });

  it('serve trusts the configured number of proxies, by default none', async () => {
    const one = cli();
    await serveOnce(one);
    expect(one.state.trustedProxies).toBe(0);
    await serveOnce(one, '--trusted-proxies', '1');
    expect(one.state.trustedProxies).toBe(1);
    one.io.remove();
  });

  it('serve runs the worker unless --no-worker is set', async () => {
    const one = cli();
    await serveOnce(one, '--no-worker');
    await serveOnce(one, '--db', 'postgres://u@h/d', '--no-worker');
    expect(one.state.calls).not.toContain('worker start');
    await serveOnce(one, '--db', 'postgres://u@h/d');
    expect(one.state.calls).toContain('worker start');
    one.io.remove();
  });

  it('`serve --verbose` logs one line per request, with the route and without ids', async () => {
    const one = cli();
    await serveOnce(one);
    expect(one.io.err()).not.toContain('request');
    await serveOnce(one, '--verbose');
    expect(one.io.err()).toMatch(/"method":"GET","route":"\/profiles\/:userId","status":404,"ms":12,"msg":"request"/);
    one.io.remove();
  });

  it('serve exits 1 with a message for an unavailable metrics port and closes the database', async () => {
    const one = cli({ env: { BECKON_METRICS_PORT: '9464' } });
    one.state.failure.listenMetrics = new Error('listen EADDRINUSE');
    expect(await one.run('serve')).toBe(1);
    expect(one.io.err()).toContain('Cannot serve metrics on 127.0.0.1, port 9464.');
    expect(one.state.calls.at(-1)).toBe('close');
    one.io.remove();
  });

  it('`serve --json` prints one envelope', async () => {
    const one = cli();
    await serveOnce(one, '--json', '--port', '0');
    expect(one.envelope()).toMatchObject({ success: true, data: { url: 'http://127.0.0.1:49152' } });
    one.io.remove();
  });

  it('serve exits 1 with a message for a port in use and closes the database', async () => {
    const one = cli();
    one.state.failure.listen = Object.assign(new Error('listen EADDRINUSE'), { code: 'EADDRINUSE' });
    expect(await one.run('serve')).toBe(1);
    expect(one.io.err()).toContain('Port 8080 of 127.0.0.1 is in use.');
    expect(one.io.err()).toContain('--port');
    expect(one.state.calls.at(-1)).toBe('close');
    one.io.remove();
  });

  it('serve aborts requests and work 3 s before the time limit, or at half of a short one', async () => {
    const one = cli();
    await serveOnce(one);
    await serveOnce(one, '--shutdown-timeout', '4s');
    expect(one.state.limitsMs).toEqual([17_000, 17_000, 2_000, 2_000]);
    one.io.remove();
  });

  it('serve exits 143 if draining takes longer than --shutdown-timeout', async () => {
    const one = cli();
    const drained = Promise.withResolvers<void>();
    one.state.stopping = drained.promise;
    const exit = serveOnce(one, '--shutdown-timeout', '2s');
    await vi.waitFor(() => expect(one.state.calls).toContain('server close'));
    one.io.pass(2_000);
    expect(one.io.exits).toEqual([143]);
    drained.resolve();
    await exit;
    one.io.remove();
  });

  it('serve names `init` and `serve --dev` if there is no database', async () => {
    const one = cli({ isNew: true });
    expect(await one.run('serve')).toBe(1);
    expect(one.io.err()).toContain('beckon init');
    one.io.remove();
  });
});

describe('serve --dev', () => {
  it('`serve --dev` creates a private folder, a project, four keys and the example, and prints the next commands', async () => {
    const one = cli({ isNew: true });
    expect(await serveOnce(one, '--dev')).toBe(0);
    expect(modeOf(one, '.beckon')).toBe(0o700);
    expect(modeOf(one, '.beckon/master.key')).toBe(0o600);
    expect(readFileSync(join(one.io.cwd, '.beckon/master.key'), 'utf8')).toBe('master-key-of-a-test\n');
    expect(one.state.opened[0]?.db).toBe(`sqlite:${one.io.cwd}/.beckon/beckon.db`);
    expect(one.state.orgs[0]?.name).toBe('My company');
    expect(one.state.projects[0]?.name).toBe('My app');
    expect([...one.state.workflows.keys()]).toEqual(['Welcome']);
    const out = one.io.out();
    for (const secret of ['pk_prod_secret1', 'sk_prod_secret2', 'pk_test_secret3', 'sk_test_secret4']) {
      expect(out).toContain(secret);
    }
    expect(out).toContain("curl http://127.0.0.1:8080/api/v1/events -H 'x-api-key: sk_test_secret4'");
    expect(out).toContain('npx beckon outbox list');
    one.io.remove();
  });

  it('`serve --dev` prints the keys only at the first start and keeps existing data', async () => {
    const one = cli({ isNew: true });
    await serveOnce(one, '--dev');
    const first = one.io.out().length;
    await serveOnce(one, '--dev');
    expect(one.io.out().slice(first)).not.toMatch(/secret\d/);
    expect(one.state.keys).toHaveLength(4);
    expect(one.state.calls.filter((call) => call.startsWith('import'))).toHaveLength(1);
    expect(one.state.opened.map(({ masterKey }) => masterKey)).toEqual([
      'master-key-of-a-test',
      'master-key-of-a-test',
    ]);
    one.io.remove();
  });

  it('`serve --dev` imports no example if there are several projects', async () => {
    const one = cli({ isNew: true });
    addTenant(one.state, 'a');
    addTenant(one.state, 'b');
    await serveOnce(one, '--dev');
    expect(one.state.workflows.size).toBe(0);
    expect(one.state.keys).toEqual([]);
    one.io.remove();
  });

  it('`serve --dev --db` uses another database and keeps the master key in the folder', async () => {
    const one = cli({ isNew: true });
    await serveOnce(one, '--dev', '--db', 'postgres://u@h/d');
    expect(one.state.opened[0]).toMatchObject({ db: 'postgres://u@h/d', masterKey: 'master-key-of-a-test' });
    expect(one.state.calls).toContain('worker start');
    one.io.remove();
  });

  it('`serve --dev` creates no keys if it cannot listen', async () => {
    const one = cli({ isNew: true });
    one.state.failure.listen = Object.assign(new Error('x'), { code: 'EADDRINUSE' });
    expect(await one.run('serve', '--dev')).toBe(1);
    expect(one.state.keys).toEqual([]);
    one.io.remove();
  });

  it('other commands find the folder of `serve --dev` without flags, with environment test', async () => {
    const one = cli({ isNew: true });
    await serveOnce(one, '--dev');
    one.put('.beckon/beckon.db', '');
    expect(await one.run('outbox', 'list')).toBe(0);
    expect(await one.run('keys', 'create', '-q')).toBe(0);
    expect(one.state.keys.at(-1)?.environment).toBe('test');
    expect(existsSync(join(one.io.cwd, 'data'))).toBe(false);
    one.io.remove();
  });
});
