import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { audienceWorld } from '../../../test/support/audiences/world.ts';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import type { AudienceInput } from './api.ts';

const USERS = 60;
const MANY = 14;

describe('builds of audiences', () => {
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

  const identify = (n: number, value: number) =>
    world.beckon.events.identify(world.scope, { userId: `u${n}`, traits: { value, plan: value % 2 ? 'pro' : null } });
  const membersOf = async (id: string): Promise<readonly string[]> =>
    (await world.beckon.audiences.members(world.scope, id, { limit: 100 })).data.map(({ userId }) => userId).toSorted();
  const create = async (name: string, predicate: NonNullable<AudienceInput['predicate']>) =>
    (await world.beckon.audiences.create(world.scope, { name, predicate })).id;

  it('SQL and memory find the same members, correct even while profiles change', async () => {
    const { beckon, scope } = world;
    for (let n = 0; n < USERS; n += 1) await identify(n, n);
    const list = (await beckon.audiences.create(scope, { name: 'List' })).id;
    await beckon.audiences.addMembers(scope, list, { userIds: ['u3', 'u4', 'u5'] });
    const predicates = [
      [{ trait: 'value', op: 'lt', value: 20 }],
      [{ trait: 'plan', op: 'not_set' }],
      [
        { audience: list, op: 'not_in' },
        { trait: 'plan', op: 'eq', value: 'pro' },
      ],
    ] as const;
    const changing = (from: number): Promise<unknown> =>
      Promise.all(Array.from({ length: 20 }, (_, at) => identify((at * 3) % USERS, from + at)));
    const alone: string[] = [];
    for (const [at, predicate] of predicates.entries()) {
      alone.push(await create(`A${at}`, predicate));
      await Promise.all([beckon.worker.drain(), changing(at)]);
    }
    const together: string[] = [];
    for (let at = 0; at < MANY; at += 1)
      together.push(await create(`B${at}`, predicates[at % predicates.length] ?? predicates[0]));
    await Promise.all([beckon.worker.drain(), changing(7)]);
    const found = await Promise.all(alone.map(membersOf));
    for (const [at, id] of together.entries()) expect(await membersOf(id)).toEqual(found[at % found.length]);
    for (const [at, id] of alone.entries()) {
      const { count } = await beckon.audiences.preview(scope, { predicate: predicates[at] ?? predicates[0] });
      expect([found[at]?.length, (await beckon.audiences.get(scope, id)).memberCount]).toEqual([count, count]);
    }
    expect(found.every((members) => members.length > 0)).toBe(true);
  });
});
