import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { openWorld, TEST } from '../../../test/support/sends/world.ts';
import type { Beckon } from '../../app/api.ts';
import { createBeckon } from '../../app/create.ts';
import type { BundleInput } from '../../automation/workflows/api.ts';
import { CHANNELS } from '../../foundation/channel.ts';
import { virtualClock } from '../../foundation/clock.ts';
import { uuidV7Ids } from '../../foundation/ids.ts';
import type { Scope } from '../../foundation/scope.ts';
import { newMasterKey } from '../../foundation/secrets.ts';
import { emailEngine } from '../../messaging/email/email.ts';
import type { IdempotencyOptions } from './api.ts';
import { idempotencyEngine } from './idempotency.ts';

const START = '2026-03-01T12:00:00.000Z';

describe('a send with an idempotency key', () => {
  it('a send with an idempotency key is stored with its response, or not at all', async () => {
    const world = await openWorld();
    const { storage, tables, clock } = world;
    const { answerOnce } = idempotencyEngine({ storage, tables, clock, ids: uuidV7Ids(clock) });
    const email = emailEngine(world.engine({ answerOnce }));
    const body = { to: 'ann@example.com', subject: 'Hi', text: 'There' };
    const key = { idempotencyKey: 'order-17' };
    let isDown = true;
    world.observer.statement = (id) => {
      if (isDown && id === 'sending.insert_message') throw new Error('the disk is full');
    };
    await expect(email.send(TEST, body, key)).rejects.toThrow('the disk is full');
    isDown = false;
    const first = await email.send(TEST, body, key);
    expect(await email.send(TEST, body, key)).toEqual(first);
    expect(await storage.db.select().from(tables.sends)).toHaveLength(1);
    await world.close();
  });
});

describe('a library call with an idempotency key', () => {
  const clock = virtualClock(START);
  let database: TestDatabase;
  let beckon: Beckon;
  let scope: Scope;
  beforeEach(async () => {
    clock.set(START);
    database = await openTestDatabase();
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), clock });
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
  });
  afterEach(async () => {
    await beckon.close();
    await database.close();
  });

  const key = { idempotencyKey: 'order-17' };
  const bundleOf = (name: string): BundleInput => ({
    version: 1,
    exportedAt: START,
    workflows: [{ name, description: null, isActive: true, trigger: { eventType: 'e' }, steps: [] }],
  });
  const calls: Record<string, (mark: string, options: IdempotencyOptions) => Promise<unknown>> = {
    'push.send': (title, options) => beckon.push.send(scope, { tokens: ['fcm:1'], title }, options),
    'email.send': (text, options) => beckon.email.send(scope, { to: 'a@example.com', subject: 's', text }, options),
    'sms.send': (body, options) => beckon.sms.send(scope, { to: '+14155550199', body }, options),
    'events.batch': (eventType, options) =>
      beckon.events.batch(scope, [{ module: 'm', eventType, userId: 'u' }], options),
    'workflows.importBundle': (name, options) => beckon.workflows.importBundle(scope, bundleOf(name), options),
  };

  it.each(Object.keys(calls))(
    'a repeated call returns the same response, and is rejected with another body: %s',
    async (name) => {
      const call = async (mark: string, options: IdempotencyOptions) => calls[name]?.(mark, options);
      const first = await call('one', key);
      clock.advance(86_400_000 - 1);
      expect(await call('one', key)).toEqual(first);
      await expect(call('two', key)).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        details: { reason: 'idempotency_mismatch', fieldErrors: { idempotencyKey: expect.anything() } },
      });
      clock.advance(1);
      await expect(call('two', key)).resolves.toBeDefined();
    },
  );

  it('an idempotency key belongs to one operation', async () => {
    for (const call of Object.values(calls)) await expect(call('one', key)).resolves.toBeDefined();
    const sends = await Promise.all(CHANNELS.map((channel) => beckon.sends.list(scope, channel)));
    expect(sends.map(({ data }) => data.length)).toEqual([1, 1, 1]);
  });

  it("the key of an import without an environment belongs to the project's prod", async () => {
    const { orgId, projectId } = scope;
    const project = await beckon.tenancy.project({ orgId, projectId });
    const prod = await beckon.tenancy.scope({ orgId, projectId, environment: 'prod' });
    const first = await beckon.workflows.importBundle(project, bundleOf('one'), key);
    expect(first.created).toHaveLength(1);
    for (const same of [project, prod])
      expect(await beckon.workflows.importBundle(same, bundleOf('one'), key)).toEqual(first);
    expect(await beckon.workflows.importBundle(scope, bundleOf('one'), key)).toMatchObject({ created: [] });
  });

  it('a repeated call may order the keys of its body differently', async () => {
    const first = await beckon.sms.send(scope, { to: '+14155550199', body: 'b' }, key);
    expect(await beckon.sms.send(scope, { body: 'b', to: '+14155550199' }, key)).toEqual(first);
    expect((await beckon.sends.list(scope, 'sms')).data).toHaveLength(1);
  });

  it('an adapter learns of a replay, by its own hash of the request', async () => {
    let replays = 0;
    const adapter = { operation: 'POST /sms', bodyHash: 'a'.repeat(64), onReplayed: () => (replays += 1) };
    const send = (body: string) => beckon.sms.send(scope, { to: '+14155550199', body }, { ...key, adapter });
    const first = await send('one');
    expect(replays).toBe(0);
    expect(await send('two')).toEqual(first);
    expect(replays).toBe(1);
  });
});
