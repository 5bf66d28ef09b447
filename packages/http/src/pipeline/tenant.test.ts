import type { KeyScope, Scope } from '@beckon/core';
import { describe, expect, it } from 'vitest';
import { fakeBeckon, KEYS, ORG_A, ORG_B, PROJECT_1, PROJECT_2, principal } from '../../test/support/fake-beckon.ts';
import { createHandler } from '../create-handler.ts';

const make = (overrides: Parameters<typeof fakeBeckon>[0] = {}) => {
  const { beckon, calls } = fakeBeckon(overrides);
  const handler = createHandler(beckon);
  const send = async (key: string, path: string, body?: unknown, type = 'application/json') => {
    const response = await handler.fetch(
      new Request(`http://test/api/v1${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { ...(key !== '' && { 'x-api-key': key }), ...(body !== undefined && { 'content-type': type }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
    // Proof of the cast: every response but a preflight is the envelope.
    const json = (await response.json()) as { error?: { details?: { fieldErrors?: Record<string, string[]> } } };
    return { status: response.status, fields: Object.keys(json.error?.details?.fieldErrors ?? {}) };
  };
  /** The scope of the last engine call. Proof of the cast: it is every engine's first argument. */
  const scope = () => calls.at(-1)?.args[0] as Scope | undefined;
  return { send, scope, calls };
};

describe('API key of a request', () => {
  it('a missing, empty, unknown or differently cased key is answered 401', async () => {
    const { send, calls } = make();
    for (const key of ['', ' ', 'sk_prod_other', 'SK_PROD_ONE', 'constructor', 'sk_prod_one, sk_prod_one']) {
      expect((await send(key, '/profiles')).status, key).toBe(401);
    }
    expect(calls).toEqual([]);
  });

  it('two keys are rejected', async () => {
    const headers = new Headers();
    headers.append('x-api-key', 'sk_prod_one');
    headers.append('x-api-key', 'sk_prod_one');
    const handler = createHandler(fakeBeckon().beckon);
    expect((await handler.fetch(new Request('http://test/api/v1/profiles', { headers }))).status).toBe(401);
  });

  it('a public key is accepted in the query of a batch of type text/plain', async () => {
    const { send, scope } = make();
    const { status } = await send('', '/events/batch?key=pk_prod_one', { batch: [] }, 'text/plain;charset=UTF-8');
    expect(status).toBe(200);
    expect(scope()).toEqual({ orgId: ORG_A, projectId: PROJECT_1, environment: 'prod' });
  });

  it('a key in the query of any other route is answered 401, and so is a secret or repeated key there', async () => {
    const { send, calls } = make();
    expect((await send('', '/events?key=pk_prod_one', {})).status).toBe(401);
    expect((await send('', '/identify?key=pk_prod_one', {})).status).toBe(401);
    expect((await send('', '/profiles?key=sk_prod_one')).status).toBe(401);
    expect((await send('', '/events/batch?key=sk_prod_one', {})).status).toBe(401);
    expect((await send('', '/events/batch?key=', {})).status).toBe(401);
    expect((await send('', '/events/batch?key=pk_prod_one&key=pk_prod_one', {})).status).toBe(401);
    expect(calls).toEqual([]);
  });

  it('a secret key in a query is logged by its id, never by its value', async () => {
    const warned: unknown[] = [];
    const log = { info: () => {}, warn: (...given: unknown[]) => void warned.push(given), error: () => {} };
    const handler = createHandler(fakeBeckon().beckon, { log });
    const beacon = (key: string) =>
      handler.fetch(new Request(`http://test/api/v1/events/batch?key=${key}`, { method: 'POST', body: '{}' }));
    expect((await beacon('sk_prod_one')).status).toBe(401);
    expect(warned).toEqual([[{ keyId: 'key-1', code: 'UNAUTHORIZED' }, expect.not.stringContaining('sk_prod_one')]]);
    await beacon('pk_prod_one');
    await beacon('sk_prod_other');
    expect(warned).toHaveLength(1);
  });

  it('a key in both header and query is answered 400', async () => {
    const { send } = make();
    expect(await send('pk_prod_one', '/events/batch?key=pk_prod_one', {})).toEqual({ status: 400, fields: ['key'] });
  });

  it('the key determines the environment', async () => {
    const { send, scope } = make();
    await send('sk_test_one', '/profiles');
    expect(scope()?.environment).toBe('test');
  });
});

describe('organization of a request', () => {
  it('a key with one organization determines it, on both paths', async () => {
    const { send, scope } = make();
    await send('sk_prod_one', '/profiles');
    expect(scope()?.orgId).toBe(ORG_A);
    await send('sk_prod_one', `/orgs/${ORG_A}/profiles`);
    expect(scope()?.orgId).toBe(ORG_A);
  });

  it('an organization without a grant is answered 404', async () => {
    const { send, calls } = make();
    for (const org of [ORG_B, 'nothing', ORG_A.toUpperCase()]) {
      expect((await send('sk_prod_one', `/orgs/${org}/profiles`)).status, org).toBe(404);
    }
    expect(calls).toEqual([]);
  });

  it('a key with several organizations requires one in the path', async () => {
    const { send, scope } = make();
    expect(await send('sk_prod_orgs', '/profiles')).toEqual({ status: 400, fields: ['orgId'] });
    expect(await send('sk_prod_orgs', '/events', {})).toEqual({ status: 400, fields: ['orgId'] });
    await send('sk_prod_orgs', `/orgs/${ORG_B}/profiles`);
    expect(scope()).toMatchObject({ orgId: ORG_B, projectId: PROJECT_2 });
  });
});

describe('project of a request', () => {
  it('a key with one project determines it, and may name it', async () => {
    const { send, scope } = make();
    for (const path of ['/profiles', `/profiles?projectId=${PROJECT_1}`]) {
      expect((await send('sk_prod_one', path)).status).toBe(200);
      expect(scope()?.projectId).toBe(PROJECT_1);
    }
  });

  it('a project that the key does not cover is answered 404', async () => {
    const { send, calls } = make();
    expect((await send('sk_prod_one', `/profiles?projectId=${PROJECT_2}`)).status).toBe(404);
    expect((await send('sk_prod_one', '/events', { projectId: PROJECT_2 })).status).toBe(404);
    expect((await send('sk_prod_projects', '/profiles?projectId=nothing')).status).toBe(404);
    expect((await send('sk_prod_orgs', `/orgs/${ORG_A}/profiles?projectId=${PROJECT_2}`)).status).toBe(404);
    expect((await send('sk_prod_all', '/profiles?projectId=nothing')).status).toBe(404);
    expect((await send('sk_prod_all', '/profiles?projectId=*')).status).toBe(404);
    expect(calls).toEqual([]);
  });

  it('a key with several projects requires one in the query or the body', async () => {
    const { send, scope } = make();
    for (const key of ['sk_prod_projects', 'sk_prod_all']) {
      expect(await send(key, '/profiles')).toEqual({ status: 400, fields: ['projectId'] });
      await send(key, `/profiles?projectId=${PROJECT_2}`);
      expect(scope()?.projectId).toBe(PROJECT_2);
      await send(key, '/email/send', { projectId: PROJECT_1, subject: 'Hello' });
      expect(scope()?.projectId).toBe(PROJECT_1);
    }
  });

  it('projectId is removed from the body', async () => {
    const { send, calls } = make();
    await send('sk_prod_one', '/email/send', { projectId: PROJECT_1, subject: 'Hello' });
    expect(calls.at(-1)?.args[1]).toEqual({ subject: 'Hello' });
  });

  it('projectId stays in a bundle, whose whole body belongs to the engine', async () => {
    const { send, calls } = make();
    const body = { version: 1, projectId: PROJECT_2 };
    await send('sk_prod_one', '/automation/workflows/import', body);
    expect(calls.at(-1)?.args[1]).toEqual(body);
    expect((await send('sk_prod_projects', '/automation/workflows/import', body)).fields).toEqual(['projectId']);
  });

  it('a projectId that is no text, repeated or contradictory is rejected', async () => {
    const { send } = make();
    const wrong = { status: 400, fields: ['projectId'] };
    expect(await send('sk_prod_projects', '/events', { projectId: 7 })).toEqual(wrong);
    expect(await send('sk_prod_projects', '/profiles?projectId=a&projectId=b')).toEqual(wrong);
    expect(await send('sk_prod_projects', `/events?projectId=${PROJECT_1}`, { projectId: PROJECT_2 })).toEqual(wrong);
  });

  it('projectId may be in both query and body if they are equal', async () => {
    const { send, scope } = make();
    expect((await send('sk_prod_projects', `/events?projectId=${PROJECT_2}`, { projectId: PROJECT_2 })).status).toBe(
      200,
    );
    expect(scope()?.projectId).toBe(PROJECT_2);
  });

  it('a route of the whole organization needs no project', async () => {
    const { send } = make();
    expect((await send('sk_prod_projects', '/api-keys')).status).toBe(200);
  });

  it('a key without grants is answered 404', async () => {
    const { send } = make({ tenancy: { authenticate: async () => ({ ...principal(), grants: [] }) } });
    expect((await send('any', '/profiles')).status).toBe(404);
  });
});

describe('outbox routes', () => {
  it('the outbox does not exist for a prod key, whatever its scopes', async () => {
    const { send } = make();
    expect((await send('sk_prod_one', '/sandbox/messages')).status).toBe(404);
    expect((await send('sk_prod_nothing', '/sandbox/messages')).status).toBe(404);
  });

  it('the outbox requires the scope of the channel', async () => {
    const only = { ...principal({ environment: 'test' }), scopes: new Set<KeyScope>(['sms:read']) };
    const { send, calls } = make({ tenancy: { authenticate: async () => only } });
    expect((await send('any', '/sandbox/messages')).status).toBe(403);
    expect((await send('any', '/sandbox/messages?channel=push')).status).toBe(403);
    expect((await send('any', '/sandbox/messages?channel=sms&userId=u')).status).toBe(200);
    expect(calls.at(-1)?.args[1]).toMatchObject({ channel: 'sms', userId: 'u', limit: 50 });
  });

  it('the outbox shows email by default, and has three channels', async () => {
    const { send, calls } = make();
    expect(KEYS['sk_test_one']?.environment).toBe('test');
    expect((await send('sk_test_one', '/sandbox/messages')).status).toBe(200);
    expect(calls.at(-1)?.args[1]).toMatchObject({ channel: 'email' });
    expect(await send('sk_test_one', '/sandbox/messages?channel=fax')).toEqual({ status: 400, fields: ['channel'] });
  });
});
