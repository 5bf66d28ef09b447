import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { unchecked } from '../support/unchecked.ts';
import { HOUR_MS, openService, type Service, type World } from './world.ts';

const CONFLICT = { code: 'CONFLICT' };
const INVALID = { code: 'VALIDATION_ERROR' };

describe('events and people', () => {
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

  it('stores an event with a known messageId once, for 72 hours', async () => {
    await accept({ messageId: 'm1' });
    world.clock.advance(72 * HOUR_MS - 1);
    await expect(accept({ messageId: 'm1' })).rejects.toMatchObject(CONFLICT);
    expect(await seen()).toHaveLength(1);
    world.clock.advance(1);
    await accept({ messageId: 'm1' });
    expect(await seen()).toHaveLength(2);
  });

  it('stores one of two events with equal messageIds that come together', async () => {
    const events = [1, 2].map(() => ({ module: 'm', eventType: 'seen', userId: 'ann', messageId: 'm1' }));
    const answer = await world.beckon.events.batch(world.prod, { batch: events });
    expect(answer).toMatchObject({ accepted: 1, duplicates: 1, rejected: [] });
    expect(await seen()).toHaveLength(1);
  });

  it('changes nothing of a person by an event that it stored before', async () => {
    await accept({ messageId: 'm1', traits: { plan: 'pro' } });
    await identify('ann', { plan: 'free' });
    await expect(accept({ messageId: 'm1', traits: { plan: 'pro' } })).rejects.toMatchObject(CONFLICT);
    expect((await profile()).traits).toEqual({ plan: 'free' });
  });

  it('accepts the good events of a batch and names the others by their place', async () => {
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

  it('refuses a batch of more than 500 events as a whole', async () => {
    const batch = Array.from({ length: 501 }, () => ({ module: 'm', eventType: 'seen', userId: 'ann' }));
    await expect(world.beckon.events.batch(world.prod, { batch })).rejects.toMatchObject(INVALID);
    expect((await world.beckon.events.list(world.prod)).data).toEqual([]);
  });

  it('refuses ids with U+0000, placeholders for a user, and names that only the service may raise', async () => {
    await expect(accept({ userId: 'a\0b' })).rejects.toMatchObject(INVALID);
    await expect(accept({ eventType: 'a\0b' })).rejects.toMatchObject(INVALID);
    await expect(identify('undefined')).rejects.toMatchObject(INVALID);
    const raised = { module: 'm', eventType: 'user.identified', userId: 'ann' };
    await expect(world.beckon.events.track(world.prod, raised, { keyKind: 'public' })).rejects.toMatchObject(INVALID);
    expect((await world.beckon.events.list(world.prod)).data).toEqual([]);
  });

  it('gives a new user the events and traits of the anonymous person that they were, except traits of their own', async () => {
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

  it('leaves an anonymous person with the first user who was named with it', async () => {
    await accept({ userId: undefined, anonymousId: 'shared' });
    await identify('ann', {}, { anonymousId: 'shared' });
    await identify('ben', {}, { anonymousId: 'shared' });
    await accept({ userId: undefined, anonymousId: 'shared' });
    await world.pass();
    expect(await seen('ann')).toHaveLength(2);
    expect(await seen('ben')).toEqual([]);
  });

  it('merges traits, and removes those that are null', async () => {
    await identify('ann', { plan: 'pro', name: 'Ann', age: 5 });
    await identify('ann', { plan: 'free', age: null });
    expect((await profile()).traits).toEqual({ plan: 'free', name: 'Ann' });
  });

  it('loses no change of a person when many come at once', async () => {
    const second = await world.open();
    const there = await second.tenancy.scope(world.prod);
    const changes = Array.from({ length: 20 }, (_, at) =>
      at % 2
        ? identify('ann', { [`t${at}`]: at })
        : second.events.identify(there, { userId: 'ann', traits: { [`t${at}`]: at } }),
    );
    await Promise.all(changes);
    // Each process remembers what it read of a person.
    for (const at of [20, 21, 22]) {
      await identify('ann', { [`t${at}`]: at });
      await second.events.identify(there, { userId: 'ann', traits: { [`t${at}b`]: at } });
    }
    expect(Object.keys((await profile()).traits)).toHaveLength(26);
  });

  it('keeps a profile below 64 KB, and says that something was left out', async () => {
    for (let at = 0; at < 6; at += 1) await identify('ann', { [`t${at}`]: 'x'.repeat(15_000) });
    const { traits, _truncated } = await profile();
    expect(JSON.stringify(traits).length).toBeLessThanOrEqual(65_536);
    expect(Object.keys(traits)).toEqual(['t0', 't1', 't2', 't3']);
    expect(_truncated).toBe(true);
  });
});
