import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { countingProcess } from '../../../../test/support/audiences/counting/counting-process.ts';
import { parsePredicate } from '../../../../test/support/audiences/predicate/parse.ts';
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { scopeLike, testScope } from '../../../../test/support/scopes.ts';
import { type VirtualClock, virtualClock } from '../../../foundation/clock.ts';
import { matching } from './matching.ts';

const scope = testScope({ orgId: 'o', projectId: 'matching', environment: 'prod' });
const START = '2026-03-01T10:00:00.000Z';
/** So many leaves that a slice has at most 300 users. */
const MANY = Array(97).fill({ trait: 'n', op: 'set' });
const LISTED = '01932d4e-7b2f-7c3a-9f00-0123456789ab';

describe('matching users', () => {
  let database: TestDatabase;
  let clock: VirtualClock;
  let statementMs: number;
  beforeEach(async () => {
    statementMs = 0;
    clock = virtualClock(START);
    database = await openTestDatabase();
  });
  afterEach(() => database.close());

  const process = () => {
    let elapsed = 0;
    const made = countingProcess(database, clock);
    const match = matching({
      storage: database.storage,
      clock,
      elapsedMs: () => {
        elapsed += statementMs / 2;
        return elapsed;
      },
      loadProfiles: made.profiles.load,
      coversLeaf: made.counters.coversLeaf,
      talliesOf: made.counters.ofPeople,
      membersOf: async () => (person, id) => id === LISTED && person === 'u:7',
    });
    return { ...made, match };
  };
  const fill = async (users: number): Promise<void> => {
    const { db } = database.storage;
    const row = (person: string, n: number) => ({
      ...{ person, traits: { n }, version: 1, isTruncated: false },
      ...{ createdAt: clock.now(), lastSeenAt: clock.now() },
    });
    for (let from = 0; from < users; from += 1_000)
      await db.insert(database.tables.profiles).values(
        Array.from({ length: Math.min(1_000, users - from) }, (_, at) => ({
          scopeId: scope.scopeId,
          ...row(`u:${from + at}`, from + at),
        })),
      );
    const nobody = ['a:7', 'a:0', 'A:1'].map((person) => ({ scopeId: scope.scopeId, ...row(person, 0) }));
    const other = scopeLike(scope, { environment: 'test' });
    await db.insert(database.tables.profiles).values([...nobody, { scopeId: other.scopeId, ...row('u:0', 0) }]);
  };

  it('slices contain every matching user of the scope exactly once', async () => {
    const { match } = process();
    await fill(1_000);
    const predicate = parsePredicate([{ trait: 'n', op: 'lt', value: 900 }, ...MANY]);
    const found: string[] = [];
    let slices = 0;
    let after: string | null = null;
    do {
      const { people, next }: Awaited<ReturnType<typeof match.slice>> = await match.slice(scope, predicate, after);
      found.push(...people);
      after = next;
      slices += 1;
    } while (after !== null);
    expect(slices).toBe(4);
    expect(found).toHaveLength(900);
    expect(new Set(found)).toEqual(new Set(Array.from({ length: 900 }, (_, n) => `u:${n}`)));
  });

  it("a plain date begins by each user's time zone if the predicate says so", async () => {
    const { match } = process();
    const zones = ['Europe/Paris', 'America/New_York', null, 'Mars/Base'];
    await database.storage.db.insert(database.tables.profiles).values(
      zones.map((timezone, at) => ({
        ...{ scopeId: scope.scopeId, person: `u:${at}`, traits: { day: '2026-03-01' }, version: 1, timezone },
        ...{ isTruncated: false, createdAt: clock.now(), lastSeenAt: clock.now() },
      })),
    );
    const isBefore = (value: string, timezone: string) => ({ trait: 'day', op: 'before', value, timezone });
    const found = async (predicate: object) => (await match.slice(scope, parsePredicate(predicate), null)).people;
    expect(await found(isBefore('2026-03-01T00:00:00Z', 'user'))).toEqual(['u:0']);
    expect(await found({ not: isBefore('2026-03-01T00:00:00Z', 'user') })).toEqual(['u:1', 'u:2', 'u:3']);
    expect(await found(isBefore('2026-03-01T05:00:00Z', 'user'))).toEqual(['u:0', 'u:2', 'u:3']);
    expect(await found(isBefore('2026-03-01T05:00:01Z', 'America/New_York'))).toHaveLength(4);
    expect(await found(isBefore('2026-03-01T05:00:00Z', 'America/New_York'))).toEqual([]);
  });

  it('slices shrink while they are slow and grow again when they are fast', async () => {
    const { match } = process();
    await fill(899);
    const predicate = parsePredicate([{ trait: 'n', op: 'gte', value: 0 }, ...MANY]);
    const slices = async (): Promise<number> => {
      let count = 0;
      let after: string | null = null;
      do {
        const { next }: Awaited<ReturnType<typeof match.countSlice>> = await match.countSlice(scope, predicate, after);
        after = next;
        count += 1;
      } while (after !== null);
      return count;
    };
    // The first slice of a pass and slices on a thread adapt separately.
    const learn = async (): Promise<void> => {
      for (let time = 0; time < 6; time += 1) await match.countSlice(scope, predicate, null);
      await slices();
    };
    expect(await slices()).toBe(3);
    statementMs = 60;
    await learn();
    expect(await slices()).toBeGreaterThan(200);
    statementMs = 20;
    expect(await match.countSlice(scope, predicate, null)).toMatchObject({ count: 4 });
    statementMs = 0;
    await learn();
    expect(await slices()).toBeLessThan(4);
  });

  it('a preview counts all matching users and returns the first ones', async () => {
    const { match } = process();
    await fill(1_234);
    const half = parsePredicate([
      { trait: 'n', op: 'lt', value: 1_000 },
      { not: { trait: 'n', op: 'in', value: [0, 1] } },
      ...MANY.slice(2),
      { trait: 'user.userId', op: 'set' },
    ]);
    const { count, people } = await match.preview(scope, half, 20);
    expect(count).toBe(998);
    expect(people).toHaveLength(20);
    expect(people.every((person) => /^u:\d+$/.test(person))).toBe(true);
    expect(await match.preview(scope, parsePredicate({ trait: 'n', op: 'eq', value: 'x' }), 20)).toEqual({
      count: 0,
      people: [],
    });
  });

  it('a preview returns the first matching users, however many slices precede them', async () => {
    const { match } = process();
    await fill(700);
    const predicate = parsePredicate([{ trait: 'n', op: 'in', value: [1, 350, 500, 699] }, ...MANY.slice(1)]);
    const { count, people } = await match.preview(scope, predicate, 20);
    expect([count, people]).toEqual([4, ['u:1', 'u:350', 'u:500', 'u:699']]);
    expect(await match.preview(scope, predicate, 3)).toEqual({ count: 4, people: ['u:1', 'u:350', 'u:500'] });
    expect(await match.preview(scope, predicate, 1)).toEqual({ count: 4, people: ['u:1'] });
  });

  it('a preview that takes too long fails with QUERY_TIMEOUT', async () => {
    const { match } = process();
    await fill(899);
    statementMs = 20_000;
    // Evaluated in memory, so PostgreSQL uses slices too.
    const predicate = parsePredicate([{ event: 'order', op: 'not_performed' }, ...MANY]);
    await expect(match.preview(scope, predicate, 20)).rejects.toMatchObject({ code: 'QUERY_TIMEOUT' });
  });

  it('candidates without counters are evaluated in memory with the log', async () => {
    const { match, events } = process();
    await fill(450);
    const placed = (userId: string, total: number) =>
      events.track(scope, { module: 'm', eventType: 'order', userId, properties: { total } });
    for (const userId of ['7', '100', '300', '449']) await placed(userId, 10);
    await placed('100', 90);
    const order = { event: 'order', op: 'performed' };
    const people = async (input: unknown) => {
      const { count, people: found } = await match.preview(scope, parsePredicate(input), 20);
      expect(count).toBe(found.length);
      return found.toSorted();
    };
    expect(await people(order)).toEqual(['u:100', 'u:300', 'u:449', 'u:7']);
    expect(await people([order, { trait: 'n', op: 'gt', value: 100 }])).toEqual(['u:300', 'u:449']);
    expect(await people({ ...order, where: [{ path: 'total', op: 'gt', value: 50 }] })).toEqual(['u:100']);
    const dear = parsePredicate({ ...order, where: [{ path: 'total', op: 'gt', value: 50 }] });
    expect(await match.countSlice(scope, dear, null)).toEqual({ count: 1, next: expect.any(String) });
    const seldom = {
      not: {
        any: [
          { ...order, count: { gte: 2 } },
          { ...order, op: 'not_performed' },
        ],
      },
    };
    expect(await people(seldom)).toEqual(['u:300', 'u:449', 'u:7']);
    expect(await people([order, { audience: LISTED, op: 'not_in' }])).toEqual(['u:100', 'u:300', 'u:449']);
  });

  it('counters and the log give the same result', async () => {
    const { match, events, fillAll, counters } = process();
    await fill(300);
    for (const [userId, times] of [
      ['7', 1],
      ['100', 2],
      ['299', 3],
    ] as const)
      for (let time = 0; time < times; time += 1)
        await events.track(scope, { module: 'm', eventType: 'order', userId });
    const predicate = parsePredicate({
      event: 'order',
      op: 'performed',
      within: { n: 1, unit: 'days' },
      count: { gte: 2 },
    });
    const byLog = await match.preview(scope, predicate, 20);
    await fillAll(scope, new Map([['order', 2]]));
    if (!('event' in predicate)) throw new TypeError('an event leaf is stored as such');
    expect((await counters.coversLeaf(scope))(predicate)).toBe(true);
    expect(await match.preview(scope, predicate, 20)).toEqual(byLog);
    expect(byLog.people.toSorted()).toEqual(['u:100', 'u:299']);
  });

  it('matching and counting agree for small and large traits, and cheap and expensive predicates', async () => {
    const { match } = process();
    await fill(40);
    const { db } = database.storage;
    const full = (person: string, traits: object) => ({
      ...{ scopeId: scope.scopeId, person, traits: { ...traits }, version: 1, isTruncated: false },
      ...{ createdAt: clock.now(), lastSeenAt: clock.now() },
    });
    const long = (end: string): string => `${'\u0429'.repeat(12_000)}${end}`;
    await db
      .insert(database.tables.profiles)
      .values([
        ...Array.from({ length: 30 }, (_, n) =>
          full(`u:l${n}`, { bio: long(n % 3 === 0 ? '\u0416\u041a' : 'x'), n: 100 + n }),
        ),
        ...Array.from({ length: 30 }, (_, n) =>
          full(`u:s${n}`, { bio: n % 2 === 0 ? '\u0416\u041a' : 'x', n: 200 + n }),
        ),
      ]);
    const contains = (value: string) => ({ trait: 'bio', op: 'contains', value });
    const found = async (input: unknown): Promise<string[]> => {
      const predicate = parsePredicate(input);
      const { count, people } = await match.preview(scope, predicate, 100);
      // Another sample size uses other statements.
      expect(await match.preview(scope, predicate, 3)).toEqual({ count, people: people.slice(0, 3) });
      expect(count).toBe(people.length);
      return people.toSorted();
    };
    const those = [
      ...Array.from({ length: 10 }, (_, n) => `u:l${n * 3}`),
      ...Array.from({ length: 15 }, (_, n) => `u:s${n * 2}`),
    ].toSorted();
    const few = Array.from({ length: 5 }, (_, n) => contains(`\u0451\u0436${n}`));
    const many = Array.from({ length: 90 }, (_, n) => contains(`\u0451\u0436\u0437\u0438\u0439${n}`));
    expect(await found(contains('\u0436\u043a'))).toEqual(those);
    expect(await found({ any: [contains('\u0436\u043a'), ...few] })).toEqual(those);
    expect(await found({ any: [contains('\u0436\u043a'), ...many] })).toEqual(those);
    expect(
      await found([contains('\u0436\u043a'), { not: { any: many } }, { trait: 'n', op: 'lt', value: 200 }]),
    ).toEqual(those.filter((person) => person.startsWith('u:l')));
  });

  it('the larger the traits, the fewer users one SQLite statement reads', async () => {
    const { match } = process();
    await fill(300);
    if (database.storage.dialect.name !== 'sqlite') return;
    const { db } = database.storage;
    await db.insert(database.tables.profiles).values(
      Array.from({ length: 300 }, (_, n) => ({
        ...{ scopeId: scope.scopeId, person: `u:x${String(n).padStart(3, '0')}`, traits: { n, a: 'x'.repeat(40_000) } },
        ...{ version: 1, isTruncated: false, createdAt: clock.now(), lastSeenAt: clock.now() },
      })),
    );
    const predicate = parsePredicate(Array(5).fill({ trait: 'a', op: 'set' }));
    const { people, next } = await match.slice(scope, predicate, 'u:x');
    expect(people.length).toBeGreaterThan(10);
    expect(people.length).toBeLessThan(200);
    expect(next).toBe(people.at(-1));
  });
});
