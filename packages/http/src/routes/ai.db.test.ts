import { type Beckon, createBeckon, newMasterKey, virtualClock } from '@beckon/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../core/test/support/database.ts';
import { createHandler, type Handler } from '../create-handler.ts';

const CANARY = 'sk-canary-of-the-key';
const PATH = '/automation/ai/settings';
const BODY = {
  wire: 'anthropic',
  key: CANARY,
  models: { decide: 'small' },
  prices: { small: { input: 1, output: 2 } },
};

describe('/automation/ai/settings', () => {
  const clock = virtualClock('2026-03-01T12:00:00.000Z');
  let database: TestDatabase;
  let beckon: Beckon;
  let handler: Handler;
  let orgId: string;
  let projects: string[];

  beforeAll(async () => {
    database = await openTestDatabase();
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), clock });
    handler = createHandler(beckon, { clock });
    orgId = (await beckon.tenancy.createOrg({ name: 'Acme' })).id;
    const make = async (name: string) => (await beckon.tenancy.createProject({ orgId, name })).id;
    projects = [await make('App'), await make('Shop')];
  });
  afterAll(async () => {
    await beckon.close();
    await database.close();
  });

  const keyOf = async (projectIds: readonly string[], scopes?: readonly ('workflows:read' | 'workflows:write')[]) => {
    const grants = projectIds.map((projectId) => ({ orgId, projectId }));
    return (await beckon.tenancy.createKey({ kind: 'secret', environment: 'prod', grants, ...(scopes && { scopes }) }))
      .secret;
  };
  const ask = async (method: string, key: string, body?: object, path = PATH) => {
    const response = await handler.fetch(
      new Request(`http://test/api/v1${path}`, {
        method,
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    expect(text).not.toContain('canary');
    const { data, error } = JSON.parse(text);
    return { status: response.status, data, error };
  };

  it("AI settings set, return and delete the organization's model key, never showing the key itself", async () => {
    const key = await keyOf(['*']);
    expect((await ask('GET', key)).data).toMatchObject({ configured: false, wire: null, sharedTokens: { today: 0 } });
    const set = await ask('PUT', key, BODY);
    expect(set).toMatchObject({
      status: 200,
      data: {
        configured: true,
        baseUrl: 'https://api.anthropic.com/v1',
        lastFour: CANARY.slice(-4),
        models: { decide: 'small' },
        prices: BODY.prices,
        updatedAt: '2026-03-01T12:00:00.000Z',
      },
    });
    expect((await ask('GET', key, undefined, `/orgs/${orgId}${PATH}`)).data).toEqual(set.data);
    expect(JSON.stringify(await database.storage.db.select().from(database.tables.aiSettings))).not.toContain('canary');
    expect(await ask('DELETE', key)).toMatchObject({ status: 200, data: { configured: false, lastFour: null } });
  });

  it('invalid AI settings report each invalid field, and change nothing', async () => {
    const key = await keyOf(['*']);
    const wrong = await ask('PUT', key, { ...BODY, wire: 'morse', baseUrl: 'x', extra: 1 });
    expect(wrong).toMatchObject({ status: 400, error: { code: 'VALIDATION_ERROR' } });
    expect(Object.keys(wrong.error.details.fieldErrors).sort()).toEqual(['baseUrl', 'extra', 'wire']);
    const inside = await ask('PUT', key, { ...BODY, baseUrl: 'https://169.254.169.254/v1' });
    expect([inside.status, Object.keys(inside.error.details.fieldErrors)]).toEqual([400, ['baseUrl']]);
    expect((await ask('GET', key)).data.configured).toBe(false);
  });

  it('a key for 201 projects covers the organization until it has one more project', async () => {
    const { id: other } = await beckon.tenancy.createOrg({ name: 'Many projects' });
    const grants = [];
    for (let count = 0; count < 201; count++)
      grants.push({ orgId: other, projectId: (await beckon.tenancy.createProject({ orgId: other, name: 'P' })).id });
    const { secret } = await beckon.tenancy.createKey({ kind: 'secret', environment: 'prod', grants });
    const path = `/orgs/${other}${PATH}`;
    expect((await ask('DELETE', secret, undefined, path)).status).toBe(200);
    await beckon.tenancy.createProject({ orgId: other, name: 'P' });
    expect((await ask('DELETE', secret, undefined, path)).status).toBe(403);
  });

  it('AI settings are changed by a key with all projects of the organization, and read by any key', async () => {
    const one = await keyOf([projects[0] ?? '']);
    for (const [method, body] of [
      ['PUT', BODY],
      ['DELETE', undefined],
    ] as const)
      expect(await ask(method, one, body)).toMatchObject({ status: 403, error: { code: 'FORBIDDEN' } });
    expect((await ask('GET', one)).data).toMatchObject({ configured: false });
    expect((await ask('PUT', await keyOf(projects), BODY)).status).toBe(200);
    expect((await ask('DELETE', await keyOf(['*']))).status).toBe(200);
  });

  it('AI settings are read with workflows:read and changed with workflows:write', async () => {
    const reader = await keyOf(['*'], ['workflows:read']);
    const writer = await keyOf(['*'], ['workflows:write']);
    expect((await ask('GET', reader)).status).toBe(200);
    const refused = { status: 403, error: { code: 'scope_required' } };
    expect(await ask('PUT', reader, BODY)).toMatchObject(refused);
    expect(await ask('DELETE', reader)).toMatchObject(refused);
    expect(await ask('GET', writer)).toMatchObject(refused);
    expect((await ask('DELETE', writer)).status).toBe(200);
  });
});
