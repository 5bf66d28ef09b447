import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import type { StorageObserver } from '../database/observer.ts';
import { virtualClock } from '../foundation/clock.ts';
import { newMasterKey } from '../foundation/secrets.ts';
import type { Beckon } from './api.ts';
import { createBeckon } from './create.ts';

describe('erasure of a user beside a worker', () => {
  const clock = virtualClock('2026-03-01T10:00:00.000Z');
  const masterKey = newMasterKey();
  let database: TestDatabase;
  const all: Beckon[] = [];
  beforeEach(async () => {
    database = await openTestDatabase();
  });
  afterEach(async () => {
    for (const one of all.splice(0)) await one.close();
    await database.close();
  });

  const open = async (observer: StorageObserver): Promise<Beckon> => {
    const beckon = await createBeckon({ db: database.url, masterKey, clock }, { observer });
    all.push(beckon);
    return beckon;
  };

  it('erasure removes what a run of the user sends to others meanwhile', async () => {
    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let isSending = false;
    const worker = await open({
      statement: (id) => {
        isSending ||= id === 'sending.insert_send';
      },
      beforeCommit: async () => {
        if (!isSending) return;
        reached.resolve();
        await released.promise;
      },
    });
    const eraser = await open({
      statement: (_, __, text) => {
        if (text.startsWith('delete from "runs"')) setImmediate(() => released.resolve());
      },
    });
    const org = await worker.tenancy.createOrg({ name: 'Acme' });
    const project = await worker.tenancy.createProject({ orgId: org.id, name: 'App' });
    const names = { orgId: org.id, projectId: project.id, environment: 'test' } as const;
    const scope = await worker.tenancy.scope(names);
    await worker.workflows.importBundle(scope, {
      version: 1,
      exportedAt: '2026-01-01T00:00:00.000Z',
      workflows: [
        {
          name: 'Order',
          description: null,
          isActive: true,
          trigger: { eventType: 'ordered' },
          steps: [
            { type: 'send_email', config: { to: 'office@shop.example', subject: 'Order', text: 'Of {{event.to}}' } },
          ],
        },
      ],
    });
    const order = { module: 'shop', eventType: 'ordered', userId: 'ann', properties: { to: 'Zebra Street' } };
    await worker.events.track(scope, order);
    const working = worker.worker.drain();
    await reached.promise;
    await eraser.profiles.erase(await eraser.tenancy.scope(names), 'ann');
    await Promise.all([eraser.worker.drain(), working]);
    await eraser.worker.drain();
    expect(await database.storage.db.select().from(database.tables.sends)).toEqual([]);
    expect(await database.storage.db.select().from(database.tables.outboxMessages)).toEqual([]);
  });
});
