import {
  BeckonError,
  conflict,
  type KeyScope,
  providerNotConfigured,
  validationError,
  virtualClock,
} from '@beckon/core';
import { describe, expect, it } from 'vitest';
import { fakeBeckon, ORG_B, PROJECT_1, PROJECT_2, principal } from '../../test/support/fake-beckon.ts';
import { createHandler } from '../create-handler.ts';
import { makeHandle } from '../handler.ts';
import type { OpenRoute } from '../route.ts';
import { routes } from '../route-table.ts';
import { succeed } from './envelope.ts';

type Overrides = Parameters<typeof fakeBeckon>[0];

/** A handler with buckets of this size, the cost that was taken from each, and a function that calls it. */
const make = (capacity = 10, overrides: Overrides = {}) => {
  const used = new Map<string, number>();
  const refused = (): BeckonError =>
    new BeckonError('RATE_LIMITED', 'Later.', { details: { retryAfterSeconds: 7, limit: 200 } });
  const leftOf = (key: string): number => capacity - (used.get(key) ?? 0);
  const { beckon, calls } = fakeBeckon({
    ...overrides,
    limits: {
      calls: {
        bucketOf: ({ kind, network, orgId = '-', projectId = '-', caller }) => ({
          key: `${kind} ${network} ${kind === 'ingest' ? caller?.kind : `${orgId.slice(-1)}${projectId.slice(-1)}`}`,
          periodUs: 1,
          burst: capacity,
        }),
        attempts: (kind, network) => ({ key: `try ${kind} ${network}`, periodUs: 1, burst: capacity }),
        left: ({ key }) => leftOf(key),
        check: ({ key }) => {
          if (leftOf(key) < 1) throw refused();
        },
        take: ({ key }, cost = 1) => {
          if (leftOf(key) < cost) throw refused();
          used.set(key, (used.get(key) ?? 0) + cost);
          return undefined;
        },
        giveBack: ({ key }, cost = 1) => void used.set(key, (used.get(key) ?? 0) - cost),
      },
    },
  });
  const handler = createHandler(beckon);
  const ask = async (method: string, path: string, key = 'sk_prod_one', body?: string, headers = {}) => {
    const base = path.endsWith('z') ? '' : '/api/v1';
    const request = new Request(`http://test${base}${path}`, {
      method,
      headers: { ...(key !== '' && { 'x-api-key': key }), 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body }),
    });
    const response = await handler.fetch(request, { address: '203.0.113.7' });
    const text = await response.text();
    const { status } = response;
    return {
      status,
      text,
      headers: response.headers,
      limits: [response.headers.get('x-ratelimit-limit'), response.headers.get('x-ratelimit-remaining')],
    };
  };
  return { ask, used, beckon, calls };
};

const SECRET = 'secret 203.0.113.7 a1';

describe('rate limits of calls', () => {
  it('responses of counted calls carry rate limit headers, and other responses do not', async () => {
    const { ask } = make();
    expect((await ask('GET', '/profiles')).limits).toEqual(['10', '9']);
    expect((await ask('GET', '/profiles?limit=x')).limits).toEqual(['10', '9']);
    expect((await ask('GET', '/openapi.json', '')).limits).toEqual(['10', '9']);
    expect((await ask('POST', '/events', 'pk_prod_one', '{}')).limits).toEqual(['10', '9']);
    expect((await ask('GET', '/profiles', 'sk_nobody')).limits).toEqual([null, null]);
    expect((await ask('POST', '/email/webhooks/ses', '', '{}')).limits).toEqual([null, null]);
    expect((await ask('OPTIONS', '/events', '')).limits).toEqual([null, null]);
  });

  it('every route has a rate limit, except health checks and provider callbacks', async () => {
    let scopes: ReadonlySet<KeyScope> = new Set();
    const authenticate = async () => principal({ scopes, environment: 'test' });
    const { ask, calls } = make(0, { tenancy: { authenticate } });
    for (const route of routes) {
      scopes = new Set(route.scope === null ? [] : [route.scope]);
      const { status, headers, text } = await ask(route.method, route.path);
      if (route.kind === 'none') {
        expect(status, route.path).not.toBe(429);
        // Such a route authenticates its request before it counts it.
        calls.length = 0;
        continue;
      }
      expect([status, headers.get('retry-after')], route.path).toEqual([429, '7']);
      if (route.method !== 'HEAD')
        expect(JSON.parse(text).error).toMatchObject({ code: 'RATE_LIMITED', details: { retryAfterSeconds: 7 } });
      expect(calls).toEqual([]);
    }
  });

  it('the limit is checked after key, organization and scope, and before the body is read', async () => {
    const { ask } = make(0);
    const big = 'x'.repeat(1_048_577);
    expect((await ask('POST', '/email/send', '', big)).status).toBe(401);
    expect((await ask('POST', `/orgs/${ORG_B}/email/send`, 'sk_prod_one', big)).status).toBe(404);
    expect((await ask('POST', '/email/send', 'pk_prod_one', big)).status).toBe(403);
    expect((await ask('POST', '/email/send', 'sk_prod_one', big)).status).toBe(429);
    expect((await ask('POST', '/email/send', 'sk_prod_one', '{', { 'content-type': 'text/html' })).status).toBe(429);
    expect((await ask('POST', '/email/send', 'sk_prod_one', '{')).status).toBe(429);
  });

  it('calls with an unknown key count by client network; calls with a valid key or without one do not', async () => {
    const { ask, used } = make(2);
    const unknown = 'try key 203.0.113.7';
    expect((await ask('GET', '/profiles')).status).toBe(200);
    expect((await ask('GET', '/profiles', '')).status).toBe(401);
    expect(used.get(unknown)).toBeUndefined();
    for (const key of ['sk_nobody', 'sk_a, sk_b'])
      expect([(await ask('GET', '/profiles', key)).status, key]).toEqual([401, key]);
    expect(used.get(unknown)).toBe(2);
    const { status, headers } = await ask('POST', '/events', 'pk_nobody', '{}');
    expect([status, headers.get('retry-after')]).toEqual([429, '7']);
    expect((await ask('GET', '/profiles')).status).toBe(200);
    expect((await ask('GET', '/profiles', '')).status).toBe(401);
  });

  it('an invalid body costs nothing, whichever layer rejects it', async () => {
    const { ask, used } = make(10, { email: { send: () => Promise.reject<never>(validationError({ to: ['No.'] })) } });
    const answers = [
      await ask('POST', '/email/send', 'sk_prod_one', '{'),
      await ask('POST', '/email/send', 'sk_prod_one', '{}', { 'content-type': 'text/html' }),
      await ask('POST', '/email/send', 'sk_prod_one', 'x'.repeat(1_048_577)),
      await ask('POST', '/email/send', 'sk_prod_one', '{}'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 415, 413, 400]);
    expect(answers.map(({ limits }) => limits[1])).toEqual(['10', '10', '10', '10']);
    expect(used.get(SECRET) ?? 0).toBe(0);
  });

  it('a 412 refunds its rate-limit cost; other failures do not', async () => {
    const missing = providerNotConfigured({ channel: 'email', provider: 'smtp', missing: ['host'] });
    const errors = [missing, conflict('exists'), new Error('broken')];
    const { ask, used } = make(10, {
      email: { send: () => Promise.reject<never>(errors.shift()) },
    });
    const charged: number[] = [];
    for (const status of [412, 409, 500]) {
      expect((await ask('POST', '/email/send', 'sk_prod_one', '{}')).status).toBe(status);
      charged.push(used.get(SECRET) ?? 0);
    }
    expect(charged).toEqual([0, 1, 2]);
  });

  it('a batch with a public key costs its number of events, and one with a secret key costs one call', async () => {
    const { ask, used } = make();
    const batch = JSON.stringify({ batch: Array.from({ length: 7 }, () => ({})) });
    expect((await ask('POST', '/events/batch', 'pk_prod_one', batch)).limits).toEqual(['10', '3']);
    expect((await ask('POST', '/events/batch', 'pk_prod_one', batch)).status).toBe(429);
    expect(used.get('ingest 203.0.113.7 public')).toBe(7);
    expect((await ask('POST', '/events/batch', 'sk_prod_one', batch)).limits).toEqual(['10', '9']);
    expect((await ask('POST', '/events/batch', 'pk_prod_one', '{"batch":{"length":9}}')).limits).toEqual(['10', '2']);
    // A batch with too many events gets its validation error, not first a 429.
    const many = JSON.stringify({ batch: Array.from({ length: 501 }, () => ({})) });
    expect((await ask('POST', '/events/batch', 'pk_prod_one', many)).limits).toEqual(['10', '1']);
  });

  it('a bare array of events costs as much as { batch }, with a key in the header or the query, and over the burst', async () => {
    const events = Array.from({ length: 4 }, () => ({}));
    for (const body of [JSON.stringify(events), JSON.stringify({ batch: events })]) {
      const { ask, used } = make();
      const beacon = (text: string) =>
        ask('POST', '/events/batch?key=pk_prod_one', '', text, { 'content-type': 'text/plain' });
      expect((await ask('POST', '/events/batch', 'pk_prod_one', body)).limits).toEqual(['10', '6']);
      expect((await beacon(body)).limits).toEqual(['10', '2']);
      expect((await ask('POST', '/events/batch', 'pk_prod_one', body)).status).toBe(429);
      expect((await beacon(body)).status).toBe(429);
      expect(used.get('ingest 203.0.113.7 public')).toBe(8);
    }
  });

  it('only the batch route counts the members of a list; `batch` in a single event is an ordinary property', async () => {
    const { ask } = make();
    expect((await ask('POST', '/events', 'pk_prod_one', '{"batch":[1,2,3,4]}')).limits).toEqual(['10', '9']);
    expect((await ask('POST', '/identify', 'pk_prod_one', '{"batch":[1,2,3,4]}')).limits).toEqual(['10', '8']);
  });

  it('a call counts in the project that it names, before the body is read if the project is known by then', async () => {
    const { ask, used } = make();
    await ask('GET', `/profiles?projectId=${PROJECT_2}`, 'sk_prod_projects');
    await ask('POST', '/email/send', 'sk_prod_projects', JSON.stringify({ projectId: PROJECT_1 }));
    await ask('GET', `/orgs/${ORG_B}/profiles`, 'sk_prod_orgs');
    await ask('GET', '/api-keys', 'sk_prod_all');
    expect((await ask('GET', '/profiles?projectId=nothing', 'sk_prod_projects')).status).toBe(404);
    expect([...used.keys()]).toEqual([
      'secret 203.0.113.7 a2',
      SECRET,
      'secret 203.0.113.7 b2',
      'secret 203.0.113.7 a-',
    ]);
  });

  it('calls count by the address that trusted proxies report', async () => {
    const { beckon, used } = make();
    const handler = createHandler(beckon, { trustedProxies: 1 });
    const headers = { 'x-api-key': 'sk_prod_one', 'x-forwarded-for': '192.0.2.1, 2001:db8::7' };
    await handler.fetch(new Request('http://test/api/v1/profiles', { headers }), { address: '10.0.0.1' });
    await handler.fetch(new Request('http://test/api/v1/profiles', { headers: { 'x-api-key': 'sk_prod_one' } }));
    expect([...used.keys()]).toEqual(['secret 2001:db8::/64 a1', 'secret unknown a1']);
    expect(() => createHandler(beckon, { trustedProxies: -1 })).toThrow(TypeError);
    expect(() => createHandler(beckon, { trustedProxies: 1.5 })).toThrow(TypeError);
  });
});

describe('rate limit of attempts', () => {
  const signin = (run: OpenRoute['run']): OpenRoute => ({
    ...{ method: 'POST', path: '/try', shape: 'auto', kind: 'signin', scope: null, needs: 'nothing' },
    ...{ attempts: 'signin', bodyCap: 8, summary: 'Try', answer: { bytes: 'application/json' }, run },
  });
  const view = (body: string) => ({
    ...{ method: 'POST', path: '/api/v1/try', query: '', address: () => '203.0.113.7' },
    ...{ header: () => undefined, readBody: async () => new TextEncoder().encode(body) },
  });

  it('the limit of attempts comes before everything else and is separate from the calls of its kind', async () => {
    const { beckon, used } = make(2);
    const clock = virtualClock('2026-03-01T12:00:00.000Z');
    const handle = makeHandle(beckon, { clock }, [signin(async () => succeed({}))]);
    expect((await handle(view('ok'))).status).toBe(200);
    expect([...used]).toEqual([
      ['try signin 203.0.113.7', 1],
      ['signin 203.0.113.7 --', 1],
    ]);
    used.set('try signin 203.0.113.7', 2);
    const refused = await handle({ ...view(''), readBody: () => Promise.reject(new Error('nobody reads it')) });
    expect([refused.status, refused.headers['Retry-After']]).toEqual([429, '7']);
  });

  it('a 412 refunds an attempt; a wrong attempt is not refunded', async () => {
    const { beckon, used } = make(5);
    const errors = [
      new BeckonError('UNAUTHORIZED', 'No.'),
      validationError({ a: ['No.'] }),
      providerNotConfigured({ channel: 'email', provider: 'smtp', missing: [] }),
    ];
    const handle = makeHandle(beckon, {}, [signin(() => Promise.reject(errors.shift()))]);
    const seen: (number | undefined)[][] = [];
    for (const status of [401, 400, 412]) {
      expect((await handle(view('ok'))).status).toBe(status);
      seen.push([used.get('try signin 203.0.113.7'), used.get('signin 203.0.113.7 --')]);
    }
    expect(seen).toEqual([
      [1, 1],
      [2, 1],
      [2, 1],
    ]);
  });
});
