import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { createBeckon } from '../../app/create.ts';
import { virtualClock } from '../../foundation/clock.ts';
import { newMasterKey } from '../../foundation/secrets.ts';

describe('two processes that evaluate one profile', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await openTestDatabase();
  });
  afterEach(() => database.close());

  it('concurrent evaluations leave the correct memberships, whichever commits last', async () => {
    const clock = virtualClock('2026-03-01T12:00:00.000Z');
    const masterKey = newMasterKey();
    const open = () => createBeckon({ db: database.url, masterKey, clock });
    const [one, other] = [await open(), await open()];
    try {
      const { id: orgId } = await one.tenancy.createOrg({ name: 'Acme' });
      const { id: projectId } = await one.tenancy.createProject({ orgId, name: 'App' });
      const names = { orgId, projectId, environment: 'test' } as const;
      const [scope, same] = [await one.tenancy.scope(names), await other.tenancy.scope(names)];
      const predicate = [
        { trait: 'a', op: 'eq', value: 1 },
        { trait: 'b', op: 'eq', value: 1 },
        { event: 'order', op: 'performed' },
      ] as const;
      const { id } = await one.audiences.create(scope, { name: 'Both', predicate });
      for (const ms of [0, 6_000, 60_000, 60_000]) {
        clock.advance(ms);
        await one.worker.drain();
      }
      const order = { module: 'm', eventType: 'order' };
      for (let round = 0; round < 20; round += 1) {
        const userId = `u${round}`;
        await Promise.all([
          one.events.identify(scope, { userId, traits: { a: 1 } }),
          other.events.identify(same, { userId, traits: { b: 1 } }),
          ...[one.events.track(scope, { ...order, userId }), other.events.track(same, { ...order, userId })],
        ]);
      }
      await one.worker.drain();
      expect((await one.audiences.get(scope, id)).memberCount).toBe(20);
      await Promise.all(
        Array.from({ length: 20 }, (_, at) => [
          one.events.identify(scope, { userId: `u${at}`, traits: { a: at % 2 } }),
          other.events.identify(same, { userId: `u${at}`, traits: { b: 1, c: at } }),
        ]).flat(),
      );
      await one.worker.drain();
      expect((await one.audiences.get(scope, id)).memberCount).toBe(10);
    } finally {
      await other.close();
      await one.close();
    }
  });
});
