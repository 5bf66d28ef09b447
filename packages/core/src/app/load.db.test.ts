import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { type Beckon, createBeckon, newMasterKey, type Scope, virtualClock } from '../index.ts';

describe('load of a service', () => {
  const clock = virtualClock('2026-03-01T12:00:00.000Z');
  let database: TestDatabase;
  let beckon: Beckon;
  let scope: Scope;
  let folder: string;
  beforeEach(async () => {
    // A file, so that the test can change rows directly.
    folder = mkdtempSync(join(tmpdir(), 'beckon-load-'));
    database = await openTestDatabase({ clock, url: `sqlite:${join(folder, 'beckon.db')}` });
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), clock });
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
  });
  afterEach(async () => {
    await beckon.close();
    await database.close();
    rmSync(folder, { recursive: true });
  });

  it('lagMs is the wait of the first single message, and ignores messages of bulk sends', async () => {
    expect(await beckon.load.lagMs()).toBe(0);
    await beckon.events.identify(scope, { userId: 'ann', traits: { email: 'ann@example.com' } });
    await beckon.email.send(scope, { subject: 's', text: 't', userIds: ['ann'] });
    clock.advance(90_000);
    expect(await beckon.load.lagMs()).toBe(90_000);
    const { storage, tables } = database;
    await storage.db.update(tables.messages).set({ priority: 1 });
    expect(await beckon.load.lagMs()).toBe(0);
    await storage.db.update(tables.messages).set({ priority: 0 });
    // A worker has leased it.
    await storage.db.update(tables.messages).set({ leaseUntil: new Date(clock.now().getTime() + 1) });
    expect(await beckon.load.lagMs()).toBe(0);
    clock.advance(10_000);
    expect(await beckon.load.lagMs()).toBe(100_000);
    await beckon.worker.drain();
    expect(await beckon.load.lagMs()).toBe(0);
  });

  it("lagMs includes the wait of a run's first step", async () => {
    await beckon.workflows.create(scope, {
      name: 'w',
      isActive: true,
      trigger: { eventType: 'ordered' },
      steps: [{ type: 'send_email', config: { subject: 's', text: 't' } }],
    });
    clock.advance(5_000);
    await beckon.events.track(scope, { module: 'm', eventType: 'ordered', userId: 'ann' });
    clock.advance(60_000);
    expect(await beckon.load.lagMs()).toBe(60_000);
  });

  it('an idle lagMs is answered from memory', () => {
    expect(beckon.load.current()).toEqual({ databaseWaitMs: 0, ingestFilled: 0 });
  });
});
