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
    // Proof of the cast: every answer but a preflight is the envelope.
    const json = (await response.json()) as { error?: { details?: { fieldErrors?: Record<string, string[]> } } };
    return { status: response.status, fields: Object.keys(json.error?.details?.fieldErrors ?? {}) };
  };
  /** The scope that the last engine call was given. Proof of the cast: it is every engine's first argument. */
  const scope = () => calls.at(-1)?.args[0] as Scope | undefined;
  return { send, scope, calls };
};

describe('the key of a request', () => {
  it('is refused with 401 when it is missing, empty, unknown or of another case', async () => {
    const { send, calls } = make();
    for (const key of ['', ' ', 'sk_prod_other', 'SK_PROD_ONE', 'constructor', 'sk_prod_one, sk_prod_one']) {
      expect((await send(key, '/profiles')).status, key).toBe(401);
    }
    expect(calls).toEqual([]);
  });

  it('may not be given twice', async () => {
    const headers = new Headers();
    headers.append('x-api-key', 'sk_prod_one');
    headers.append('x-api-key', 'sk_prod_one');
    const handler = createHandler(fakeBeckon().beckon);
    expect((await handler.fetch(new Request('http://test/api/v1/profiles', { headers }))).status).toBe(401);
  });

  it('may come in the query of a batch, as text, when it is public', async () => {
    const { send, scope } = make();
    const { status } = await send('', '/events/batch?key=pk_prod_one', { batch: [] }, 'text/plain;charset=UTF-8');
    expect(status).toBe(200);
    expect(scope()).toEqual({ orgId: ORG_A, projectId: PROJECT_1, environment: 'prod' });
  });

  it('is refused with 401 in the query of any other route, and there when it is secret or given twice', async () => {
    const { send, calls } = make();
    expect((await send('', '/events?key=pk_prod_one', {})).status).toBe(401);
    expect((await send('', '/identify?key=pk_prod_one', {})).status).toBe(401);
    expect((await send('', '/profiles?key=sk_prod_one')).status).toBe(401);
    expect((await send('', '/events/batch?key=sk_prod_one', {})).status).toBe(401);
    expect((await send('', '/events/batch?key=', {})).status).toBe(401);
    expect((await send('', '/events/batch?key=pk_prod_one&key=pk_prod_one', {})).status).toBe(401);
    expect(calls).toEqual([]);
  });

  it('is told to the operator by its id, and never itself, when it is secret and came in a query', async () => {
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

  it('is refused with 400 when it stands in the header and in the query', async () => {
    const { send } = make();
    expect(await send('pk_prod_one', '/events/batch?key=pk_prod_one', {})).toEqual({ status: 400, fields: ['key'] });
  });

  it('brings its environment with it', async () => {
    const { send, scope } = make();
    await send('sk_test_one', '/profiles');
    expect(scope()?.environment).toBe('test');
  });
});

describe('the org of a request', () => {
  it('comes from a key over one org, on both paths', async () => {
    const { send, scope } = make();
    await send('sk_prod_one', '/profiles');
    expect(scope()?.orgId).toBe(ORG_A);
    await send('sk_prod_one', `/orgs/${ORG_A}/profiles`);
    expect(scope()?.orgId).toBe(ORG_A);
  });

  it('is 404 without a grant', async () => {
    const { send, calls } = make();
    for (const org of [ORG_B, 'nothing', ORG_A.toUpperCase()]) {
      expect((await send('sk_prod_one', `/orgs/${org}/profiles`)).status, org).toBe(404);
    }
    expect(calls).toEqual([]);
  });

  it('must be named by a key over several', async () => {
    const { send, scope } = make();
    expect(await send('sk_prod_orgs', '/profiles')).toEqual({ status: 400, fields: ['orgId'] });
    expect(await send('sk_prod_orgs', '/events', {})).toEqual({ status: 400, fields: ['orgId'] });
    await send('sk_prod_orgs', `/orgs/${ORG_B}/profiles`);
    expect(scope()).toMatchObject({ orgId: ORG_B, projectId: PROJECT_2 });
  });
});

describe('the project of a request', () => {
  it('comes from a key over one project, which may name it', async () => {
    const { send, scope } = make();
    for (const path of ['/profiles', `/profiles?projectId=${PROJECT_1}`]) {
      expect((await send('sk_prod_one', path)).status).toBe(200);
      expect(scope()?.projectId).toBe(PROJECT_1);
    }
  });

  it('is 404 when the key does not cover it', async () => {
    const { send, calls } = make();
    expect((await send('sk_prod_one', `/profiles?projectId=${PROJECT_2}`)).status).toBe(404);
    expect((await send('sk_prod_one', '/events', { projectId: PROJECT_2 })).status).toBe(404);
    expect((await send('sk_prod_projects', '/profiles?projectId=nothing')).status).toBe(404);
    expect((await send('sk_prod_orgs', `/orgs/${ORG_A}/profiles?projectId=${PROJECT_2}`)).status).toBe(404);
    expect((await send('sk_prod_all', '/profiles?projectId=nothing')).status).toBe(404);
    expect((await send('sk_prod_all', '/profiles?projectId=*')).status).toBe(404);
    expect(calls).toEqual([]);
  });

  it('must be named by a key over several, in the query or the body', async () => {
    const { send, scope } = make();
    for (const key of ['sk_prod_projects', 'sk_prod_all']) {
      expect(await send(key, '/profiles')).toEqual({ status: 400, fields: ['projectId'] });
      await send(key, `/profiles?projectId=${PROJECT_2}`);
      expect(scope()?.projectId).toBe(PROJECT_2);
      await send(key, '/email/send', { projectId: PROJECT_1, subject: 'Hello' });
      expect(scope()?.projectId).toBe(PROJECT_1);
    }
  });

  it('is taken out of the body', async () => {
    const { send, calls } = make();
    await send('sk_prod_one', '/email/send', { projectId: PROJECT_1, subject: 'Hello' });
    expect(calls.at(-1)?.args[1]).toEqual({ subject: 'Hello' });
  });

  it('stays in a bundle, which belongs to the engine whole', async () => {
    const { send, calls } = make();
    const body = { version: 1, projectId: PROJECT_2 };
    await send('sk_prod_one', '/automation/workflows/import', body);
    expect(calls.at(-1)?.args[1]).toEqual(body);
    expect((await send('sk_prod_projects', '/automation/workflows/import', body)).fields).toEqual(['projectId']);
  });

  it('is refused when it is no text, given twice or contradicts itself', async () => {
    const { send } = make();
    const wrong = { status: 400, fields: ['projectId'] };
    expect(await send('sk_prod_projects', '/events', { projectId: 7 })).toEqual(wrong);
    expect(await send('sk_prod_projects', '/profiles?projectId=a&projectId=b')).toEqual(wrong);
    expect(await send('sk_prod_projects', `/events?projectId=${PROJECT_1}`, { projectId: PROJECT_2 })).toEqual(wrong);
  });

  it('may be given in the query and in the body where both name the same', async () => {
    const { send, scope } = make();
    expect((await send('sk_prod_projects', `/events?projectId=${PROJECT_2}`, { projectId: PROJECT_2 })).status).toBe(
      200,
    );
    expect(scope()?.projectId).toBe(PROJECT_2);
  });

  it('is not asked for by a route of the whole org', async () => {
    const { send } = make();
    expect((await send('sk_prod_projects', '/api-keys')).status).toBe(200);
  });

  it('is 404 for a key without grants', async () => {
    const { send } = make({ tenancy: { authenticate: async () => ({ ...principal(), grants: [] }) } });
    expect((await send('any', '/profiles')).status).toBe(404);
  });
});

describe('the sandbox', () => {
  it('does not exist for a prod key, whatever its scopes', async () => {
    const { send } = make();
    expect((await send('sk_prod_one', '/sandbox/messages')).status).toBe(404);
    expect((await send('sk_prod_nothing', '/sandbox/messages')).status).toBe(404);
  });

  it('asks for the scope of the channel', async () => {
    const only = { ...principal({ environment: 'test' }), scopes: new Set<KeyScope>(['sms:read']) };
    const { send, calls } = make({ tenancy: { authenticate: async () => only } });
    expect((await send('any', '/sandbox/messages')).status).toBe(403);
    expect((await send('any', '/sandbox/messages?channel=push')).status).toBe(403);
    expect((await send('any', '/sandbox/messages?channel=sms&userId=u')).status).toBe(200);
    expect(calls.at(-1)?.args[1]).toMatchObject({ channel: 'sms', userId: 'u', limit: 50 });
  });

  it('shows mail unless told otherwise, and knows three channels', async () => {
    const { send, calls } = make();
    expect(KEYS['sk_test_one']?.environment).toBe('test');
    expect((await send('sk_test_one', '/sandbox/messages')).status).toBe(200);
    expect(calls.at(-1)?.args[1]).toMatchObject({ channel: 'email' });
    expect(await send('sk_test_one', '/sandbox/messages?channel=fax')).toEqual({ status: 400, fields: ['channel'] });
  });
});
