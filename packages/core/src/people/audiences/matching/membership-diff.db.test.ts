import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parsePredicate } from '../../../../test/support/audiences/predicate/parse.ts';
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { rowId } from '../../../../test/support/row-ids.ts';
import { testScope } from '../../../../test/support/scopes.ts';
import { virtualClock } from '../../../foundation/clock.ts';
import { membershipDiff } from './membership-diff.ts';

const scope = testScope({ orgId: 'o', projectId: 'differing', environment: 'prod' });
const clock = virtualClock('2026-03-01T10:00:00.000Z');
const SMALL = { id: rowId('small'), predicate: parsePredicate({ trait: 'n', op: 'lt', value: 5 }) };
const EVEN = { id: rowId('even'), predicate: parsePredicate({ trait: 'n', op: 'in', value: [0, 2, 4, 6, 8] }) };

describe('membershipDiff', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await openTestDatabase();
    const { db } = database.storage;
    const { scopeId } = scope;
    const row = (person: string, n: number) => ({
      ...{ scopeId, person, traits: n === 9 ? {} : { n }, version: n + 1, isTruncated: false },
      ...{ createdAt: clock.now(), lastSeenAt: clock.now() },
    });
    const users = Array.from({ length: 10 }, (_, n) => row(`u:${n}`, n));
    await db.insert(database.tables.profiles).values([...users, row('a:0', 0)]);
    const member = (audienceId: string, person: string) => ({ scopeId, audienceId, person, joinedAt: clock.now() });
    await db
      .insert(database.tables.audienceMembers)
      .values([member(SMALL.id, 'u:1'), member(SMALL.id, 'u:7'), member(SMALL.id, 'u:9'), member(EVEN.id, 'u:0')]);
  });
  afterEach(() => database.close());

  const make = () => membershipDiff({ storage: database.storage, clock, coversLeaf: async () => () => false });
  const slices = async (users: number, most: number) => {
    const find = make();
    const all: string[][] = [];
    for (let after: string | null = null; ; ) {
      const found: Awaited<ReturnType<typeof find<typeof SMALL>>> = await find(scope, [SMALL, EVEN], {
        after,
        users,
        most,
      });
      const name = (id: string): string => (id === SMALL.id ? 'small' : 'even');
      all.push(
        (found?.moves ?? []).map(
          ({ person, version, audience, isIn }) => `${person}/${version} ${isIn ? '+' : '-'}${name(audience.id)}`,
        ),
      );
      if (!found?.last) return all;
      after = found.last;
    }
  };
  const MOVES = [
    ...['u:0/1 +small', 'u:2/3 +even', 'u:2/3 +small', 'u:3/4 +small', 'u:4/5 +even', 'u:4/5 +small'],
    ...['u:6/7 +even', 'u:7/8 -small', 'u:8/9 +even', 'u:9/10 -small'],
  ];

  it('users whose rows differ from the predicates are found slice by slice, with their versions', async () => {
    expect((await slices(100, 100)).map((one) => one.toSorted())).toEqual([MOVES]);
    const parts = await slices(3, 100);
    expect(parts.map((one) => one.length)).toEqual([3, 3, 3, 1]);
    expect(parts.flat().toSorted()).toEqual(MOVES);
  });

  it('at most the requested number is returned, each user with all changes', async () => {
    const parts = await slices(100, 3);
    expect(parts.flat().toSorted()).toEqual(MOVES);
    for (const part of parts) expect(part.length).toBeLessThanOrEqual(3);
  });

  it('the result is null if only the event log can answer', async () => {
    const order = parsePredicate({ event: 'order', op: 'performed' });
    const asked = [{ id: rowId('order'), predicate: order }];
    expect(await make()(scope, asked, { after: null, users: 10, most: 10 })).toBeNull();
  });
});
