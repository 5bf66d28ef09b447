import { type Beckon, createBeckon, newMasterKey, virtualClock } from '@beckon/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../core/test/support/database.ts';
import { createHandler, type Handler, routes } from '../index.ts';

const BUNDLE = { version: 1, exportedAt: '2026-01-01T00:00:00.000Z', workflows: [] };
const workflow = (name: string) => ({
  ...BUNDLE,
  workflows: [{ name, description: null, isActive: true, trigger: { eventType: 'e' }, steps: [] }],
});

/** Created before the first call. */
let audienceId = '';

/** A body for every route that takes a key. A new route must be added here. */
const bodies: Record<string, (mark: string) => unknown> = {
  '/events/batch': (mark) => ({ batch: [{ module: 'm', eventType: mark, userId: 'u' }] }),
  '/automation/workflows/import': workflow,
  '/push/send': (mark) => ({ tokens: [`fcm:${mark}`], title: mark }),
  '/auth-service/users/bulk-import': (mark) => ({ users: [{ externalId: mark, email: `${mark}@example.com` }] }),
  '/email/send': (mark) => ({ to: `${mark}@example.com`, subject: mark, text: 't' }),
  '/sms/send': (mark) => ({ to: '+14155550199', body: mark }),
  '/push/send-to-audience': (mark) => ({ audienceId, title: mark }),
  '/email/send-to-audience': (mark) => ({ audienceId, subject: mark, text: 't' }),
  '/sms/send-to-audience': (mark) => ({ audienceId, body: mark }),
};

describe('Idempotency-Key', () => {
  const clock = virtualClock('2026-03-01T12:00:00.000Z');
  let database: TestDatabase;
  let beckon: Beckon;
  let handler: Handler;
  const keys: Record<string, string> = {};

  beforeAll(async () => {
    database = await openTestDatabase();
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), clock });
    handler = createHandler(beckon, { clock });
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    const scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
    audienceId = (await beckon.audiences.create(scope, { name: 'Everybody' })).id;
    for (const environment of ['test', 'prod'] as const)
      keys[environment] = (
        await beckon.tenancy.createKey({ kind: 'secret', environment, grants: [{ orgId, projectId }] })
      ).secret;
    keys['orgId'] = orgId;
  });
  afterAll(async () => {
    await beckon.close();
    await database.close();
  });

  const call = async (path: string, body: unknown, key: string | null, environment = 'test') => {
    const response = await handler.fetch(
      new Request(`http://test/api/v1${path}`, {
        method: 'POST',
        headers: {
          'x-api-key': keys[environment] ?? '',
          'content-type': 'application/json',
          ...(key === null ? {} : { 'idempotency-key': key }),
        },
        body: JSON.stringify(body),
      }),
    );
    const { status, headers } = response;
    // Proof of the cast: every response is an envelope.
    const json = (await response.json()) as { data: { id: string }; error: { details: { reason?: string } } };
    return {
      status,
      replayed: headers.get('idempotent-replayed'),
      retryAfter: headers.get('retry-after'),
      json,
    };
  };

  const named = routes.filter((route) => route.needs === 'project' && route.isIdempotent).map(({ path }) => path);

  it('every route that sends, ingests a batch or imports takes an Idempotency-Key', () => {
    expect(named.sort()).toEqual(Object.keys(bodies).sort());
    const sending = routes.filter(({ path, method }) => method === 'POST' && /\/send(-to-audience)?$/.test(path));
    for (const { path } of sending) expect(named).toContain(path);
  });

  it('a repeated key returns the first response, and another body is rejected', async () => {
    for (const path of named) {
      const body = bodies[path]?.('first');
      const first = await call(path, body, `key-${path}`);
      expect([200, 201], path).toContain(first.status);
      expect(first.replayed).toBeNull();
      expect(await call(path, body, `key-${path}`), path).toEqual({ ...first, replayed: 'true' });
      expect(await call(path, bodies[path]?.('other'), `key-${path}`), path).toMatchObject({
        status: 400,
        json: { error: { code: 'VALIDATION_ERROR', details: { reason: 'idempotency_mismatch' } } },
      });
      const fresh = await call(path, bodies[path]?.('other'), `key-2-${path}`);
      expect(fresh.replayed, path).toBeNull();
    }
  });

  it('the query is part of the request that a key identifies', async () => {
    const path = '/automation/workflows/import';
    await call(`${path}?dryRun=true`, BUNDLE, 'query');
    expect((await call(path, BUNDLE, 'query')).status).toBe(400);
    expect((await call(`${path}?dryRun=true`, BUNDLE, 'query')).replayed).toBe('true');
  });

  it('both shapes of a path share one key', async () => {
    const body = bodies['/email/send']?.('shape');
    const first = await call('/email/send', body, 'shape');
    expect(await call(`/orgs/${keys['orgId']}/email/send`, body, 'shape')).toEqual({ ...first, replayed: 'true' });
  });

  it('of five concurrent requests with one key, one sends and the others are told to retry', async () => {
    const body = bodies['/email/send']?.('race');
    const answers = await Promise.all(Array.from({ length: 5 }, () => call('/email/send', body, 'race')));
    const ids = new Set(answers.flatMap(({ status, json }) => (status === 201 ? [json.data.id] : [])));
    expect(ids.size).toBe(1);
    for (const { status, json, retryAfter } of answers)
      if (status !== 201) {
        expect([status, json.error.details.reason, retryAfter]).toEqual([409, 'idempotency_in_progress', '1']);
      }
  });

  it('only successful responses are stored, so a rejected request may be retried', async () => {
    const body = bodies['/email/send']?.('refused');
    for (let time = 0; time < 2; time += 1) {
      const answer = await call('/email/send', body, 'refused', 'prod');
      expect([answer.status, answer.replayed]).toEqual([412, null]);
    }
    const wrong = await call('/email/send', { to: 'nobody' }, 'wrong');
    expect(wrong.status).toBe(400);
    expect((await call('/email/send', body, 'wrong')).status).toBe(201);
  });

  it('other routes ignore an Idempotency-Key, and a key is forgotten after a day', async () => {
    const event = { module: 'm', eventType: 'e', userId: 'u' };
    const once = await call('/events', event, 'same');
    const twice = await call('/events', event, 'same');
    expect(twice.json.data.id).not.toBe(once.json.data.id);
    const body = bodies['/email/send']?.('day');
    const first = await call('/email/send', body, 'day');
    clock.advance(86_400_000);
    const later = await call('/email/send', body, 'day');
    expect([later.status, later.replayed]).toEqual([201, null]);
    expect(later.json.data.id).not.toBe(first.json.data.id);
  });

  it('an Idempotency-Key has 1 to 256 characters', async () => {
    const body = bodies['/email/send']?.('long');
    for (const key of ['', 'k'.repeat(257)]) expect((await call('/email/send', body, key)).status).toBe(400);
  });
});
