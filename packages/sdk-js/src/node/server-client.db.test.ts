import { type Beckon, createBeckon, newMasterKey, virtualClock } from '@beckon/core';
import { createHandler } from '@beckon/http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../core/test/support/database.ts';
import { ApiError, fieldErrors } from '../errors.ts';
import type { ServerClient } from './client-types.ts';
import { createServerClient } from './server-client.ts';

const clock = virtualClock('2026-03-01T12:00:00.000Z');

describe('createServerClient with a real service', () => {
  let database: TestDatabase;
  let beckon: Beckon;
  let where: { orgId: string; projectId: string };
  let clientWith: (options?: { orgId?: string; projectId?: string }) => ServerClient;

  beforeAll(async () => {
    database = await openTestDatabase();
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), clock });
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    const projects = [];
    for (const name of ['Shop', 'Blog']) projects.push(await beckon.tenancy.createProject({ orgId, name }));
    const grants = projects.map(({ id: projectId }) => ({ orgId, projectId }));
    where = { orgId, projectId: projects[0]?.id ?? '' };
    const { secret: apiKey } = await beckon.tenancy.createKey({ kind: 'secret', environment: 'test', grants });
    const handler = createHandler(beckon, { clock });
    const fetch: typeof globalThis.fetch = async (url, init) => handler.fetch(new Request(url, init));
    clientWith = (options) => createServerClient({ apiKey, baseUrl: 'http://engage.example', fetch, ...options });
  });
  afterAll(async () => {
    await beckon.close();
    await database.close();
  });

  it('the server client runs from user and event to send, lists and erasure, in both path shapes', async () => {
    for (const client of [clientWith(where), clientWith({ projectId: where.projectId })]) {
      expect(await client.events.identify({ userId: 'ada', traits: { email: 'ada@example.com' } })).toMatchObject({
        accepted: true,
      });
      const event = { module: 'shop', eventType: 'cart.filled', userId: 'ada', properties: { price: 39 } };
      const batch = await client.events.batch({ batch: [event, event, event] });
      expect(batch).toMatchObject({ accepted: 3, duplicates: 0, rejected: [] });
      const { id } = await client.events.track(event);
      expect(await client.events.get(id)).toMatchObject({ id, eventType: 'cart.filled', workflows: [] });

      const types: string[] = [];
      for await (const row of client.profiles.events('ada', { limit: 2 })) types.push(row.eventType);
      expect(types.filter((type) => type === 'cart.filled')).toHaveLength(4);

      const mail = { userIds: ['ada'], from: 'shop@example.com', subject: 'Hello', text: 'Hi' };
      const options = { idempotencyKey: 'hello-1' };
      const first = await client.email.send(mail, options);
      expect(await client.email.send(mail, options)).toEqual(first);
      const { data } = await client.email.sends.list({ limit: 200 }).page();
      expect(data.map((send) => send.id)).toEqual('id' in first ? [first.id] : []);

      const audience = await client.audiences.create({ name: 'Friends', kind: 'static' });
      expect(await client.audiences.addMembers(audience.id, { userIds: ['ada'] })).toMatchObject({ added: 1 });
      await client.audiences.removeMembers(audience.id, { userIds: ['ada'] });
      await client.audiences.delete(audience.id);
      expect(await client.alive()).toBeDefined();
      expect(await client.openApi()).toHaveProperty('openapi');
      const { erasureId } = await client.profiles.erase('ada');
      expect(await client.profiles.erasure(erasureId)).toHaveProperty('status');
      await beckon.worker.drain();
      clock.advance(25 * 3_600_000);
    }
  });

  it("the server client throws the service's error with its field errors", async () => {
    const client = clientWith(where);
    const error = await client.events.track({ module: '', eventType: 'x', userId: 'ada' }).catch((cause) => cause);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 400, code: 'VALIDATION_ERROR', requestId: expect.any(String) });
    expect(Object.keys(fieldErrors(error))).toEqual(['module']);
    await expect(client.profiles.get('nobody')).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' });
  });
});
