import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { backupDatabase, createBeckon, newMasterKey, type Scope, WrongMasterKey } from '../../src/index.ts';
import { DAY_MS, openService, type Service, type World } from './world.ts';

const NOT_FOUND = { code: 'NOT_FOUND' };

describe('tenancy', () => {
  let service: Service;
  let world: World;
  beforeAll(async () => {
    service = await openService();
  });
  beforeEach(async () => {
    world = await service.world();
  });
  afterAll(() => service.close());

  const identify = (scope: Scope, userId = 'ann') =>
    world.beckon.events.identify(scope, { userId, traits: { email: `${userId}@example.com` } });
  const key = (of: Scope, more: object = {}) => {
    const { orgId, projectId, environment } = of;
    const grants = [{ orgId, projectId }];
    return world.beckon.tenancy.createKey({ kind: 'secret', environment, grants, ...more });
  };

  it('users, events and sends of another organization or environment are invisible', async () => {
    await identify(world.prod);
    const sendId = await world.mail({ userIds: ['ann'] });
    await world.pass();
    for (const scope of [world.other, world.test]) {
      expect((await world.beckon.profiles.list(scope)).data).toEqual([]);
      expect((await world.beckon.events.list(scope)).data).toEqual([]);
      expect((await world.beckon.sends.list(scope, 'email')).data).toEqual([]);
      await expect(world.beckon.profiles.get(scope, 'ann')).rejects.toMatchObject(NOT_FOUND);
      await expect(world.beckon.sends.get(scope, 'email', sendId)).rejects.toMatchObject(NOT_FOUND);
      await expect(world.beckon.sends.cancel(scope, 'email', sendId)).rejects.toMatchObject(NOT_FOUND);
    }
    expect((await world.beckon.profiles.list(world.prod)).data).toHaveLength(1);
  });

  it("another organization's data cannot be changed or deleted", async () => {
    const { beckon, prod, other } = world;
    const { id } = await beckon.webhooks.create(prod, { url: world.hook, events: ['user.identified'] });
    await expect(beckon.webhooks.update(other, id, { isActive: false })).rejects.toMatchObject(NOT_FOUND);
    await expect(beckon.webhooks.delete(other, id)).rejects.toMatchObject(NOT_FOUND);
    const audience = await beckon.audiences.create(prod, {
      name: 'A',
      predicate: { trait: 'plan', op: 'eq', value: 1 },
    });
    await expect(beckon.audiences.delete(other, audience.id)).rejects.toMatchObject(NOT_FOUND);
    expect(await beckon.webhooks.get(prod, id)).toMatchObject({ isActive: true });
    expect(await beckon.audiences.get(prod, audience.id)).toMatchObject({ name: 'A' });
  });

  it('a scope that the service did not create is rejected', async () => {
    // Safe for the test: the same fields, but no scope of the service.
    const madeUp = { ...world.prod } as Scope;
    await expect(world.beckon.profiles.list(madeUp)).rejects.toThrow();
  });

  it('message ids and anonymous ids of different tenants are independent', async () => {
    const event = { module: 'm', eventType: 'seen', anonymousId: 'browser', messageId: 'm1' };
    await Promise.all([world.prod, world.other].map((scope) => world.beckon.events.track(scope, event)));
    await world.beckon.events.identify(world.prod, { userId: 'ann', anonymousId: 'browser', traits: {} });
    await world.pass();
    await world.beckon.events.track(world.other, { ...event, messageId: 'm2' });
    await world.pass();
    expect((await world.beckon.events.list(world.other)).data.map(({ userId }) => userId)).toEqual([null, null]);
    await expect(world.beckon.profiles.get(world.other, 'ann')).rejects.toMatchObject(NOT_FOUND);
  });

  it('an idempotency key is valid for its own organization only', async () => {
    const body = { to: 'ann@example.com', from: 'us@example.com', subject: 's', text: 't' };
    const call = async (scope: Scope) =>
      world.idOf(await world.beckon.email.send(scope, body, { idempotencyKey: 'once' }));
    const first = await call(world.prod);
    expect(await call(world.prod)).toBe(first);
    expect(await call(world.other)).not.toBe(first);
  });

  it('a key acts within its grants only', async () => {
    const { tenancy } = world.beckon;
    const { secret } = await key(world.prod);
    const principal = await tenancy.authenticate(secret);
    if (!principal) throw new Error('the key is not known');
    expect(await tenancy.scopeFor(principal, {})).toEqual(world.prod);
    const { orgId, projectId } = world.other;
    const { id: second } = await tenancy.createProject({ orgId: world.prod.orgId, name: 'Second' });
    for (const filter of [{ orgId }, { orgId, projectId }, { projectId }, { projectId: second }])
      await expect(tenancy.scopeFor(principal, filter)).rejects.toMatchObject(NOT_FOUND);
  });

  it('a revoked or expired key is rejected', async () => {
    const { tenancy } = world.beckon;
    const revoked = await key(world.prod);
    const expiring = await key(world.prod, { expiresAt: new Date(world.clock.now().getTime() + DAY_MS) });
    for (const { secret } of [revoked, expiring]) expect(await tenancy.authenticate(secret)).not.toBeNull();
    await tenancy.revokeKey(revoked.key.id);
    expect(await tenancy.authenticate(revoked.secret)).toBeNull();
    world.clock.advance(DAY_MS);
    expect(await tenancy.authenticate(expiring.secret)).toBeNull();
  });

  it("listing keys shows those of the caller's environment and grants only", async () => {
    const { tenancy } = world.beckon;
    const own = await key(world.prod);
    await key(world.test);
    await key(world.other);
    const { orgId, projectId, environment } = world.prod;
    const { data: listed } = await tenancy.listKeys({ reader: { environment, grants: [{ orgId, projectId }] } });
    expect(listed.map(({ id }) => id)).toEqual([own.key.id]);
  });

  it('a cursor is bound to the tenant of its list', async () => {
    for (const scope of [world.prod, world.other]) for (const name of ['ann', 'ben']) await identify(scope, name);
    for (const list of [world.beckon.profiles.list, world.beckon.events.list]) {
      const { pagination } = await list(world.prod, { limit: 1 });
      expect(pagination.hasMore).toBe(true);
      await expect(list(world.other, { limit: 1, cursor: pagination.nextCursor ?? '' })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      });
    }
  });

  it('no secret is readable in the tables or returned again', async () => {
    const { beckon, test } = world;
    const password = `hush-${test.projectId}`;
    await beckon.settings.update(test, 'email', {
      smtp: { host: 'mail.test', port: 25, user: 'u', password, from: 'a@x.test' },
    });
    const { secret } = await beckon.webhooks.create(test, { url: world.hook, events: ['user.identified'] });
    await beckon.secrets.set(test, 'TOKEN', { value: `${password}-token` });
    const { secret: apiKey } = await key(test);
    const file = join(world.folder, `${test.projectId}.backup`);
    await backupDatabase({ db: world.url, file });
    const shown = JSON.stringify([
      await beckon.settings.get(test, 'email'),
      await beckon.webhooks.list(test),
      await beckon.secrets.list(test),
      await beckon.tenancy.listKeys(),
    ]);
    const kept = (await readFile(file)).toString('latin1');
    expect(kept).toContain(test.projectId);
    for (const plain of [password, secret.slice(6), apiKey]) {
      expect(kept.includes(plain)).toBe(false);
      expect(shown).not.toContain(plain);
    }
    expect(Object.keys((await beckon.settings.get(test, 'email')).smtp).toSorted()).toEqual([
      'configured',
      'lastFour',
      'provider',
      'updatedAt',
      'verifiedAt',
      'version',
    ]);
  });

  it('the service does not start with another master key', async () => {
    await expect(createBeckon({ db: world.url, masterKey: newMasterKey() })).rejects.toThrow(WrongMasterKey);
  });

  it('an address that another organization suppressed is not revealed', async () => {
    await world.beckon.suppressions.add(world.other, 'email', { address: 'ann@example.com' });
    const id = await world.mail({ to: 'ann@example.com' });
    await world.pass();
    expect(await world.messageOf('email', id)).toMatchObject({ status: 'sent' });
    expect((await world.beckon.suppressions.list(world.prod, 'email')).data).toEqual([]);
  });
});
