import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Place, place } from './beckon.ts';

/** Concurrent posts to one receiver, and deliveries that wait for it. */
const CALLS = 8;
const DELIVERIES = 20;
const ENV = { BECKON_NET_ALLOW_CIDRS: '127.0.0.0/8' };

/** A receiver that does not respond until `heal`. */
const openReceiver = async () => {
  let hangs = true;
  const got: string[] = [];
  const server = createServer((request, response) => {
    got.push(String(request.headers['webhook-id']));
    request.resume();
    if (!hangs) response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Safe: a listening TCP server has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    got,
    url: `http://127.0.0.1:${port}/hook`,
    heal: (): void => {
      hangs = false;
    },
    close: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
};

/** Log entries about a queue. */
const loggedOf = (err: string, work: string): { rows: number; msg: string }[] =>
  err
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .filter((line) => line.work === work);

describe('a process whose receiver hangs', () => {
  let at: Place;
  let receiver: Awaited<ReturnType<typeof openReceiver>>;
  beforeEach(async () => {
    at = place();
    receiver = await openReceiver();
  });
  afterEach(async () => {
    await at.remove();
    await receiver.close();
  });

  it.each(['serve --port 0', 'worker'])(
    'beckon %s releases jobs that have not begun on SIGTERM, exits with 0 and logs how many it aborted',
    async (command) => {
      const init = await at.run(['init', '--json']);
      const key: string = JSON.parse(init.out).data.keys.find((one: { name: string }) => one.name === 'sk_test').secret;
      const api = at.start(['serve', '--port', '0', '--no-worker'], { env: ENV });
      const url = (await api.says(/listening on (http:\S+)/))[1] ?? '';
      const post = async (path: string, body: unknown): Promise<void> => {
        const headers = { 'x-api-key': key, 'content-type': 'application/json' };
        const answer = await fetch(`${url}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
        expect(answer.ok).toBe(true);
      };
      await post('/webhooks', { url: receiver.url, events: ['user.identified'] });
      for (let user = 0; user < DELIVERIES; user += 1)
        await post('/identify', { userId: `u${user}`, traits: { email: `ann${user}@mail.example` } });
      const running = at.start([...command.split(' '), '--shutdown-timeout', '6s'], { env: ENV });
      await vi.waitFor(() => expect(receiver.got).toHaveLength(CALLS), { interval: 100 });
      expect(await running.stop()).toBe(0);

      const { err } = await running.ended;
      expect(loggedOf(err, 'webhooks')).toEqual([
        expect.objectContaining({ rows: DELIVERIES - CALLS, msg: 'work that had not begun was given back' }),
        expect.objectContaining({ rows: CALLS, msg: expect.stringContaining('cut off at the time limit') }),
      ]);
      expect(err).not.toContain('mail.example');
      expect(err).not.toContain(receiver.url);
      // Another worker does not have to wait for the leases of deliveries that were not posted.
      const cutOff = new Set(receiver.got);
      receiver.heal();
      expect((await at.run(['worker', '--drain'], { env: ENV })).code).toBe(0);
      const others = receiver.got.filter((id) => !cutOff.has(id));
      expect([others.length, new Set(others).size]).toEqual([DELIVERIES - CALLS, DELIVERIES - CALLS]);
      expect(await api.stop()).toBe(0);
    },
  );
});
