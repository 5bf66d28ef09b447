import { readdirSync, readFileSync, statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { type Place, place, type Running } from './beckon.ts';

const made: Place[] = [];
const here = (): Place => {
  const one = place();
  made.push(one);
  return one;
};
afterEach(async () => {
  for (const one of made.splice(0)) await one.remove();
});

const LISTENING = /listening on (http:\/\/127\.0\.0\.1:\d+)/;

const urlOf = async (running: Running): Promise<string> => (await running.says(LISTENING))[1] ?? '';

const post = (url: string, key: string, body: unknown): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

type Caught = { id: string; address: string; content: { subject: string } };

const outbox = async (at: Place): Promise<Caught[]> => {
  const { out, code, err } = await at.run(['outbox', 'list', '--json']);
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out).data;
};

/** Polls the server until the outbox has an email, then runs the program once, because each run starts a process. */
const caughtOne = async (at: Place, url: string, key: string): Promise<Caught> => {
  await vi.waitFor(
    async () => {
      const response = await fetch(`${url}/api/v1/sandbox/messages`, { headers: { 'x-api-key': key } });
      const { data } = JSON.parse(await response.text());
      if (data?.length !== 1) throw new Error(`nothing was caught: ${response.status}`);
    },
    { interval: 50 },
  );
  const [first] = await outbox(at);
  if (!first) throw new Error('the program does not see what the service caught');
  return first;
};

// Parses address, key and body from the printed curl command.
const printedRequest = (out: string): { url: string; key: string; body: unknown } => {
  const found = /curl (\S+) -H 'x-api-key: (\S+)'[^\n]*\n\s*-d '(.+)'/.exec(out) ?? [];
  return { url: found[1] ?? '', key: found[2] ?? '', body: JSON.parse(found[3] ?? 'null') };
};

const welcome = {
  module: 'app',
  eventType: 'user.signed_up',
  userId: 'u1',
  traits: { first_name: 'Ada', email: 'a@b.example' },
};

describe('beckon init and serve', () => {
  it('init and serve lead from an empty folder to an email in the outbox', async () => {
    const at = here();
    const init = await at.run(['init', '--org', 'Acme', '--project', 'Shop', '--json']);
    expect([init.code, readdirSync(at.cwd).toSorted()]).toEqual([0, ['.env', 'beckon.config.json', 'data']]);
    expect(statSync(join(at.cwd, '.env')).mode & 0o777).toBe(0o600);
    const key: string = JSON.parse(init.out).data.keys.find(({ name }: { name: string }) => name === 'sk_test').secret;

    const server = at.start(['serve', '--port', '0']);
    const url = await urlOf(server);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const bundle = { version: 1, exportedAt: '', workflows: [MAIL_WORKFLOW] };
    const imported = await at.run(['bundle', 'import', '-', '--yes'], { input: JSON.stringify(bundle) });
    expect([imported.code, imported.err]).toEqual([0, '']);
    expect((await post(`${url}/api/v1/events`, key, welcome)).status).toBe(200);
    const mail = await caughtOne(at, url, key);
    expect(mail).toMatchObject({ address: 'a@b.example', content: { subject: 'Hi Ada' } });
    const shown = await at.run(['outbox', 'show', mail.id]);
    expect(shown.out).toContain('subject: Hi Ada');
    expect(await server.stop()).toBe(0);

    const logged = (await server.ended).err;
    expect(logged).not.toContain(key);
    expect(logged).not.toContain('a@b.example');
    expect(logged).not.toContain(/BECKON_MASTER_KEY=(\S+)/.exec(readFileSync(join(at.cwd, '.env'), 'utf8'))?.[1]);
  });

  it('a second init exits 6 and changes nothing', async () => {
    const at = here();
    expect((await at.run(['init'])).code).toBe(0);
    const before = ['.env', 'beckon.config.json'].map((name) => readFileSync(join(at.cwd, name), 'utf8'));
    const { code, out } = await at.run(['init']);
    expect([code, out]).toEqual([6, '']);
    expect(['.env', 'beckon.config.json'].map((name) => readFileSync(join(at.cwd, name), 'utf8'))).toEqual(before);
    expect(JSON.parse((await at.run(['keys', 'list', '--json'])).out).data).toHaveLength(4);
  });

  it('`serve --no-worker` leaves the work to `worker`', async () => {
    const at = here();
    const init = await at.run(['init', '--json']);
    const key: string = JSON.parse(init.out).data.keys.find(({ name }: { name: string }) => name === 'sk_test').secret;
    const bundle = { version: 1, exportedAt: '', workflows: [MAIL_WORKFLOW] };
    await at.run(['bundle', 'import', '-', '--yes'], { input: JSON.stringify(bundle) });
    const server = at.start(['serve', '--port', '0', '--no-worker']);
    const url = await urlOf(server);
    expect((await post(`${url}/api/v1/events`, key, welcome)).status).toBe(200);
    expect(await outbox(at)).toEqual([]);
    expect((await at.run(['worker', '--drain'])).code).toBe(0);
    expect(await outbox(at)).toHaveLength(1);

    const worker = at.start(['worker']);
    await worker.says(/worker running/);
    expect(await worker.stop('SIGINT')).toBe(0);
    expect(await server.stop('SIGINT')).toBe(0);
  });

  it('init and serve work on PostgreSQL', async () => {
    const name = `cli_${Date.now()}`;
    const admin = new Client({ connectionString: inject('postgresUrl') });
    await admin.connect();
    try {
      await admin.query(`create database ${name}`);
      const db = new URL(inject('postgresUrl'));
      db.pathname = `/${name}`;
      const at = here();
      const init = await at.run(['init', '--db', db.href, '--json']);
      expect([init.code, init.err]).toEqual([0, expect.any(String)]);
      const key: string = JSON.parse(init.out).data.keys.find(
        ({ name }: { name: string }) => name === 'sk_test',
      ).secret;
      expect((await at.run(['migrate', 'check'])).code).toBe(0);
      const bundle = { version: 1, exportedAt: '', workflows: [MAIL_WORKFLOW] };
      expect((await at.run(['bundle', 'import', '-', '--yes'], { input: JSON.stringify(bundle) })).code).toBe(0);
      const server = at.start(['serve', '--port', '0', '--worker']);
      const url = await urlOf(server);
      expect((await post(`${url}/api/v1/events`, key, welcome)).status).toBe(200);
      expect(await caughtOne(at, url, key)).toMatchObject({ content: { subject: 'Hi Ada' } });
      expect(await server.stop()).toBe(0);
      expect((await at.run(['init', '--db', db.href])).code).toBe(6);
    } finally {
      await admin.query(`drop database if exists ${name} with (force)`);
      await admin.end();
    }
  });
});

const MAIL_WORKFLOW = {
  name: 'Mail',
  description: null,
  trigger: { eventType: 'user.signed_up' },
  steps: [
    { type: 'send_email', config: { class: 'transactional', subject: 'Hi {{trait.first_name}}', text: 'Hello' } },
  ],
  isActive: true,
};

describe('beckon serve --dev', () => {
  it('the commands printed by `serve --dev` work, and keys are printed only once', async () => {
    const at = here();
    const server = at.start(['serve', '--dev', '--port', '0']);
    const base = await urlOf(server);
    await server.says(/npx beckon outbox list/);
    const { url, key, body } = printedRequest(server.out());
    expect([url, key]).toEqual([`${base}/api/v1/events`, expect.stringMatching(/^sk_test_\w{38}$/)]);
    expect((await post(url, key, body)).status).toBe(200);
    expect(await caughtOne(at, base, key)).toMatchObject({
      address: 'ada@example.com',
      content: { subject: 'Welcome, Ada!' },
    });
    expect(await server.stop()).toBe(0);
    expect(server.out().match(/[ps]k_(prod|test)_\w{38}/g)).toHaveLength(5);
    expect(statSync(join(at.cwd, '.beckon')).mode & 0o777).toBe(0o700);
    for (const name of ['master.key', 'beckon.db']) {
      expect([name, statSync(join(at.cwd, '.beckon', name)).mode & 0o777]).toEqual([name, 0o600]);
    }

    const again = at.start(['serve', '--dev', '--port', '0']);
    await again.says(/npx beckon outbox list/);
    expect(await again.stop()).toBe(0);
    expect(again.out()).not.toMatch(/[ps]k_(prod|test)_\w{38}/);
    expect(await outbox(at)).toHaveLength(1);
  });

  it('serve prints a message for a port in use', async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    const address = holder.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    try {
      const { code, err } = await here().run(['serve', '--dev', '--port', String(port)]);
      expect(code).toBe(1);
      expect(err).toContain(`Port ${port} of 127.0.0.1 is in use.`);
      expect(err).not.toContain('    at ');
    } finally {
      holder.close();
    }
  });
});

describe('stopping', () => {
  // A request whose body never ends cannot be drained.
  const withHangingRequest = async (at: Place, args: readonly string[]): Promise<Running> => {
    const server = at.start(['serve', '--dev', '--port', '0', ...args]);
    const { port } = new URL(await urlOf(server));
    await server.says(/sk_test_\w{38}/);
    const key = /sk_test_\w{38}/.exec(server.out())?.[0];
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    socket.write(
      `POST /api/v1/events HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\ncontent-length: 100\r\nexpect: 100-continue\r\n\r\n{`,
    );
    // Waits until the server has received the request head, else there is nothing to drain.
    await new Promise((resolve) => socket.once('data', resolve));
    return server;
  };

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('a second signal %s ends serve at once', async (signal, code) => {
    const server = await withHangingRequest(here(), []);
    const { port } = new URL(await urlOf(server));
    server.child.kill('SIGTERM');
    // The server has handled the first signal once it refuses connections.
    await vi.waitFor(() => expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow('fetch failed'));
    // A second signal within 100 ms would be ignored.
    await sleep(200);
    expect(server.child.exitCode).toBeNull();
    expect(await server.stop(signal)).toBe(code);
  });

  it('a request that never ends is aborted before the time limit with a log entry, and serve exits 0', async () => {
    const server = await withHangingRequest(here(), ['--shutdown-timeout', '6s']);
    expect(await server.stop()).toBe(0);
    expect((await server.ended).err).toContain('requests were aborted at the time limit');
  });
});
