// Sign-in under load, by the work that is done and refused; `npm run campaign -- sign-in` measures the times.
import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AuthWorld, EMAIL, openAuth, PASSWORD } from '../../../core/test/support/identity/world.ts';
import { createHandler, type Handler, listen, type NodeFace, routes } from '../index.ts';
import { SHED_ORDER, shedAt } from '../pipeline/shedding.ts';

const BODY_CAP = 65_536;
const LOGIN = { email: EMAIL, password: PASSWORD };
const UNKNOWN = { email: 'nobody@example.com', password: PASSWORD };

let world: AuthWorld;
let key: string;
beforeEach(async () => {
  world = await openAuth();
  await world.users.create(world.scope, { ...LOGIN, emailVerified: true });
  const { orgId, projectId } = world.scope;
  const grants = [{ orgId, projectId }];
  ({ secret: key } = await world.beckon.tenancy.createKey({ kind: 'public', environment: 'test', grants }));
});
afterEach(() => world.close());

type Sent = { readonly address?: string; readonly forwarded?: string; readonly apiKey?: string };
const handlerOf = (trustedProxies = 0): Handler => createHandler(world.beckon, { clock: world.clock, trustedProxies });
let calls = 0;
const post = async (handler: Handler, path: string, body: unknown, sent: Sent = {}, signal?: AbortSignal) => {
  calls += 1;
  const { address = `10.0.${calls >> 8}.${calls & 255}`, forwarded, apiKey = key } = sent;
  const response = await handler.fetch(
    new Request(`http://test/api/v1/auth-service${path}`, {
      method: 'POST',
      headers: {
        ...{ 'x-api-key': apiKey, 'content-type': 'application/json' },
        ...(forwarded !== undefined && { 'x-forwarded-for': forwarded }),
      },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    }),
    { address },
  );
  // Safe: every response of the API is an object with these members.
  const json = (await response.json()) as { error?: { code: string }; data?: Record<string, string> };
  return { status: response.status, retryAfter: Number(response.headers.get('retry-after')), json };
};

/** Replaces the comparison of passwords by one that ends when the test says so. */
const holdHashes = () => {
  const waiting: ((isEqual: boolean) => void)[] = [];
  let begun = 0;
  world.hashes.verify = () => {
    begun += 1;
    return new Promise((resolve) => void waiting.push(resolve));
  };
  return {
    begun: () => begun,
    /** Ends all comparisons, also those that begin meanwhile, until the calls are answered. */
    endAll: async <T>(ended: Promise<T>): Promise<T> => {
      const timer = setInterval(() => {
        for (const end of waiting.splice(0)) end(false);
      }, 1);
      return ended.finally(() => clearInterval(timer));
    },
  };
};
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};
/** Signs in until the queue of hashes admits no more. */
const fill = (handler: Handler) => Promise.all(Array.from({ length: 300 }, () => post(handler, '/login', UNKNOWN)));

describe('sign-in while every hash thread is busy', () => {
  it('B1: a refresh needs no hash, and is answered', async () => {
    const handler = handlerOf();
    const { refreshToken } = (await post(handler, '/login', LOGIN)).json.data ?? {};
    const held = holdHashes();
    const filled = fill(handler);
    await turns();
    const before = { ...world.hashes.calls };
    expect((await post(handler, '/token/refresh', { refreshToken })).status).toBe(200);
    expect(world.hashes.calls).toEqual(before);
    await held.endAll(filled);
  });

  it('B2 to B4: a call is refused before any look-up, alike for known and unknown addresses', async () => {
    const handler = handlerOf();
    // Reads key and settings, which are cached afterwards.
    await post(handler, '/login', UNKNOWN);
    const held = holdHashes();
    const filled = fill(handler);
    await turns();
    const hashed = held.begun();
    const refuse = async (body: object) => {
      world.statements.length = 0;
      const { status, json, retryAfter } = await post(handler, '/login', body);
      expect(retryAfter).toBeGreaterThanOrEqual(5);
      expect(retryAfter).toBeLessThanOrEqual(30);
      return { status, code: json.error?.code, statements: [...world.statements] };
    };
    expect(await refuse(LOGIN)).toEqual({ status: 503, code: 'OVERLOADED', statements: [] });
    expect(await refuse(UNKNOWN)).toEqual({ status: 503, code: 'OVERLOADED', statements: [] });
    expect(held.begun()).toBe(hashed);
    const statuses = (await held.endAll(filled)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([401, 503]));
  });

  it.each(['fetch', 'node'])(
    'B9: a client of the %s adapter that leaves frees its place, and no thread is ended',
    async (face) => {
      const handler = handlerOf();
      const held = holdHashes();
      // As many as there are threads.
      const busy = Array.from({ length: 8 }, () => post(handler, '/login', UNKNOWN));
      // Each sign-in reads the database first.
      await vi.waitFor(() => expect(held.begun()).toBe(8), { interval: 1 });
      let left: ReturnType<typeof post> | undefined;
      if (face === 'fetch') {
        const controller = new AbortController();
        const left = post(handler, '/login', UNKNOWN, {}, controller.signal);
        await turns();
        controller.abort();
        expect((await left).json.error?.code).toBe('DEADLINE_EXCEEDED');
      } else {
        let arrived = (): void => undefined;
        let closed = (): void => undefined;
        const arriving = new Promise<void>((resolve) => {
          arrived = resolve;
        });
        const closing = new Promise<void>((resolve) => {
          closed = resolve;
        });
        const node: NodeFace = (req, res) => {
          res.once('close', closed);
          handler.node(req, res);
          arrived();
        };
        const listener = await listen({ ...handler, node }, { port: 0 });
        const sent = request(`${listener.url}/api/v1/auth-service/login`, {
          method: 'POST',
          headers: { 'x-api-key': key, 'content-type': 'application/json' },
        });
        sent.on('error', () => undefined);
        sent.end(JSON.stringify(UNKNOWN));
        await arriving;
        await turns();
        sent.destroy();
        await closing;
        await listener.close(0);
      }
      await turns();
      expect((await held.endAll(Promise.all(busy))).map(({ status }) => status)).toEqual(busy.map(() => 401));
      await turns();
      // The comparison of the client that left never began.
      expect(held.begun()).toBe(8);
      if (left !== undefined) expect((await left).json.error?.code).toBe('DEADLINE_EXCEEDED');
    },
  );
});

describe('attempts to sign in', () => {
  const tries = async (handler: Handler, count: number, sent: (at: number) => Sent) => {
    const statuses: number[] = [];
    for (let at = 0; at < count; at += 1) statuses.push((await post(handler, '/login', UNKNOWN, sent(at))).status);
    return { refused: statuses.filter((status) => status === 429).length, last: statuses.at(-1) };
  };

  it('B5: a forged X-Forwarded-For gives no further attempts', async () => {
    const direct = (at: number): Sent => ({ address: '203.0.113.7', forwarded: `198.51.100.${at}` });
    expect(await tries(handlerOf(), 31, direct)).toEqual({ refused: 1, last: 429 });
    // The last address is the one that the proxy saw; those to the left are the client's own claim.
    const proxied = (at: number): Sent => ({ forwarded: `198.51.100.${at}, 203.0.113.8` });
    expect(await tries(handlerOf(1), 31, proxied)).toEqual({ refused: 1, last: 429 });
  });

  it('B6: the addresses of one IPv6 /64 share ten attempts', async () => {
    const handler = handlerOf();
    const within = (at: number): Sent => ({ address: `2001:db8:0:1:${(at + 1).toString(16)}::1` });
    expect(await tries(handler, 11, within)).toEqual({ refused: 1, last: 429 });
    expect((await post(handler, '/login', UNKNOWN, { address: '2001:db8:0:2::1' })).status).toBe(401);
  });

  it('B7: the attempt over the limit is refused before its key is looked up and its body is read', async () => {
    const handler = handlerOf();
    const sent = { address: '203.0.113.9', apiKey: `pk_test_${'A'.repeat(38)}` };
    expect((await tries(handler, 30, () => sent)).last).toBe(401);
    world.statements.length = 0;
    const body = { email: 'x'.repeat(1_000_000), password: PASSWORD };
    expect((await post(handler, '/login', body, sent)).status).toBe(429);
    expect(world.statements.filter((id) => id.startsWith('tenancy.'))).toEqual([]);
  });
});

describe('bodies and shedding of sign-in', () => {
  it('B8: a chunked body of 64 KB passes, and one byte more is refused', async () => {
    const listener = await listen(handlerOf(1), { port: 0 });
    const send = (bytes: number): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        calls += 1;
        const sent = request(
          `${listener.url}/api/v1/auth-service/login`,
          {
            method: 'POST',
            headers: {
              'x-api-key': key,
              'content-type': 'application/json',
              'x-forwarded-for': `10.9.0.${calls & 255}`,
            },
          },
          (response) => {
            response.resume();
            resolve(response.statusCode);
          },
        );
        sent.on('error', reject);
        // Without Content-Length Node sends chunks.
        const text = `{"password":"${'x'.repeat(bytes - 15)}"}`;
        sent.write(text.slice(0, 10));
        sent.end(text.slice(10));
      });
    expect(await send(BODY_CAP)).toBe(400);
    expect(await send(BODY_CAP + 1)).toBe(413);
    await listener.close(0);
  });

  it('B11: passwords are shed first, then other sign-in, refresh last; user routes and administration never', () => {
    const STEPS: Readonly<Record<string, readonly string[]>> = {
      passwords: ['signup', 'login', 'password/forgot', 'password/reset', 'password/change', 'reauthenticate'],
      'other sign-in': ['email/verification', 'email/verify', 'email/change', 'email/change/undo'],
      refresh: ['token/refresh'],
    };
    const stepOf = (path: string): string | undefined => {
      const route = routes.find((one) => one.method === 'POST' && one.path === `/auth-service/${path}`);
      return route && SHED_ORDER[shedAt(route) - 1]?.name;
    };
    for (const [step, paths] of Object.entries(STEPS))
      for (const path of paths) expect([path, stepOf(path)]).toEqual([path, step]);
    const names = SHED_ORDER.map(({ name }) => name);
    const order = Object.keys(STEPS).map((step) => names.indexOf(step));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(names.at(-1)).toBe('refresh');
    // Every route that is counted as an attempt names its step, so that a new one is not shed by chance.
    const isScim = ({ path }: { readonly path: string }): boolean => path.startsWith('/auth-service/scim/v2');
    const unnamed = routes.filter(
      ({ path, attempts, sheds }) => path.startsWith('/auth-service/') && attempts !== undefined && sheds === undefined,
    );
    // Directories deactivate users, which must not wait for an overload to end.
    const provisioning = routes.filter(isScim);
    expect(provisioning.map(shedAt)).toEqual(provisioning.map(() => Number.POSITIVE_INFINITY));
    expect(unnamed.filter((route) => !isScim(route)).map(({ path }) => path)).toEqual([]);
    for (const path of ['logout', 'me', 'sessions'])
      for (const route of routes.filter((one) => one.path === `/auth-service/${path}`))
        expect(shedAt(route), path).toBe(Number.POSITIVE_INFINITY);
  });
});
