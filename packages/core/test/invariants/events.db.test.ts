import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { unchecked } from '../support/unchecked.ts';
import { HOUR_MS, openService, type Service, type World } from './world.ts';

const CONFLICT = { code: 'CONFLICT' };
const INVALID = { code: 'VALIDATION_ERROR' };

describe('events and profiles', () => {
  let service: Service;
  let world: World;
  beforeAll(async () => {
    service = await openService();
  });
  beforeEach(async () => {
    world = await service.world();
  });
  afterAll(() => service.close());

  const accept = (body: object) =>
    world.beckon.events.track(world.prod, { module: 'm', eventType: 'seen', userId: 'ann', ...body });
  const identify = (userId: string, traits: object = {}, more: object = {}) =>
    world.beckon.events.identify(world.prod, { userId, traits: { ...traits }, ...more });
  const profile = (userId = 'ann') => world.beckon.profiles.get(world.prod, userId);
  const seen = async (userId = 'ann') =>
    (await world.beckon.profiles.events(world.prod, userId)).data.filter(({ eventType }) => eventType === 'seen');

  it('an event with a known messageId is stored once in 72 hours', async () => {
    await accept({ messageId: 'm1' });
    world.clock.advance(72 * HOUR_MS - 1);
    await expect(accept({ messageId: 'm1' })).rejects.toMatchObject(CONFLICT);
    expect(await seen()).toHaveLength(1);
    world.clock.advance(1);
    await accept({ messageId: 'm1' });
    expect(await seen()).toHaveLength(2);
  });

  it('one of two concurrent events with equal messageIds is stored', async () => {
    const events = [1, 2].map(() => ({ module: 'm', eventType: 'seen', userId: 'ann', messageId: 'm1' }));
    const answer = await world.beckon.events.batch(world.prod, { batch: events });
    expect(answer).toMatchObject({ accepted: 1, duplicates: 1, rejected: [] });
    expect(await seen()).toHaveLength(1);
  });

  it('a duplicate event does not change the profile', async () => {
    await accept({ messageId: 'm1', traits: { plan: 'pro' } });
    await identify('ann', { plan: 'free' });
    await expect(accept({ messageId: 'm1', traits: { plan: 'pro' } })).rejects.toMatchObject(CONFLICT);
    expect((await profile()).traits).toEqual({ plan: 'free' });
  });

  it('a batch accepts its valid events and lists the others by index', async () => {
    const batch = [
      { module: 'm', eventType: 'seen', userId: 'ann' },
      { module: '', eventType: 'seen', userId: 'ann' },
      { module: 'm', eventType: 'seen', userId: 'ann' },
      { module: 'm', eventType: 'seen' },
    ];
    const answer = await world.beckon.events.batch(world.prod, { batch });
    expect(answer).toMatchObject({ accepted: 2, rejected: [{ index: 1 }, { index: 3 }] });
    expect(await seen()).toHaveLength(2);
  });

  it('a batch of more than 500 events is rejected as a whole', async () => {
    const batch = Array.from({ length: 501 }, () => ({ module: 'm', eventType: 'seen', userId: 'ann' }));
    await expect(world.beckon.events.batch(world.prod, { batch })).rejects.toMatchObject(INVALID);
    expect((await world.beckon.events.list(world.prod)).data).toEqual([]);
  });

  it('ids with U+0000, placeholder user ids and reserved event names are rejected', async () => {
    await expect(accept({ userId: 'a\0b' })).rejects.toMatchObject(INVALID);
    await expect(accept({ eventType: 'a\0b' })).rejects.toMatchObject(INVALID);
    await expect(identify('undefined')).rejects.toMatchObject(INVALID);
    const raised = { module: 'm', eventType: 'user.identified', userId: 'ann' };
    await expect(world.beckon.events.track(world.prod, raised, { keyKind: 'public' })).rejects.toMatchObject(INVALID);
    expect((await world.beckon.events.list(world.prod)).data).toEqual([]);
  });

  it('identify merges the anonymous events and traits into the new user, except traits that the user has', async () => {
    const create = (eventType: string, config: object) =>
      world.beckon.workflows.create(
        world.prod,
        unchecked({
          name: eventType,
          isActive: true,
          trigger: { eventType },
          steps: [{ type: 'update_profile', config }],
        }),
      );
    await create('came', { set: { plan: 'free', source: 'ad' } });
    await create('seen', { increment: { seen: 1 } });
    const anonymous = { userId: undefined, anonymousId: 'browser' };
    await accept({ ...anonymous, eventType: 'came' });
    await accept(anonymous);
    await world.pass();
    await identify('ann', { plan: 'pro' });
    await identify('ann', {}, { anonymousId: 'browser' });
    await accept(anonymous);
    await world.pass();
    expect(await seen()).toHaveLength(2);
    expect((await profile()).traits).toEqual({ plan: 'pro', source: 'ad', seen: 2 });
  });

  it('an anonymousId stays with the first user who was identified with it', async () => {
    await accept({ userId: undefined, anonymousId: 'shared' });
    await identify('ann', {}, { anonymousId: 'shared' });
    await identify('ben', {}, { anonymousId: 'shared' });
    await accept({ userId: undefined, anonymousId: 'shared' });
    await world.pass();
    expect(await seen('ann')).toHaveLength(2);
    expect(await seen('ben')).toEqual([]);
  });

  it('identify merges traits, and null removes one', async () => {
    await identify('ann', { plan: 'pro', name: 'Ann', age: 5 });
    await identify('ann', { plan: 'free', age: null });
    expect((await profile()).traits).toEqual({ plan: 'free', name: 'Ann' });
  });

  it('concurrent changes of one profile are all kept', async () => {
    const second = await world.open();
    const there = await second.tenancy.scope(world.prod);
    const changes = Array.from({ length: 20 }, (_, at) =>
      at % 2
        ? identify('ann', { [`t${at}`]: at })
        : second.events.identify(there, { userId: 'ann', traits: { [`t${at}`]: at } }),
    );
    await Promise.all(changes);
    // Each process caches what it read of a profile.
    for (const at of [20, 21, 22]) {
      await identify('ann', { [`t${at}`]: at });
      await second.events.identify(there, { userId: 'ann', traits: { [`t${at}b`]: at } });
    }
    expect(Object.keys((await profile()).traits)).toHaveLength(26);
  });

  it('a profile stays below 64 KB, and reports that something was left out', async () => {
    for (let at = 0; at < 6; at += 1) await identify('ann', { [`t${at}`]: 'x'.repeat(15_000) });
    const { traits, _truncated } = await profile();
    expect(JSON.stringify(traits).length).toBeLessThanOrEqual(65_536);
    expect(Object.keys(traits)).toEqual(['t0', 't1', 't2', 't3']);
    expect(_truncated).toBe(true);
  });
});
