import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { audienceWorld } from '../../../test/support/audiences/world.ts';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { COMMIT_GRACE_MS } from './build.ts';
import type { Predicate } from './predicate/types.ts';

const ROUNDS = 40;
const USERS = ['u0', 'u1', 'u2', 'u3', 'u4', 'u5'];

/** Deterministic random integers (mulberry32). */
const numbersFrom = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
};

const leaves = (listId: string) =>
  [
    { trait: 'plan', op: 'eq', value: 'pro' },
    { trait: 'plan', op: 'not_set' },
    { trait: 'age', op: 'gt', value: 1 },
    { trait: 'at', op: 'within_last', value: { n: 2, unit: 'hours' } },
    { trait: 'at', op: 'older_than', value: { n: 1, unit: 'hours' } },
    { trait: 'user.timezone', op: 'eq', value: 'Europe/Berlin' },
    { trait: 'day', op: 'within_last', value: { n: 1, unit: 'days' }, timezone: 'user' },
    { trait: 'day', op: 'older_than', value: { n: 20, unit: 'hours' }, timezone: 'Asia/Tokyo' },
    { trait: 'day', op: 'within_last', value: { n: 1, unit: 'days' }, timezone: 'org' },
    { trait: 'day', op: 'before', value: '2026-03-02T00:00:00Z', timezone: 'org' },
    { event: 'order', op: 'performed', count: { gte: 2 } },
    { event: 'order', op: 'not_performed' },
    { event: 'order', op: 'performed', within: { n: 1, unit: 'hours' } },
    { event: 'order', op: 'performed', where: [{ path: 'total', op: 'gt', value: 1 }] },
    { audience: listId, op: 'in' },
  ] as const;

describe('memberships', () => {
  let database: TestDatabase;
  let world: Awaited<ReturnType<typeof audienceWorld>>;
  beforeEach(async () => {
    database = await openTestDatabase();
    world = await audienceWorld(database.url);
  });
  afterEach(async () => {
    await world.beckon.close();
    await database.close();
  });

  it('memberships equal the evaluation of every user after random operations', async () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const next = numbersFrom(seed);
    const pick = <T>(from: readonly T[]): T => from[next(from.length)] as T;
    const { beckon, scope, clock } = world;
    const { audiences, events } = beckon;
    const list = await audiences.create(scope, { name: 'List' });
    const made: string[] = [];
    let count = 0;
    const predicateOf = (): Predicate => {
      const some = Array.from({ length: 1 + next(3) }, () => pick(leaves(list.id)));
      const shape = next(4);
      if (shape === 0) return { any: some };
      if (shape === 1) return { not: { all: some } };
      const inner =
        made.length > 0 && next(3) === 0 ? [{ audience: pick(made), op: pick(['in', 'not_in'] as const) }] : [];
      return { all: [...some, ...inner] };
    };
    const identify = () =>
      events.identify(scope, {
        userId: pick(USERS),
        ...(next(4) === 0 ? { anonymousId: `a${next(4)}` } : {}),
        traits: {
          ...(next(2) === 0 ? { plan: pick(['pro', 'free', null]) } : {}),
          ...(next(2) === 0 ? { age: next(4) } : {}),
          ...(next(3) === 0
            ? { day: new Date(clock.now().getTime() + (next(3) - 2) * 86_400_000).toISOString().slice(0, 10) }
            : {}),
          ...(next(3) === 0 ? { at: new Date(clock.now().getTime() - next(7_200_000)).toISOString() } : {}),
        },
      });
    const event = () =>
      events.track(scope, {
        module: 'm',
        eventType: pick(['order', 'seen']),
        ...(next(3) === 0 ? { anonymousId: `a${next(4)}` } : { userId: pick(USERS) }),
        properties: { total: next(4) },
        ...(next(4) === 0 ? { context: { timezone: pick(['Europe/Berlin', 'Asia/Tokyo']) } } : {}),
      });
    const acts: readonly (() => Promise<unknown>)[] = [
      identify,
      identify,
      event,
      event,
      event,
      () => audiences.addMembers(scope, list.id, { userIds: [pick(USERS)] }),
      () => audiences.removeMembers(scope, list.id, { userIds: [pick(USERS)] }),
      () => beckon.profiles.update(scope, pick(USERS), { timezone: pick(['Europe/Berlin', null]) }).catch(() => null),
      async () => {
        count += 1;
        if (made.length < 6)
          made.push((await audiences.create(scope, { name: `A${count}`, predicate: predicateOf() })).id);
      },
      () =>
        beckon.settings.update(scope, 'push', { orgDefaultTimezone: pick(['Asia/Tokyo', 'America/New_York', null]) }),
      // A cycle is rejected.
      async () => {
        if (made.length > 0) await audiences.update(scope, pick(made), { predicate: predicateOf() }).catch(() => null);
      },
      async () => {
        clock.advance(next(1_800_000));
      },
      () => beckon.worker.drain(),
    ];
    for (let round = 0; round < ROUNDS; round += 1) await Promise.all(Array.from({ length: 5 }, () => pick(acts)()));
    for (let settled = 0; settled < 4; settled += 1) {
      await beckon.worker.drain();
      clock.advance(COMMIT_GRACE_MS);
    }
    await beckon.worker.drain();
    const differences: string[] = [];
    for (const id of made)
      for (const userId of USERS) {
        const told = await audiences.explain(scope, id, userId).catch(() => null);
        if (told && told.isMember !== (told.explanation?.verdict === 'true'))
          differences.push(`${userId} ${told.isMember} ${JSON.stringify(told.explanation)}`);
      }
    console.info(
      `audiences of random sequences, seed ${seed}: differences ${differences.length} of ${made.length * USERS.length}`,
    );
    expect(differences, `seed ${seed}`).toEqual([]);
  });
});
