import { type Beckon, createBeckon, newMasterKey, type Scope, virtualClock } from '@beckon/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../core/test/support/database.ts';
import { callOperation } from './index.ts';

const NOW = '2026-03-01T12:00:00.000Z';
/** Requests for mail per minute of an org on probation, and more. Source: contract, Rate limits. */
const MORE_THAN_A_MINUTE_TAKES = 12;

describe('an operation where the database is', () => {
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

  it('answers what a client of the interface reads, with times as text', async () => {
    const body = { name: 'Shop', lat: 1, lng: 2, radiusMeters: 100 };
    const { data } = await callOperation(beckon, scope, 'POST /push/geofences', { body });
    expect(data).toMatchObject({ name: 'Shop', createdAt: NOW });
    const page = await callOperation(beckon, scope, 'GET /push/geofences', { query: { limit: 1, cursor: undefined } });
    expect(page).toEqual({ data: [data], pagination: { limit: 1, hasMore: false, nextCursor: null }, etag: null });
    const { etag } = await callOperation(beckon, scope, 'GET /automation/workflows/export');
    expect(etag).toMatch(/^[^"]+$/);
  });

  it('fills the path in, and fails as the engine fails', async () => {
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

  it('changes what a whole org sets, and meets no rate limit', async () => {
    const body = { wire: 'openai', key: null, models: {} };
    const { data } = await callOperation(beckon, scope, 'PUT /automation/ai/settings', { body });
    expect(data).toMatchObject({ configured: true });
    await beckon.limits.setEmailProbation(scope.orgId, true);
    const mail = { to: 'ada@example.com', subject: 'Hi', text: 'There' };
    for (let sent = 0; sent < MORE_THAN_A_MINUTE_TAKES; sent += 1)
      await callOperation(beckon, scope, 'POST /email/send', { body: mail });
  });

  it('does not exist for a route that is not for keys, or that is none', async () => {
    for (const operation of ['GET /healthz', 'GET /nothing'])
      await expect(callOperation(beckon, scope, operation)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
