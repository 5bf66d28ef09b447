import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { unchecked } from '../support/unchecked.ts';
import { HOUR_MS, MINUTE_MS, openService, type Service, type World } from './world.ts';

const PHONE = '+15005550007';
/** Steps that change the profile. */
const mark = (name: string, more: object = {}) => ({
  type: 'update_profile',
  config: { increment: { [name]: 1 }, ...more },
});

describe('automation', () => {
  let service: Service;
  let world: World;
  beforeAll(async () => {
    service = await openService();
  });
  beforeEach(async () => {
    world = await service.world();
  });
  afterAll(() => service.close());

  /** Creates a workflow with the trigger `began`, and starts it for a user. */
  const begin = async (steps: readonly object[], trigger: object = { eventType: 'began' }) => {
    await world.beckon.workflows.create(
      world.prod,
      unchecked({ name: 'Flow', description: null, isActive: true, trigger, steps }),
    );
    await world.beckon.events.identify(world.prod, { userId: 'ann', traits: { phone: PHONE } });
    await accept('began');
    await world.pass();
  };
  const accept = (eventType: string, properties: object = {}, more: object = {}) =>
    world.beckon.events.track(world.prod, {
      ...{ module: 'm', eventType, userId: 'ann', properties: { ...properties } },
      ...more,
    });
  const marks = async (userId = 'ann') => {
    const { phone: _, ...traits } = (await world.beckon.profiles.get(world.prod, userId)).traits;
    return traits;
  };
  const runs = async () => (await world.beckon.runs.list(world.prod, { userId: 'ann' })).data;
  const text = { type: 'send_sms', config: { body: 'Welcome', from: '+15005550006' } };

  it('every step of a run runs once, also with two workers', async () => {
    const second = await world.open();
    await begin([text, mark('a'), { type: 'wait', config: { minutes: 60 } }, mark('b')]);
    world.clock.advance(HOUR_MS);
    await Promise.all([world.pass(), second.worker.drain()]);
    await world.pass(HOUR_MS);
    expect(await marks()).toEqual({ a: 1, b: 1 });
    expect(world.handed).toHaveLength(1);
    expect(await runs()).toMatchObject([{ status: 'completed', outcome: 'ok' }]);
  });

  it('a duplicate event starts one run', async () => {
    await begin([mark('a')], { eventType: 'other' });
    await accept('other', {}, { messageId: 'm1' });
    await expect(accept('other', {}, { messageId: 'm1' })).rejects.toMatchObject({ code: 'CONFLICT' });
    await world.pass();
    expect(await runs()).toHaveLength(1);
    expect(await marks()).toEqual({ a: 1 });
  });

  it('a run continues after a wait when its time is over, and not before', async () => {
    await begin([{ type: 'wait', config: { minutes: 60 } }, mark('a')]);
    await world.pass(59 * MINUTE_MS);
    expect(await marks()).toEqual({});
    await world.pass(MINUTE_MS);
    expect(await marks()).toEqual({ a: 1 });
  });

  it('only an event that matches its filters ends a wait', async () => {
    const wait = {
      type: 'wait',
      config: { event: { eventType: 'paid', filters: { plan: 'pro' }, timeoutMinutes: 60, onTimeout: 'exit' } },
    };
    await begin([wait, mark('a')]);
    await accept('paid', { plan: 'free' });
    await world.pass();
    expect(await marks()).toEqual({});
    await accept('paid', { plan: 'pro' });
    await world.pass();
    expect(await marks()).toEqual({ a: 1 });
    await accept('paid', { plan: 'pro' });
    await world.pass(2 * HOUR_MS);
    expect(await marks()).toEqual({ a: 1 });
  });

  it('a cancelled run does nothing more', async () => {
    await begin([{ type: 'wait', config: { minutes: 60 } }, mark('a'), text]);
    const [run] = await runs();
    await world.beckon.runs.cancel(world.prod, run?.id ?? '');
    await world.pass(2 * HOUR_MS);
    expect(await marks()).toEqual({});
    expect(world.handed).toEqual([]);
    expect(await runs()).toMatchObject([{ status: 'cancelled' }]);
  });

  it('a finished run cannot be cancelled', async () => {
    await begin([mark('a')]);
    const [run] = await runs();
    await expect(world.beckon.runs.cancel(world.prod, run?.id ?? '')).rejects.toMatchObject({
      code: 'CONFLICT',
    });
  });

  it('a step is skipped if its condition is not true', async () => {
    const when = (value: string) => ({ when: { trait: 'plan', op: 'eq', value } });
    await begin([mark('set', { set: { plan: 'pro' } }), mark('a', when('free')), mark('b', when('pro'))]);
    expect(await marks()).toMatchObject({ b: 1 });
    expect(await marks()).not.toHaveProperty('a');
  });

  it('a run ends at a failed step with onError: stop', async () => {
    await begin([{ type: 'send_sms', config: { to: 'nobody', body: 'x', onError: 'stop' } }, mark('a')]);
    expect(await runs()).toMatchObject([{ exitReason: 'on_error_stop' }]);
    expect(await marks()).toEqual({});
  });

  it('a workflow starts only for events that match its filters', async () => {
    await begin([mark('a')], { eventType: 'began', filters: { plan: 'pro' } });
    expect(await runs()).toEqual([]);
    await accept('began', { plan: 'pro' });
    await world.pass();
    expect(await runs()).toHaveLength(1);
  });

  it('a workflow that triggers itself is stopped', async () => {
    await begin([mark('a')], { eventType: 'user.identified' });
    await world.beckon.workflows.create(
      world.prod,
      unchecked({
        ...{ name: 'Loop', description: null, isActive: true, trigger: { eventType: 'workflow.run_completed' } },
        steps: [mark('loops')],
      }),
    );
    await world.beckon.events.identify(world.prod, { userId: 'ann', traits: { go: 1 } });
    for (let at = 0; at < 20; at += 1) await world.pass();
    const { loops } = await marks();
    // Each run is one level deeper than the run that caused it, and the tenth causes none.
    expect(loops).toBe(9);
  });

  it('entering and leaving a segment is raised once, and never for members from its creation', async () => {
    const { beckon, prod } = world;
    const identify = (userId: string, plan: string) => beckon.events.identify(prod, { userId, traits: { plan } });
    await identify('ben', 'pro');
    for (const eventType of ['audience.entered', 'audience.left'])
      await beckon.workflows.create(
        prod,
        unchecked({
          name: eventType,
          isActive: true,
          trigger: { eventType, filters: { audienceName: 'Pro' } },
          steps: [mark(eventType)],
        }),
      );
    const predicate = { trait: 'plan', op: 'eq', value: 'pro' } as const;
    const { id } = await beckon.audiences.create(prod, { name: 'Pro', predicate });
    // Nor for users who join while the segment is computing.
    await identify('dan', 'pro');
    await world.pass();
    for (const plan of ['pro', 'pro', 'free', 'free']) {
      await identify('ann', plan);
      await world.pass();
    }
    expect(await marks()).toEqual({ plan: 'free', 'audience.entered': 1, 'audience.left': 1 });
    for (const userId of ['ben', 'dan']) expect(await marks(userId)).toEqual({ plan: 'pro' });
    expect((await beckon.audiences.members(prod, id)).data.map(({ userId }) => userId).toSorted()).toEqual([
      'ben',
      'dan',
    ]);
  });

  it('a user gets the same variant of an A/B test in every send', async () => {
    const people = Array.from({ length: 16 }, (_, at) => `user-${at}`);
    for (const [at, userId] of people.entries())
      await world.beckon.events.identify(world.prod, { userId, traits: { phone: `+150055510${10 + at}` } });
    const variants = ['A', 'B'].map((body) => ({ key: body.toLowerCase(), weight: 50, body }));
    const { id } = await world.beckon.abTests.create(world.prod, 'sms', { name: 'T', variants });
    const round = async () => {
      world.handed.length = 0;
      await world.text({ userIds: people, abTestId: id });
      await world.pass();
      return new Map(world.handed.map((one) => [one.to, one.text]));
    };
    const first = await round();
    expect(first.size).toBe(16);
    expect(new Set(first.values())).toEqual(new Set(['A', 'B']));
    expect(await round()).toEqual(first);
    await world.beckon.abTests.complete(world.prod, 'sms', id, { winnerKey: 'b' });
    await expect(world.beckon.abTests.update(world.prod, 'sms', id, { status: 'running' })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
  });
});
