import { BeckonError, catalogue, conflict, notFound, StorageError } from '@beckon/core';
import { describe, expect, it } from 'vitest';
import { EVENT_ID, fakeBeckon, ORG_A, ORG_B, PROJECT_1 } from '../test/support/fake-beckon.ts';
import { make } from '../test/support/fake-handler.ts';
import { createHandler } from './create-handler.ts';
import { pathsOf } from './paths.ts';
import { isPublic } from './route.ts';
import { routes } from './route-table.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const EVENT = JSON.stringify({ module: 'analytics', eventType: 'page.viewed', userId: 'u' });
const scopeA = { orgId: ORG_A, projectId: PROJECT_1, environment: 'prod' };

describe('createHandler', () => {
  it('an accepted event is answered with its id in the envelope', async () => {
    const { send, calls } = make();
    const { status, headers, json } = await send('POST', '/api/v1/events', { key: 'pk_prod_one', body: EVENT });
    expect(status).toBe(200);
    expect(json).toEqual({ success: true, data: { id: EVENT_ID, accepted: true } });
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(calls).toEqual([
      { name: 'events.track', args: [scopeA, JSON.parse(EVENT), { bytes: EVENT.length, keyKind: 'public' }] },
    ]);
  });

  it.each([
    ['POST', '/events', 'events.track', 200],
    ['POST', '/events/batch', 'events.batch', 200],
    ['POST', '/identify', 'events.identify', 200],
    ['GET', '/events', 'events.list', 200],
    ['GET', '/events/e', 'events.get', 200],
    ['GET', '/profiles', 'profiles.list', 200],
    ['GET', '/profiles/u', 'profiles.get', 200],
    ['GET', '/profiles/u/events', 'profiles.events', 200],
    ['GET', '/profiles/u/sends', 'profiles.sends', 200],
    ['GET', '/automation/workflows/export', 'workflows.exportBundle', 200],
    ['POST', '/automation/workflows/import', 'workflows.importBundle', 200],
    ['GET', '/automation/workflows', 'workflows.list', 200],
    ['POST', '/automation/workflows', 'workflows.create', 201],
    ['GET', '/automation/workflows/w', 'workflows.get', 200],
    ['PATCH', '/automation/workflows/w', 'workflows.update', 200],
    ['DELETE', '/automation/workflows/w', 'workflows.delete', 200],
    ['GET', '/automation/runs', 'runs.list', 200],
    ['GET', '/automation/runs/r', 'runs.get', 200],
    ['POST', '/automation/runs/r/cancel', 'runs.cancel', 200],
    ['POST', '/automation/runs/r/retry', 'runs.retry', 200],
    ['POST', '/push/tokens', 'tokens.register', 201],
    ['DELETE', '/push/tokens/t', 'tokens.delete', 200],
    ['GET', '/push/web-config', 'tokens.webConfig', 200],
    ['POST', '/push/track-open', 'push.trackOpen', 200],
    ['POST', '/push/track-delivered', 'push.trackDelivered', 200],
    ['POST', '/push/send', 'push.send', 201],
    ['POST', '/push/send-to-audience', 'push.sendToAudience', 201],
    ['POST', '/email/send-to-audience', 'email.sendToAudience', 201],
    ['POST', '/sms/send-to-audience', 'sms.sendToAudience', 201],
    ['GET', '/push/sends', 'sends.list', 200],
    ['GET', '/push/sends/s', 'sends.get', 200],
    ['GET', '/push/sends/s/messages', 'sends.messages', 200],
    ['GET', '/push/messages/m', 'sends.message', 200],
    ['DELETE', '/push/sends/s', 'sends.cancel', 200],
    ['GET', '/push/sends/delivery-health', 'sends.health', 200],
    ['GET', '/push/settings', 'settings.get', 200],
    ['PUT', '/push/settings', 'settings.update', 200],
    ['GET', '/email/domains', 'emailDomains.list', 200],
    ['POST', '/email/domains', 'emailDomains.create', 201],
    ['GET', '/email/domains/d', 'emailDomains.get', 200],
    ['DELETE', '/email/domains/d', 'emailDomains.delete', 200],
    ['POST', '/email/domains/d/verify', 'emailDomains.verify', 200],
    ['POST', '/push/settings', 'settings.update', 200],
    ['POST', '/push/settings/test', 'settings.test', 200],
    ['POST', '/email/send', 'email.send', 201],
    ['GET', '/email/sends', 'sends.list', 200],
    ['GET', '/email/sends/s', 'sends.get', 200],
    ['GET', '/email/sends/s/messages', 'sends.messages', 200],
    ['GET', '/email/messages/m', 'sends.message', 200],
    ['DELETE', '/email/sends/s', 'sends.cancel', 200],
    ['GET', '/email/sends/delivery-health', 'sends.health', 200],
    ['GET', '/email/settings', 'settings.get', 200],
    ['PUT', '/email/settings', 'settings.update', 200],
    ['POST', '/email/settings', 'settings.update', 200],
    ['POST', '/email/settings/test', 'settings.test', 200],
    ['POST', '/sms/send', 'sms.send', 201],
    ['GET', '/sms/sends', 'sends.list', 200],
    ['GET', '/sms/sends/s', 'sends.get', 200],
    ['GET', '/sms/sends/s/messages', 'sends.messages', 200],
    ['GET', '/sms/messages/m', 'sends.message', 200],
    ['DELETE', '/sms/sends/s', 'sends.cancel', 200],
    ['GET', '/sms/sends/delivery-health', 'sends.health', 200],
    ['GET', '/sms/settings', 'settings.get', 200],
    ['PUT', '/sms/settings', 'settings.update', 200],
    ['POST', '/sms/settings', 'settings.update', 200],
    ['POST', '/sms/settings/test', 'settings.test', 200],
    ['GET', '/sandbox/messages', 'outbox.list', 200],
    ['GET', '/api-keys', 'tenancy.listKeys', 200],
    ['GET', '/automation/ai/settings', 'ai.get', 200],
  ])('%s %s calls %s and is answered %i', async (method, path, name, status) => {
    const { send, calls } = make();
    const key = path.startsWith('/sandbox') ? 'sk_test_one' : 'sk_prod_one';
    const answer = await send(method, `/api/v1${path}`, {
      key,
      ...(['POST', 'PUT', 'PATCH'].includes(method) && { body: '{}' }),
    });
    expect(answer.status).toBe(status);
    expect(answer.json.success).toBe(true);
    expect(calls.map((call) => call.name)).toEqual([name]);
  });

  it('a list response carries pagination beside data', async () => {
    const pagination = { limit: 2, hasMore: true, nextCursor: 'next' };
    const { send } = make({ profiles: { list: async () => ({ data: [], pagination }) } });
    expect((await send('GET', '/api/v1/profiles?limit=2')).json).toEqual({ success: true, data: [], pagination });
  });

  it('dates in responses are ISO 8601 in UTC with milliseconds', async () => {
    const createdAt = new Date('2026-01-02T03:04:05.006Z');
    const key = { id: 'k', name: '', kind: 'secret', environment: 'prod', lastFour: 'abcd', scopes: [] } as const;
    const dates = { createdAt, expiresAt: null, revokedAt: null, lastUsedAt: null };
    const pagination = { limit: 50, hasMore: false, nextCursor: null };
    const data = [{ ...key, ...dates, grants: [] }];
    const { send } = make({ tenancy: { listKeys: async () => ({ data, pagination }) } });
    expect((await send('GET', '/api/v1/api-keys')).json.data[0].createdAt).toBe('2026-01-02T03:04:05.006Z');
  });

  it("every response has a new request id, never the client's", async () => {
    const { send } = make();
    const headers = { 'x-request-id': 'mine' };
    const seen = [
      await send('GET', '/api/v1/profiles', { headers }),
      await send('GET', '/api/v1/profiles', { key: '', headers }),
      await send('GET', '/nowhere', { headers }),
      await send('PUT', '/api/v1/profiles', { headers }),
      await send('OPTIONS', '/api/v1/events', { headers }),
      await send('GET', '/healthz', { headers }),
    ].map((answer) => answer.headers.get('x-request-id') ?? '');
    for (const id of seen) expect(id).toMatch(UUID_V7);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('a base path of another form throws', () => {
    const { beckon } = fakeBeckon();
    for (const basePath of ['api', '/api/', '/a//b', '/:orgId', '']) {
      expect(() => createHandler(beckon, { basePath })).toThrow(TypeError);
    }
  });

  it('the API is served below another base path, and health checks outside it', async () => {
    const handler = createHandler(fakeBeckon().beckon, { basePath: '/beckon/v1' });
    const status = async (path: string) => (await handler.fetch(new Request(`http://test${path}`))).status;
    expect(await status('/beckon/v1/profiles')).toBe(401);
    expect(await status('/api/v1/profiles')).toBe(404);
    expect(await status('/healthz')).toBe(200);
  });
});

describe('paths and methods', () => {
  it('an unknown path is answered 404 in the envelope', async () => {
    const { status, json } = await make().send('GET', '/api/v1/unknown');
    expect(status).toBe(404);
    expect(json).toEqual({ success: false, error: { code: 'NOT_FOUND', message: expect.any(String) } });
  });

  it('an unsupported method of a known path is answered 405 with the allowed methods', async () => {
    const { send } = make();
    for (const route of routes) {
      for (const path of pathsOf(route, '/api/v1')) {
        const own = routes.filter((one) => pathsOf(one, '/api/v1').includes(path)).map((one) => one.method);
        const taken = [...new Set(own.includes('GET') ? [...own, 'HEAD' as const] : own)];
        for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']) {
          if (taken.some((one) => one === method)) continue;
          const answer = await send(method, path);
          const allowed = answer.headers.get('allow')?.split(', ').sort();
          expect([answer.status, allowed], `${method} ${path}`).toEqual([405, taken.toSorted()]);
        }
      }
    }
  });

  it('a header cannot override the method', async () => {
    const { send, calls } = make();
    const headers = { 'x-http-method-override': 'GET' };
    expect((await send('POST', '/api/v1/profiles', { body: '{}', headers })).status).toBe(405);
    expect(calls).toEqual([]);
  });
});

describe('requests without a key', () => {
  it('a request without x-api-key is told to use that header, even with a Bearer token', async () => {
    const { send, calls } = make();
    const bearer = await send('GET', '/api/v1/profiles', { key: '', headers: { authorization: 'Bearer sk_prod_one' } });
    expect([bearer.status, bearer.json.error.code]).toEqual([401, 'UNAUTHORIZED']);
    expect(bearer.json.error.message).toMatch(/x-api-key.*ignores the header Authorization/);
    const nothing = await send('GET', '/api/v1/profiles', { key: '' });
    expect([nothing.status, nothing.json.error.message.includes('x-api-key')]).toEqual([401, true]);
    expect(nothing.json.error.message).not.toContain('Authorization');
    expect(bearer.text).not.toContain('sk_prod_one');
    expect(calls).toEqual([]);
  });
});

describe('precedence of errors', () => {
  const big = 'x'.repeat(1_048_577);
  const text = { 'content-type': 'text/html' };

  it('401 comes before every other error', async () => {
    const { status } = await make().send('POST', `/api/v1/orgs/${ORG_B}/email/send`, { key: 'sk_nobody', body: big });
    expect(status).toBe(401);
  });

  it('404 of the organization comes before a missing scope', async () => {
    const { status } = await make().send('POST', `/api/v1/orgs/${ORG_B}/email/send`, {
      key: 'pk_prod_one',
      body: big,
    });
    expect(status).toBe(404);
  });

  it('a missing scope comes before errors of the body', async () => {
    const { status, json } = await make().send('POST', '/api/v1/email/send', { key: 'pk_prod_one', body: big });
    expect(status).toBe(403);
    expect(json.error).toMatchObject({ code: 'scope_required', details: { requiredScope: 'email:send' } });
  });

  it('errors of a body come in the order size, type, content', async () => {
    const { send } = make();
    const stated = { ...text, 'content-length': String(big.length) };
    expect((await send('POST', '/api/v1/email/send', { body: big, headers: stated })).status).toBe(413);
    expect((await send('POST', '/api/v1/email/send', { body: '', headers: text })).status).toBe(415);
    expect((await send('POST', '/api/v1/email/send', { body: '' })).status).toBe(400);
  });

  it('errors of the body come before errors of the engine', async () => {
    const { send } = make({ email: { send: () => Promise.reject<never>(conflict('exists')) } });
    expect((await send('POST', '/api/v1/email/send', { body: '{' })).status).toBe(400);
    expect((await send('POST', '/api/v1/email/send', { body: '{}' })).status).toBe(409);
  });
});

describe('scopes', () => {
  it('every route requires its own scope', async () => {
    const { send, calls } = make();
    for (const route of routes) {
      if (route.needs === 'nothing' || route.environment === 'test') continue;
      const { status, json } = await send(route.method, `/api/v1${route.path}`, { key: 'sk_prod_nothing' });
      expect([status, json.error.details.requiredScope], route.path).toEqual([403, route.scope]);
    }
    expect(calls).toEqual([]);
  });

  it('a public key may ingest and register devices, and nothing else', async () => {
    const { send } = make();
    for (const route of routes) {
      if (route.needs === 'nothing' || route.environment === 'test') continue;
      const body = route.method === 'GET' ? {} : { body: '{}' };
      const query = route.path.endsWith('/sync') ? '?lat=1&lng=1' : '';
      const { status } = await send(route.method, `/api/v1${route.path}${query}`, { key: 'pk_prod_one', ...body });
      if (isPublic(route)) expect([200, 201], route.path).toContain(status);
      else expect(status, route.path).toBe(403);
    }
  });
});

describe('errors', () => {
  it('every error code has its status', async () => {
    for (const [code, status] of Object.entries(catalogue)) {
      // Proof of the cast: the constructor reads details only if there are any.
      const error = new BeckonError(...([code, 'Because.'] as unknown as ConstructorParameters<typeof BeckonError>));
      const { send } = make({ profiles: { list: () => Promise.reject(error) } });
      const answer = await send('GET', '/api/v1/profiles');
      expect([answer.status, answer.json.error.code], code).toEqual([status, code]);
    }
  });

  it('error responses carry details and Retry-After', async () => {
    const details = { limit: 200, retryAfterSeconds: 7, reason: 'quota' };
    const error = new BeckonError('RATE_LIMITED', 'No more.', { details });
    const { send, logged } = make({ profiles: { list: () => Promise.reject(error) } });
    const { headers, json } = await send('GET', '/api/v1/profiles');
    expect(headers.get('retry-after')).toBe('7');
    expect(json).toEqual({ success: false, error: { code: 'RATE_LIMITED', message: 'No more.', details } });
    expect(logged).toEqual([]);
  });

  it('an unknown error is hidden behind the request id and logged once with its stack', async () => {
    const { send, logged } = make({ profiles: { list: () => Promise.reject(new TypeError('inner workings')) } });
    const { status, headers, json, text } = await send('GET', '/api/v1/profiles');
    const requestId = headers.get('x-request-id');
    expect([status, json.error.code]).toEqual([500, 'INTERNAL']);
    expect(json.error.message).toContain(requestId);
    expect(text).not.toContain('inner workings');
    expect(logged).toEqual([
      { level: 'error', fields: { requestId, code: 'INTERNAL', stack: expect.stringContaining('inner workings') } },
    ]);
  });

  it('an INTERNAL error of core is hidden too, and its cause is logged', async () => {
    const error = new BeckonError('INTERNAL', 'Core.', { cause: new Error('the real one') });
    const { send, logged } = make({ profiles: { list: () => Promise.reject(error) } });
    const { headers, json } = await send('GET', '/api/v1/profiles');
    expect(json.error.message).toContain(headers.get('x-request-id'));
    expect(logged).toEqual([
      { level: 'error', fields: expect.objectContaining({ stack: expect.stringContaining('the real one') }) },
    ]);
  });

  it('an unavailable database is answered with Retry-After', async () => {
    const { send, logged } = make({ profiles: { list: () => Promise.reject(new StorageError('SQLITE_FULL')) } });
    const { status, headers, json } = await send('GET', '/api/v1/profiles');
    expect([status, json.error.code, headers.get('retry-after')]).toEqual([503, 'OVERLOADED', '1']);
    expect(logged.map((line) => line.level)).toEqual(['warn']);
  });

  // Source: PostgreSQL, appendix A, classes 08, 53 and 57 (operator intervention).
  it.each(
    '08000 08001 08003 08004 08006 08007 08P01 53000 53100 53200 53300 53400 57P01 57P02 57P03 57P04 57P05'.split(' '),
  )('a database error of the class %s is answered 503 with Retry-After', async (code) => {
    const { send } = make({ profiles: { list: () => Promise.reject(new StorageError(code)) } });
    const { status, headers, json } = await send('GET', '/api/v1/profiles');
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    const isUnknown = code === '08007';
    expect(json.error.message).toContain(isUnknown ? 'may have succeeded' : 'Beckon stored nothing');
  });

  it('a database error that retrying cannot fix is answered 500', async () => {
    const { send } = make({ profiles: { list: () => Promise.reject(new StorageError('SQLITE_CONSTRAINT')) } });
    expect((await send('GET', '/api/v1/profiles')).status).toBe(500);
  });

  it('the log contains no key, no body and no value', async () => {
    const { send, logged } = make({ events: { track: () => Promise.reject(new Error('broken')) } });
    await send('POST', '/api/v1/events?projectId=canary-query', {
      body: JSON.stringify({ module: 'canary-module', traits: { email: 'canary@example.com' } }),
    });
    await send('POST', '/api/v1/events', { body: JSON.stringify({ module: 'canary-module', userId: 'canary-user' }) });
    expect(logged).toHaveLength(1);
    expect(JSON.stringify(logged)).not.toMatch(/canary|sk_prod_one/);
  });

  it('an unknown row and a row of another organization get byte-identical responses', async () => {
    const { send } = make({ profiles: { get: () => Promise.reject(notFound()) } });
    const missing = await send('GET', '/api/v1/profiles/nobody');
    const foreign = await send('GET', `/api/v1/orgs/${ORG_B}/profiles/nobody`);
    const absent = await send('GET', '/api/v1/orgs/no-such-org/profiles/nobody');
    const unknown = await send('GET', '/api/v1/unknown');
    expect(new Set([missing, foreign, absent, unknown].map((answer) => `${answer.status} ${answer.text}`)).size).toBe(
      1,
    );
  });
});

describe('CORS', () => {
  it('public routes allow every origin, in error responses too', async () => {
    const { send } = make();
    for (const key of ['pk_prod_one', '']) {
      const headers = { origin: 'https://shop.example' };
      const answer = await send('POST', '/api/v1/events', { key, body: EVENT, headers });
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
      expect(answer.headers.get('access-control-expose-headers')).toContain('X-Request-ID');
      expect(answer.headers.get('vary')).toBe('Origin');
    }
  });

  it('a preflight is answered 204 without a key', async () => {
    for (const path of ['/api/v1/events', '/api/v1/events/batch', '/api/v1/identify']) {
      const { status, headers, text } = await make().send('OPTIONS', path, { key: '', headers: { origin: 'null' } });
      expect([status, text, headers.get('access-control-allow-origin')]).toEqual([204, '', '*']);
      expect(headers.get('access-control-allow-headers')).toContain('x-api-key');
      expect(headers.get('access-control-allow-headers')).toContain('content-type');
      expect(headers.get('access-control-allow-methods')).toContain('POST');
    }
  });

  it('other routes send no CORS headers', async () => {
    const { send } = make();
    for (const route of routes) {
      if (isPublic(route)) continue;
      // A preflight names no method that matters: the response is that of the path.
      const isShared = routes.some((one) => isPublic(one) && one.path === route.path);
      const methods = isShared ? [route.method] : [route.method, 'OPTIONS'];
      const answers = await Promise.all(methods.map((method) => send(method, `/api/v1${route.path}`)));
      for (const { headers } of answers) {
        expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
      }
      expect(answers.map((answer) => answer.status)).not.toContain(204);
    }
  });
});
