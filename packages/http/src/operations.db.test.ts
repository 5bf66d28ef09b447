import { type Beckon, createBeckon, newMasterKey, type Scope, virtualClock } from '@beckon/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../core/test/support/database.ts';
import { callOperation } from './index.ts';

const NOW = '2026-03-01T12:00:00.000Z';
/** More than the email sends per minute of an organization on probation. Source: contract, Rate limits. */
const MORE_THAN_A_MINUTE_TAKES = 12;

describe('operations with a local database', () => {
  let database: TestDatabase;
  let beckon: Beckon;
  let scope: Scope;
  beforeEach(async () => {
    database = await openTestDatabase();
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), clock: virtualClock(NOW) });
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
  });
  afterEach(async () => {
    await beckon.close();
    await database.close();
  });

  it('a local operation returns what an HTTP client reads, with times as text', async () => {
    const body = { name: 'Shop', lat: 1, lng: 2, radiusMeters: 100 };
    const { data } = await callOperation(beckon, scope, 'POST /push/geofences', { body });
    expect(data).toMatchObject({ name: 'Shop', createdAt: NOW });
    const page = await callOperation(beckon, scope, 'GET /push/geofences', { query: { limit: 1, cursor: undefined } });
    expect(page).toEqual({ data: [data], pagination: { limit: 1, hasMore: false, nextCursor: null }, etag: null });
    const { etag } = await callOperation(beckon, scope, 'GET /automation/workflows/export');
    expect(etag).toMatch(/^[^"]+$/);
  });

  it('a local operation fills in the path and fails like the engine', async () => {
    const params = { userId: '..' };
    await expect(callOperation(beckon, scope, 'GET /profiles/{userId}', { params })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await beckon.events.identify(scope, { userId: '..', traits: {} });
    const { data } = await callOperation(beckon, scope, 'GET /profiles/{userId}', { params });
    expect(data).toMatchObject({ userId: '..' });
    await expect(callOperation(beckon, scope, 'POST /push/geofences', { body: {} })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });

  it('a local operation changes settings of an organization and has no rate limit', async () => {
    const body = { wire: 'openai', key: null, models: {} };
    const { data } = await callOperation(beckon, scope, 'PUT /automation/ai/settings', { body });
    expect(data).toMatchObject({ configured: true });
    await beckon.limits.setEmailProbation(scope.orgId, true);
    const mail = { to: 'ada@example.com', subject: 'Hi', text: 'There' };
    for (let sent = 0; sent < MORE_THAN_A_MINUTE_TAKES; sent += 1)
      await callOperation(beckon, scope, 'POST /email/send', { body: mail });
  });

  it('a route without keys and an unknown route are no local operations', async () => {
    for (const operation of ['GET /healthz', 'GET /nothing'])
      await expect(callOperation(beckon, scope, operation)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
