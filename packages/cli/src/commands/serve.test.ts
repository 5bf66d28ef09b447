import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { type Beckon, createBeckon, newMasterKey } from '@beckon/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type EmptyCli, emptyCli, servicesOf } from '../../test/support/empty.ts';
import { type RealCli, realCli } from '../../test/support/real.ts';
import { type Services, services } from '../services.ts';

const modeOf = ({ io }: EmptyCli, name: string): number => statSync(join(io.cwd, name)).mode & 0o777;

/** Serves until the first lines are printed and `during` is done, then stops; returns the exit code. */
const serveOnce = async (
  one: EmptyCli,
  argv: readonly string[] = [],
  during: (url: string) => Promise<unknown> = async () => undefined,
): Promise<number> => {
  const before = one.io.out().length;
  const exit = one.run('serve', '--port', '0', ...argv);
  await vi.waitFor(() => expect(one.io.out().length).toBeGreaterThan(before), { timeout: 10_000 });
  const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(one.io.out().slice(before)) ?? [];
  await during(url);
  one.io.signal('SIGTERM');
  return exit;
};

/** Runs `work` while a port is in use. */
const withUsedPort = async (work: (port: number) => Promise<void>): Promise<void> => {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  // Safe: the server listens on a port.
  await work((server.address() as AddressInfo).port);
  await new Promise((resolve) => void server.close(resolve));
};

describe('serve', () => {
  let real: RealCli;
  let starts: number;
  let limitsMs: (number | undefined)[];
  let proxies: number[];
  beforeAll(async () => {
    real = await realCli();
  });
  beforeEach(() => {
    [starts, limitsMs, proxies] = [0, [], []];
  });
  afterAll(() => real.close());

  const watched = (beckon: Beckon): Beckon => ({
    ...beckon,
    worker: {
      ...beckon.worker,
      start: () => {
        starts += 1;
        beckon.worker.start();
      },
      stop: (options) => {
        limitsMs.push(options?.timeoutMs);
        return beckon.worker.stop(options);
      },
    },
  });
  const listen: Services['listen'] = async (beckon, options) => {
    proxies.push(options.trustedProxies);
    const { url, close } = await services.listen(beckon, options);
    return {
      url,
      close: (timeoutMs) => {
        limitsMs.push(timeoutMs);
        return close(timeoutMs);
      },
    };
  };
  const program = (env: Record<string, string> = {}, change = watched): EmptyCli =>
    emptyCli({ cwd: real.cwd, env: { ...real.env, ...env }, change, services: { listen } });
  /** The program with a PostgreSQL. */
  const onPostgres = (): EmptyCli =>
    emptyCli({
      cwd: real.cwd,
      env: { ...real.env, BECKON_DB: 'postgres://u@h/d' },
      change: watched,
      services: { ...servicesOf(join(real.cwd, 'data', 'beckon.db')), listen },
    });

  it('serve prints its address, answers there, drains on SIGTERM and exits 0', async () => {
    const one = program();
    let address = '';
    const exit = serveOnce(one, [], async (url) => {
      address = url;
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    });
    expect(await exit).toBe(0);
    expect(one.io.out()).toContain(`listening on ${address}`);
    await expect(fetch(address)).rejects.toThrow('fetch failed');
    expect([starts, one.unclosed()]).toEqual([1, 0]);
  });

  it('the worker polls every 200 ms on SQLite and every second on PostgreSQL', async () => {
    const [one, other] = [program(), onPostgres()];
    await serveOnce(one);
    await serveOnce(other);
    expect([...one.opened, ...other.opened].map(({ pollMs }) => pollMs)).toEqual([200, 1_000]);
  });

  it('serve trusts the configured number of proxies, by default none', async () => {
    await serveOnce(program());
    await serveOnce(program(), ['--trusted-proxies', '1']);
    expect(proxies).toEqual([0, 1]);
  });

  it('serve runs the worker unless --no-worker is set', async () => {
    await serveOnce(program(), ['--no-worker']);
    await serveOnce(onPostgres(), ['--no-worker']);
    expect(starts).toBe(0);
    await serveOnce(onPostgres());
    expect(starts).toBe(1);
  });

  it('`serve --verbose` logs one line per request, with the route and without ids', async () => {
    const request = (url: string) => fetch(`${url}/api/v1/profiles/ada`);
    const quiet = program();
    await serveOnce(quiet, [], request);
    expect(quiet.io.err()).not.toContain('"request"');
    const one = program();
    await serveOnce(one, ['--verbose'], request);
    expect(one.io.err()).toMatch(
      /"method":"GET","route":"[^"]*\/profiles\/:userId","status":401,"ms":\d+,"msg":"request"/,
    );
    expect(one.io.err()).not.toContain('ada');
  });

  it('serve exits 1 with a message for a metrics port in use and closes the database', async () => {
    await withUsedPort(async (port) => {
      const one = program({ BECKON_METRICS_PORT: String(port) });
      expect(await one.run('serve', '--port', '0')).toBe(1);
      expect(one.io.err()).toContain(`Cannot serve metrics on 127.0.0.1, port ${port}.`);
      expect([one.opened.length, one.unclosed()]).toEqual([1, 0]);
    });
  });

  it('`serve --json` prints one envelope', async () => {
    const one = program();
    await serveOnce(one, ['--json']);
    expect(one.envelope()).toMatchObject({
      success: true,
      data: { url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/) },
    });
  });

  it('serve exits 1 with a message for a port in use and closes the database', async () => {
    await withUsedPort(async (port) => {
      const one = program();
      expect(await one.run('serve', '--port', String(port))).toBe(1);
      expect(one.io.err()).toContain(`Port ${port} of 127.0.0.1 is in use.`);
      expect(one.io.err()).toContain('--port');
      expect([one.opened.length, one.unclosed()]).toEqual([1, 0]);
    });
  });

  it('serve aborts requests and work 3 s before the time limit, or at half of a short one', async () => {
    await serveOnce(program());
    await serveOnce(program(), ['--shutdown-timeout', '4s']);
    expect(limitsMs).toEqual([17_000, 17_000, 2_000, 2_000]);
  });

  it('serve exits 143 if draining takes longer than --shutdown-timeout', async () => {
    const drained = Promise.withResolvers<void>();
    const one = program({}, (beckon) => {
      const { worker, ...rest } = watched(beckon);
      const stop: Beckon['worker']['stop'] = async (options) => {
        await worker.stop(options);
        await drained.promise;
      };
      return { ...rest, worker: { ...worker, stop } };
    });
    const exit = serveOnce(one, ['--shutdown-timeout', '2s']);
    await vi.waitFor(() => expect(limitsMs).toHaveLength(2), { timeout: 10_000 });
    one.io.pass(2_000);
    expect(one.io.exits).toEqual([143]);
    drained.resolve();
    await exit;
  });

  it('serve names `init` and `serve --dev` if there is no database', async () => {
    const one = emptyCli();
    expect(await one.run('serve')).toBe(1);
    expect(one.io.err()).toContain('beckon init');
    expect(one.io.err()).toContain('beckon serve --dev');
    one.io.remove();
  });
});

describe('serve --dev', () => {
  const KEY = newMasterKey();
  const empty = (replaced: Partial<Services> = {}): EmptyCli =>
    emptyCli({ services: { newMasterKey: async () => KEY, ...replaced } });
  const dev = (one: EmptyCli, ...argv: string[]) => serveOnce(one, ['--dev', ...argv]);
  const secretsOf = (text: string): string[] => text.match(/\b[ps]k_(prod|test)_\w+/g) ?? [];
  const inDatabase = async <T>({ io }: EmptyCli, work: (beckon: Beckon) => Promise<T>): Promise<T> => {
    const beckon = await createBeckon({ db: `sqlite:${io.cwd}/.beckon/beckon.db`, masterKey: KEY });
    try {
      return await work(beckon);
    } finally {
      await beckon.close();
    }
  };
  const keysOf = ({ tenancy }: Beckon) => tenancy.listKeys().then(({ data }) => data);
  const workflowsOf = async ({ tenancy, workflows }: Beckon) =>
    Promise.all(
      (await tenancy.listProjects()).data.map(async ({ orgId, id: projectId }) => {
        const scope = await tenancy.project({ orgId, projectId });
        return (await workflows.exportBundle(scope)).bundle.workflows.map(({ name }) => name);
      }),
    );

  it('`serve --dev` creates a private folder, a project, four keys and the example, and prints the next commands', async () => {
    const one = empty();
    let address = '';
    const exit = serveOnce(one, ['--dev'], async (url) => {
      address = url;
    });
    expect(await exit).toBe(0);
    expect(modeOf(one, '.beckon')).toBe(0o700);
    expect(modeOf(one, '.beckon/master.key')).toBe(0o600);
    expect(readFileSync(join(one.io.cwd, '.beckon/master.key'), 'utf8')).toBe(`${KEY}\n`);
    expect(one.opened[0]?.db).toBe(`sqlite:${one.io.cwd}/.beckon/beckon.db`);
    await inDatabase(one, async (beckon) => {
      expect((await beckon.tenancy.listOrgs()).data).toMatchObject([{ name: 'My company' }]);
      expect((await beckon.tenancy.listProjects()).data).toMatchObject([{ name: 'My app' }]);
      expect(await keysOf(beckon)).toHaveLength(4);
      expect(await workflowsOf(beckon)).toEqual([['Welcome']]);
    });
    const out = one.io.out();
    const secrets = secretsOf(out);
    for (const kind of ['pk_prod', 'sk_prod', 'pk_test', 'sk_test'])
      expect(secrets).toContainEqual(expect.stringMatching(`^${kind}_`));
    const secret = secrets.find((one) => one.startsWith('sk_test_'));
    expect(out).toContain(`curl ${address}/api/v1/events -H 'x-api-key: ${secret}'`);
    expect(out).toContain('npx beckon outbox list');
    one.io.remove();
  });

  it('`serve --dev` prints the keys only at the first start and keeps existing data', async () => {
    const one = empty();
    await dev(one);
    const first = one.io.out().length;
    await dev(one);
    expect(secretsOf(one.io.out().slice(first))).toEqual([]);
    expect(await inDatabase(one, keysOf)).toHaveLength(4);
    expect(await inDatabase(one, workflowsOf)).toEqual([['Welcome']]);
    expect(one.opened.map(({ masterKey }) => masterKey)).toEqual([KEY, KEY]);
    one.io.remove();
  });

  it('`serve --dev` imports no example if there are several projects', async () => {
    const one = empty();
    mkdirSync(join(one.io.cwd, '.beckon'), { mode: 0o700 });
    await inDatabase(one, async ({ tenancy }) => {
      const { id: orgId } = await tenancy.createOrg({ name: 'Acme' });
      for (const name of ['One', 'Two']) await tenancy.createProject({ orgId, name });
    });
    await dev(one);
    expect(await inDatabase(one, workflowsOf)).toEqual([[], []]);
    expect(await inDatabase(one, keysOf)).toEqual([]);
    one.io.remove();
  });

  it('`serve --dev --db` uses another database and keeps the master key in the folder', async () => {
    const other = empty();
    const one = empty(servicesOf(join(other.io.cwd, 'other.db')));
    await dev(one, '--db', 'postgres://u@h/d');
    expect(one.opened[0]).toMatchObject({ db: 'postgres://u@h/d', masterKey: KEY });
    expect(existsSync(join(one.io.cwd, '.beckon/beckon.db'))).toBe(false);
    one.io.remove();
    other.io.remove();
  });

  it('`serve --dev` creates no keys if it cannot listen', async () => {
    const one = empty();
    await withUsedPort(async (port) => {
      expect(await one.run('serve', '--dev', '--port', String(port))).toBe(1);
    });
    expect(await inDatabase(one, keysOf)).toEqual([]);
    one.io.remove();
  });

  it('other commands find the folder of `serve --dev` without flags, with environment test', async () => {
    const one = empty();
    await dev(one);
    const before = await inDatabase(one, keysOf);
    expect(await one.run('outbox', 'list')).toBe(0);
    expect(await one.run('keys', 'create', '-q')).toBe(0);
    const after = await inDatabase(one, keysOf);
    const created = after.filter(({ id }) => before.every((key) => key.id !== id));
    expect(created).toMatchObject([{ environment: 'test' }]);
    expect(existsSync(join(one.io.cwd, 'data'))).toBe(false);
    one.io.remove();
  });
});
