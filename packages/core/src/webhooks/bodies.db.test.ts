import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processContext } from '../../test/support/jobs/process-context.ts';
import { rowId } from '../../test/support/row-ids.ts';
import { openWorld, type World } from '../../test/support/webhooks/world.ts';
import type { Write } from '../database/commit/write-set.ts';
import { virtualClock } from '../foundation/clock.ts';
import { bodyReader } from './deliver/bodies.ts';
import { type DeliveryOutcome, deliveryDispatcher } from './deliver/dispatch.ts';
import { deliveryWrites } from './deliver/publish.ts';
import { stepDelivery } from './deliver/step-delivery.ts';
import { deliveryStore } from './history/store.ts';
import { webhookStatements } from './statements.ts';

const DAY_MS = 86_400_000;

describe('what webhooks are told', () => {
  let world: World;
  let database: World['database'];
  let beckon: World['beckon'];
  let scope: World['scope'];
  let receiver: World['receiver'];
  const clock = virtualClock('2026-03-01T10:00:00.000Z');

  beforeEach(async () => {
    clock.set(new Date('2026-03-01T10:00:00.000Z'));
    world = await openWorld(clock, () => ({ status: 200 }));
    ({ database, beckon, scope, receiver } = world);
  });
  afterEach(() => world.close());

  const hooks = async (count: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let at = 0; at < count; at += 1)
      ids.push((await beckon.webhooks.create(scope, { url: receiver.url, events: ['user.identified'] })).id);
    return ids;
  };
  const identify = (userId: string, traits = {}) => beckon.events.identify(scope, { userId, traits });
  const deliveries = () => database.storage.db.select().from(database.tables.webhookDeliveries);
  const bodies = () => database.storage.db.select().from(database.tables.webhookBodies);
  /** Tells webhooks, of which there need be none, of an event. */
  const tell = async (
    name: string,
    { person = null as string | null, properties = {}, to = [rowId('w0')] },
    change: (row: Write['row'], at: number) => Write['row'] = (row) => row,
  ): Promise<void> => {
    const event = { id: rowId(name), type: 'user.identified', person, properties, at: clock.now() };
    const [body, ...told] = deliveryWrites(
      webhookStatements(database.tables),
      scope,
      event,
      to.map((id) => ({ id, isPulled: false })),
    );
    const changed = told.map((one, at) => ({ ...one, row: change(one.row, at) }));
    await database.storage.commit({ writes: [...(body ? [body] : []), ...changed] });
  };

  it('a body is stored once for all webhooks of an event, and deleted after the last delivery', async () => {
    await hooks(3);
    await identify('ann');
    await beckon.worker.drain();
    expect([(await deliveries()).length, receiver.got.length]).toEqual([3, 3]);
    const [body, ...more] = await bodies();
    expect(more).toEqual([]);
    expect(new Set(receiver.got.map((got) => got.body))).toEqual(new Set([body?.body]));
    expect(new Set((await deliveries()).map(({ eventId }) => eventId))).toEqual(new Set([body?.id]));
    clock.advance(30 * DAY_MS);
    await beckon.worker.drain();
    expect([(await deliveries()).length, (await bodies()).length]).toEqual([3, 1]);
    clock.advance(1);
    await beckon.worker.drain();
    expect([(await deliveries()).length, (await bodies()).length]).toEqual([0, 0]);
  });

  it('a body keeps its bytes when later webhooks receive it', async () => {
    await tell('event', { properties: { said: 'first' } });
    await tell('event', { properties: { said: 'second' }, to: [rowId('w0'), rowId('w1')] });
    expect((await deliveries()).length).toBe(2);
    expect((await bodies()).map(({ body }) => JSON.parse(body).data)).toEqual([{ said: 'first' }]);
  });

  it('a body stays while one of its deliveries is pending', async () => {
    const later = new Date(clock.now().getTime() + 60 * DAY_MS);
    await tell('event', { to: [rowId('w0'), rowId('w1')] }, (row, at) => ({ ...row, dueAt: at === 0 ? null : later }));
    await tell('other', {}, (row) => ({ ...row, dueAt: null }));
    clock.advance(30 * DAY_MS + 1);
    await beckon.worker.drain();
    expect((await deliveries()).map(({ eventId }) => eventId)).toEqual([rowId('event')]);
    expect((await bodies()).map(({ id }) => id)).toEqual([rowId('event')]);
    clock.set(later);
    await beckon.worker.drain();
    expect([(await deliveries()).length, (await bodies()).length]).toEqual([0, 0]);
  });

  it('a body without deliveries is deleted when it expires', async () => {
    await tell('event', { to: [] });
    clock.advance(30 * DAY_MS);
    await beckon.worker.drain();
    expect(await bodies()).toHaveLength(1);
    clock.advance(1);
    await beckon.worker.drain();
    expect(await bodies()).toEqual([]);
  });

  it('bodies are deleted after deliveries, in slices', async () => {
    const to = [rowId('w0'), rowId('w1')];
    for (const name of ['a', 'b', 'c']) await tell(name, { to }, (row) => ({ ...row, dueAt: null }));
    const { sweepOfAll } = deliveryStore({ db: database.storage.db, tables: database.tables });
    const left: unknown[] = [];
    for (let piece = 0; piece < 4; piece += 1) {
      const isMore = await sweepOfAll(new Date(clock.now().getTime() + 1), 4);
      left.push([isMore, (await deliveries()).length, (await bodies()).length]);
    }
    expect(left).toEqual([
      [true, 2, 3],
      [false, 0, 0],
      [false, 0, 0],
      [false, 0, 0],
    ]);
  });

  it('erasure deletes the bodies of a user, and bodies without a user that contain an address', async () => {
    await identify('ann', { email: 'ann@shop.test' });
    await hooks(2);
    // The first call was of a project without webhooks, which is remembered for a moment.
    clock.advance(3_000);
    await identify('ann', { plan: 'pro' });
    await identify('bob', { friend: 'ann@shop.test' });
    await tell('hers', { properties: { to: 'ann@shop.test' }, to: [rowId('w0'), rowId('w1')] });
    await tell('another’s', { properties: { to: 'eve@shop.test' } });
    expect([(await deliveries()).length, (await bodies()).length]).toEqual([7, 4]);
    await beckon.profiles.erase(scope, 'ann');
    await beckon.worker.drain();
    const kept = await bodies();
    expect(new Set(kept.map(({ person }) => person))).toEqual(new Set(['u:bob', null]));
    expect(kept.filter(({ person }) => person === null).map(({ id }) => id)).toEqual([rowId('another’s')]);
    const named = (await deliveries()).map(({ eventId }) => eventId);
    expect([named.length, new Set(named)]).toEqual([3, new Set(kept.map(({ id }) => id))]);
  });

  it('erasure keeps a body with an address that only resembles the erased one', async () => {
    await hooks(1);
    await identify('ann', { email: 'ann_lee%@shop.test' });
    for (const to of ['ann_lee%@shop.test', 'ann-lee%@shop.test', 'ann_leesa@shop.test'])
      await tell(to, { properties: { to } });
    await beckon.profiles.erase(scope, 'ann');
    await beckon.worker.drain();
    const kept = (await bodies()).map(({ id }) => id);
    expect(new Set(kept)).toEqual(new Set(['ann-lee%@shop.test', 'ann_leesa@shop.test'].map(rowId)));
  });

  it('erasure in slices deletes a body after its last delivery', async () => {
    const to = [rowId('w0'), rowId('w1')];
    for (const name of ['a', 'b']) await tell(name, { person: 'u:ann', to });
    const { erase } = deliveryStore({ db: database.storage.db, tables: database.tables });
    const left: unknown[] = [];
    for (let slice = 0; slice < 3; slice += 1) {
      const rows = await erase(scope, { people: ['u:ann'], addresses: [] }, 3);
      left.push([rows, (await deliveries()).length, (await bodies()).length]);
    }
    expect(left).toEqual([
      [3, 1, 2],
      [3, 0, 0],
      [0, 0, 0],
    ]);
  });

  it('a body is read and replayed unchanged, and not shown after erasure', async () => {
    const [id = ''] = await hooks(1);
    await identify('ann');
    await beckon.worker.drain();
    const [listed] = (await beckon.webhooks.deliveries(scope, id)).data;
    const read = await beckon.webhooks.delivery(scope, listed?.id ?? '');
    expect(Object.keys(read).toSorted()).toEqual([
      'attemptCount',
      'attempts',
      'body',
      'createdAt',
      'eventId',
      'eventType',
      'finishedAt',
      'id',
      'nextAttemptAt',
      'reason',
      'status',
      'webhookId',
    ]);
    const again = await beckon.webhooks.replay(scope, read.id);
    expect(Object.keys(again).toSorted()).toEqual(Object.keys(read).toSorted());
    expect([read.body, again.body]).toEqual([receiver.got[0]?.body, receiver.got[0]?.body]);
    await beckon.profiles.erase(scope, 'ann');
    await beckon.worker.drain();
    await expect(beckon.webhooks.delivery(scope, read.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  describe('in the queue', () => {
    /** A dispatcher of its own over the same database, and what it posted. */
    const dispatching = (isBroken = false) => {
      const { storage, tables } = database;
      const hot = webhookStatements(tables);
      const posted: string[] = [];
      const reads: number[] = [];
      const context = { storage, tables, clock, statements: hot, log: { warn: () => undefined } };
      const work = deliveryDispatcher(context, {
        receivers: {
          load: async ({ scopeId }, id) => ({
            ...{ scopeId, id, url: 'https://shop.test/', isActive: true, failingSince: null },
            opened: { headers: {}, signers: () => [] },
          }),
          forget: () => undefined,
        },
        bodiesOf: bodyReader({
          storage: {
            select: async (statement, keys) => {
              reads.push(keys.length);
              if (isBroken) throw new Error('cannot be read');
              return storage.select(statement, keys);
            },
          },
          hot,
        }),
        poster: {
          post: async ({ body }) => {
            posted.push(JSON.parse(Buffer.from(body).toString()).event.id);
            return {
              ...{ outcome: 'delivered', status: 200, error: null, excerpt: '', isGone: false, durationMs: 1 },
              endedAt: clock.now(),
            };
          },
        },
        steps: {
          attempt: async () => {
            throw new Error('no step is posted');
          },
          resumeWrites: () => [],
          wakes: [],
        },
        hasOtherOwnersDue: async () => true,
        onDisabled: () => undefined,
      });
      const outcomes: DeliveryOutcome[] = [];
      return {
        posted,
        reads,
        outcomes,
        claim: () => storage.claim(work.claim, 10, 30_000),
        process: (rows: Parameters<typeof work.process>[0]) =>
          work.process(rows, (_, outcome) => outcomes.push(outcome), processContext()),
        commit: () => work.commit(outcomes),
      };
    };

    it('a body is read once for all deliveries of a claim', async () => {
      const to = [rowId('w0'), rowId('w1'), rowId('w2')];
      for (const name of ['a', 'b']) await tell(name, { to });
      const { posted, reads, claim, process } = dispatching();
      await process(await claim());
      expect(posted.toSorted()).toEqual(['a', 'b'].flatMap((name) => to.map(() => rowId(name))).toSorted());
      expect(reads).toEqual([2]);
    });

    it('a body erased after the claim is not posted', async () => {
      const { storage, tables } = database;
      const place = { runId: rowId('run'), path: '0', attempt: 0, url: 'https://shop.test/', headers: {} };
      const target = { ...place, limitMs: 1_000, isSigned: true };
      const step = {
        id: rowId('step'),
        workflowId: rowId('flow'),
        eventType: 'm',
        person: 'u:ann',
        body: '{}',
        target,
      };
      await storage.commit({ writes: stepDelivery(webhookStatements(tables), scope, step, clock.now()) });
      await tell('hers', { person: 'u:ann' });
      await tell('his', { person: 'u:bob' });
      const { posted, outcomes, claim, process, commit } = dispatching();
      const rows = await claim();
      expect(rows).toHaveLength(3);
      await deliveryStore({ db: storage.db, tables }).erase(scope, { people: ['u:ann'], addresses: [] }, 100);
      await process(rows);
      expect([posted, outcomes.length]).toEqual([[rowId('his')], 3]);
      await commit();
      expect((await deliveries()).map(({ eventId, status }) => [eventId, status])).toEqual([
        [rowId('his'), 'delivered'],
      ]);
    });

    it('a delivery without a body ends', async () => {
      await tell('hers', { person: 'u:ann' });
      await database.storage.db.delete(database.tables.webhookBodies);
      const { posted, claim, process, commit } = dispatching();
      await process(await claim());
      await commit();
      expect(posted).toEqual([]);
      expect(await deliveries()).toMatchObject([{ status: 'cancelled', reason: 'erased', dueAt: null, attempts: 0 }]);
    });

    it('if bodies cannot be read, nothing is posted and no row changes', async () => {
      await tell('event', { to: [rowId('w0'), rowId('w1')] });
      const { posted, outcomes, claim, process } = dispatching(true);
      await expect(process(await claim())).rejects.toThrow('cannot be read');
      expect([posted, outcomes]).toEqual([[], []]);
    });
  });
});
