import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../test/database.ts';
import { scopeLike } from '../../test/scopes.ts';
import { type Beckon, type BundleInput, CHANNELS, type IdempotencyOptions } from '../api.ts';
import { createBeckon } from '../beckon.ts';
import { emailEngine } from '../email/email.ts';
import { type VirtualClock, virtualClock } from '../primitives/clock.ts';
import { uuidV7Ids } from '../primitives/ids.ts';
import type { Scope } from '../primitives/scope.ts';
import { newMasterKey } from '../primitives/secrets.ts';
import { openWorld, TEST } from '../sending/testing/world.ts';
import { idempotencyEngine } from './idempotency.ts';
import type { Once } from './once.ts';

const START = '2026-03-01T12:00:00.000Z';
const request = { key: 'k-1', route: 'POST /email/send', bodyHash: 'a'.repeat(64) };

describe('a request with a key of its own', () => {
  let database: TestDatabase;
  let clock: VirtualClock;
  beforeEach(async () => {
    clock = virtualClock(START);
    database = await openTestDatabase({ clock });
  });
  afterEach(() => database.close());

  const engine = (storage = database.storage) =>
    idempotencyEngine({ storage, tables: database.tables, clock, ids: uuidV7Ids(clock) });
  const rows = () => database.storage.db.select().from(database.tables.idempotencyKeys);

  it('is answered once, and then the same again for 24 hours', async () => {
    const { run } = engine();
    let count = 0;
    const work = async () => {
      count += 1;
      return { at: clock.now(), count };
    };
    const first = await run(TEST, request, work);
    expect(first).toEqual({ isReplayed: false, answer: { at: new Date(START), count: 1 } });
    clock.advance(86_400_000 - 1);
    expect(await run(TEST, request, work)).toEqual({ isReplayed: true, answer: { at: START, count: 1 } });
    clock.advance(1);
    expect(await run(TEST, request, work)).toMatchObject({ isReplayed: false, answer: { count: 2 } });
  });

  it('is another request in another scope, on another route and with another key', async () => {
    const { run } = engine();
    let count = 0;
    const work = async () => {
      count += 1;
      return count;
    };
    await run(TEST, request, work);
    for (const scope of [
      scopeLike(TEST, { orgId: 'b' }),
      scopeLike(TEST, { projectId: 'b' }),
      scopeLike(TEST, { environment: 'prod' }),
    ])
      expect(await run(scope, request, work)).toMatchObject({ isReplayed: false });
    expect(await run(TEST, { ...request, route: 'POST /sms/send' }, work)).toMatchObject({ isReplayed: false });
    expect(await run(TEST, { ...request, key: 'k-2' }, work)).toMatchObject({ isReplayed: false });
    expect(count).toBe(6);
  });

  it('is refused with another body, also while the first one runs', async () => {
    const { run } = engine();
    const other = { ...request, bodyHash: 'b'.repeat(64) };
    const mismatch = { code: 'VALIDATION_ERROR', details: { reason: 'idempotency_mismatch' } };
    await run(TEST, request, async () => {
      await expect(run(TEST, other, async () => 1)).rejects.toMatchObject(mismatch);
    });
    await expect(run(TEST, other, async () => 1)).rejects.toMatchObject(mismatch);
  });

  it('is told to come back while the first one runs, for at most 30 seconds', async () => {
    const { run } = engine();
    const inProgress = { code: 'CONFLICT', details: { reason: 'idempotency_in_progress' }, retryAfterSeconds: 1 };
    const gate = Promise.withResolvers<string>();
    const begun = Promise.withResolvers<void>();
    const first = run(TEST, request, async (once) => {
      begun.resolve();
      const answer = await gate.promise;
      const { storage } = database;
      const committed = await storage.commit({ writes: once.writes(answer, clock.now()) });
      if (!committed.ok) throw once.lost();
      return answer;
    });
    await begun.promise;
    await expect(run(TEST, request, async () => 'second')).rejects.toMatchObject(inProgress);
    clock.advance(29_999);
    await expect(run(TEST, request, async () => 'second')).rejects.toMatchObject(inProgress);
    clock.advance(1);
    expect(await run(TEST, request, async () => 'second')).toEqual({ isReplayed: false, answer: 'second' });
    // What lapsed may not answer any more, nor write what it would have created.
    gate.resolve('first');
    await expect(first).rejects.toMatchObject(inProgress);
    expect(await run(TEST, request, async () => 'third')).toEqual({ isReplayed: true, answer: 'second' });
  });

  /** Writes an answer as an engine does, together with what it tells of. */
  const writeAnswer = async (once: Once, answer: unknown): Promise<void> => {
    const plan = { writes: once.writes(answer, clock.now()) };
    if (!(await database.storage.commit(plan)).ok) throw once.lost();
  };

  it('keeps the answer that was written, also when its request fails afterwards', async () => {
    const { run } = engine();
    const failing = run(TEST, request, async (once) => {
      await writeAnswer(once, { id: 'sent' });
      throw new Error('the connection broke before the commit was answered');
    });
    await expect(failing).rejects.toThrow('the connection broke');
    clock.advance(86_400_000 - 1);
    const never = async () => 'a second send';
    expect(await run(TEST, request, never)).toEqual({ isReplayed: true, answer: { id: 'sent' } });
  });

  it('answers the same for 24 hours where the answer was written with what it tells of', async () => {
    const { run, sweep } = engine();
    const first = await run(TEST, request, async (once) => {
      await writeAnswer(once, 'first');
      return 'first';
    });
    expect(first).toEqual({ isReplayed: false, answer: 'first' });
    clock.advance(86_400_000 - 1);
    await sweep();
    expect(await run(TEST, request, async () => 'second')).toEqual({ isReplayed: true, answer: 'first' });
    clock.advance(1);
    expect(await run(TEST, request, async () => 'third')).toEqual({ isReplayed: false, answer: 'third' });
  });

  it('answers the same for 24 hours where the answer was written in a transaction of its own', async () => {
    const { run } = engine();
    await run(TEST, request, async (once) => {
      const answer = { id: 'sent' };
      await database.storage.transaction((db) => once.inside(db, answer, clock.now()));
      return answer;
    });
    clock.advance(86_400_000 - 1);
    expect(await run(TEST, request, async () => 'second')).toEqual({ isReplayed: true, answer: { id: 'sent' } });
    clock.advance(1);
    expect(await run(TEST, request, async () => 'third')).toMatchObject({ isReplayed: false });
  });

  it('writes nothing in a transaction whose key somebody else answers for', async () => {
    const { run } = engine();
    const late = run(TEST, request, async (once) => {
      clock.advance(30_000);
      await run(TEST, request, async () => 'second');
      return database.storage.transaction((db) => once.inside(db, 'first', clock.now()));
    });
    await expect(late).rejects.toMatchObject({ code: 'CONFLICT', details: { reason: 'idempotency_in_progress' } });
    expect(await run(TEST, request, async () => 'third')).toEqual({ isReplayed: true, answer: 'second' });
  });

  it('leaves the mark alone that another request holds when it fails after its own has lapsed', async () => {
    const { run } = engine();
    const gate = Promise.withResolvers<string>();
    const late = run(TEST, request, async () => {
      clock.advance(30_000);
      const second = run(TEST, request, () => gate.promise);
      await expect
        .poll(async () => (await rows()).map(({ expiresAt }) => expiresAt.getTime()))
        .toEqual([clock.now().getTime() + 30_000]);
      setImmediate(() => gate.resolve('second'));
      void second;
      throw new Error('too late');
    });
    await expect(late).rejects.toThrow('too late');
    await expect.poll(() => run(TEST, request, async () => 'third')).toEqual({ isReplayed: true, answer: 'second' });
  });

  it('is another body once its mark or its answer is over', async () => {
    const { run } = engine();
    const other = { ...request, bodyHash: 'b'.repeat(64) };
    await run(TEST, request, async () => 1);
    clock.advance(86_400_000);
    expect(await run(TEST, other, async () => 2)).toEqual({ isReplayed: false, answer: 2 });
    const mismatch = { code: 'VALIDATION_ERROR', details: { reason: 'idempotency_mismatch' } };
    await expect(run(TEST, request, async () => 3)).rejects.toMatchObject(mismatch);
    expect(await run(TEST, other, async () => 4)).toEqual({ isReplayed: true, answer: 2 });
  });

  it('may be tried again at once when it failed', async () => {
    const { run } = engine();
    const refused = async () => {
      throw new Error('no provider');
    };
    await expect(run(TEST, request, refused)).rejects.toThrow('no provider');
    expect(await rows()).toEqual([]);
    expect(await run(TEST, request, async () => 1)).toEqual({ isReplayed: false, answer: 1 });
  });

  it('is done once when twenty come at the same time through four processes', async () => {
    const engines = Array.from({ length: 4 }, engine);
    let count = 0;
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, at) =>
        engines[at % 4]?.run(TEST, request, async () => {
          count += 1;
          await new Promise((resolve) => setTimeout(resolve, 5));
          return count;
        }),
      ),
    );
    expect(count).toBe(1);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'CONFLICT' });
  });

  it('names itself in 1 to 256 characters', async () => {
    const { run } = engine();
    for (const key of ['', 'k'.repeat(257), 'a\0b', 'a\nb'])
      await expect(run(TEST, { ...request, key }, async () => 1)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await run(TEST, { ...request, key: 'k'.repeat(256) }, async () => 1)).toMatchObject({ isReplayed: false });
  });

  it('is forgotten by upkeep once its time is over', async () => {
    const { run, sweep } = engine();
    await run(TEST, request, async () => 1);
    clock.advance(3_600_000);
    await run(TEST, { ...request, key: 'k-2' }, async () => 2);
    clock.advance(86_400_000 - 3_600_000);
    expect(await sweep()).toBe(false);
    expect((await rows()).map(({ key }) => key)).toEqual(['k-2']);
  });

  it('gives nobody the answer that is over while it is answered anew', async () => {
    const { run } = engine();
    await run(TEST, request, async () => 'old');
    clock.advance(86_400_000);
    const inProgress = { code: 'CONFLICT', details: { reason: 'idempotency_in_progress' } };
    const anew = await run(TEST, request, async () => {
      await expect(run(TEST, request, async () => 'beside')).rejects.toMatchObject(inProgress);
      return 'new';
    });
    expect(anew).toEqual({ isReplayed: false, answer: 'new' });
  });

  it('is answered what it was answered, and nothing of its neighbours', async () => {
    const { run } = engine();
    const keys = [request, { ...request, key: 'k-2' }, { ...request, route: 'POST /sms/send' }];
    for (const [at, one] of keys.entries()) await run(TEST, one, async () => at);
    for (const [at, one] of keys.entries())
      expect(await run(TEST, one, async () => 'again')).toEqual({ isReplayed: true, answer: at });
  });

  it('survives upkeep that saw it expired, when it was taken over meanwhile', async () => {
    const { storage } = database;
    const { run } = engine();
    await run(TEST, request, async () => 'first');
    await run(TEST, { ...request, key: 'k-2' }, async () => 'other');
    clock.advance(86_400_000);
    // Between what upkeep reads and what it deletes.
    const db: typeof storage.db = Object.create(storage.db, {
      delete: {
        value: (table: typeof database.tables.idempotencyKeys) => ({
          where: async (...condition: Parameters<ReturnType<typeof storage.db.delete>['where']>) => {
            await run(TEST, request, async () => 'anew');
            await storage.db.delete(table).where(...condition);
          },
        }),
      },
    });
    await engine({ ...storage, db }).sweep();
    expect((await rows()).map(({ key, answer }) => [key, answer])).toEqual([['k-1', '"anew"']]);
    expect(await run(TEST, request, async () => 'again')).toEqual({ isReplayed: true, answer: 'anew' });
  });

  it('is forgotten in pieces of two hundred, the oldest first', async () => {
    const { run, sweep } = engine();
    for (let at = 0; at < 201; at += 1) {
      await run(TEST, { ...request, key: `k-${at}` }, async () => at);
      clock.advance(1);
    }
    // Nothing is left to do while all of them hold.
    expect(await sweep()).toBe(false);
    expect(await rows()).toHaveLength(201);
    clock.advance(86_400_000);
    expect(await sweep()).toBe(true);
    expect((await rows()).map(({ key }) => key)).toEqual(['k-200']);
    expect(await sweep()).toBe(false);
    expect(await rows()).toEqual([]);
  });
});

describe('a send with a key of its own', () => {
  it('is written with its answer, or not at all', async () => {
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

describe('a call of the library with a key of its own', () => {
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
    'events.acceptBatch': (eventType, options) =>
      beckon.events.acceptBatch(scope, [{ module: 'm', eventType, userId: 'u' }], options),
    'workflows.importBundle': (name, options) => beckon.workflows.importBundle(scope, bundleOf(name), options),
  };

  it.each(Object.keys(calls))('is answered the same again, and refused with another body: %s', async (name) => {
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
  });

  it('is one of its operation alone', async () => {
    for (const call of Object.values(calls)) await expect(call('one', key)).resolves.toBeDefined();
    const sends = await Promise.all(CHANNELS.map((channel) => beckon.sends.list(scope, channel)));
    expect(sends.map(({ data }) => data.length)).toEqual([1, 1, 1]);
  });

  it("is one of the project's prod where an import names no environment", async () => {
    const { orgId, projectId } = scope;
    const project = await beckon.tenancy.project({ orgId, projectId });
    const prod = await beckon.tenancy.scope({ orgId, projectId, environment: 'prod' });
    const first = await beckon.workflows.importBundle(project, bundleOf('one'), key);
    expect(first.created).toHaveLength(1);
    for (const same of [project, prod])
      expect(await beckon.workflows.importBundle(same, bundleOf('one'), key)).toEqual(first);
    expect(await beckon.workflows.importBundle(scope, bundleOf('one'), key)).toMatchObject({ created: [] });
  });

  it('is the same call whatever the order of the keys of its body', async () => {
    const first = await beckon.sms.send(scope, { to: '+14155550199', body: 'b' }, key);
    expect(await beckon.sms.send(scope, { body: 'b', to: '+14155550199' }, key)).toEqual(first);
    expect((await beckon.sends.list(scope, 'sms')).data).toHaveLength(1);
  });

  it('answers an adapter that it was replayed, by what the adapter calls the request', async () => {
    let replays = 0;
    const adapter = { operation: 'POST /sms', bodyHash: 'a'.repeat(64), onReplayed: () => (replays += 1) };
    const send = (body: string) => beckon.sms.send(scope, { to: '+14155550199', body }, { ...key, adapter });
    const first = await send('one');
    expect(replays).toBe(0);
    expect(await send('two')).toEqual(first);
    expect(replays).toBe(1);
  });
});
