import { describe, expect, it } from 'vitest';
import { unchecked } from '../../../test/support/unchecked.ts';
import type { Tag, WriteSet } from '../../database/commit/write-set.ts';
import { virtualClock } from '../../foundation/clock.ts';
import type { ProfileView } from '../profiles/view.ts';
import { indexAudiences } from './definitions.ts';
import { audiencePass, type Build, buildTag } from './pass.ts';
import type { Predicate } from './predicate/types.ts';
import type { AudienceStatements } from './statements.ts';

const clock = virtualClock('2026-03-01T12:00:00.000Z');
const PRO: Predicate = { trait: 'plan', op: 'eq', value: 'pro' };
const OLD: Predicate = { trait: 'age', op: 'gte', value: 30 };
const SEEN: Predicate = { trait: 'seen', op: 'within_last', value: { n: 1, unit: 'days' } };
const signal = new AbortController().signal;

/** Statements identified by their names only. */
const hot: AudienceStatements = new Proxy(unchecked({}), { get: (_, name) => ({ id: String(name), rank: 0 }) });
const profile = (name: string, traits: Record<string, unknown>): ProfileView =>
  unchecked({ scopeId: 1, person: `u:${name}`, traits, version: 3, createdAt: clock.now() });

type Differing = Parameters<typeof audiencePass>[0]['findDiff'];

/** A walk over users in memory with scripted commits. */
const given = (
  users: readonly ProfileView[],
  predicates: Readonly<Record<string, Predicate>>,
  { differing, fails = () => [] }: { differing?: Differing; fails?: (plan: WriteSet) => readonly Tag[] } = {},
) => {
  const live = indexAudiences(
    Object.entries(predicates).map(([id, predicate]) => ({ id, name: id, predicate, stage: 'build' as const })),
  );
  const builds = live.dynamic.map(
    (audience): Build => ({ audience, row: unchecked({ scopeId: 1, id: audience.id, fence: 1 }) }),
  );
  const asked = { users: 0, sql: 0 };
  const limits: number[] = [];
  const plans: WriteSet[] = [];
  const pass = audiencePass({
    storage: unchecked({
      select: async () => [],
      commit: async (plan: WriteSet) => {
        const failed = fails(plan);
        if (failed.length > 0) return { ok: false, failed: new Set(failed) };
        plans.push(plan);
        return { ok: true };
      },
    }),
    hot,
    clock,
    counting: { ofPeople: async () => () => () => null },
    people: {
      usersAfter: async (_, after, limit) => {
        asked.users += 1;
        limits.push(limit);
        const from = after === undefined ? 0 : users.findIndex(({ person }) => person === after) + 1;
        return users.slice(from, from + limit);
      },
      bumpVersion: ({ person, version }, tag) => unchecked({ bulk: { id: 'hold' }, row: { person, version }, tag }),
    },
    findDiff: async (...slice) => {
      asked.sql += 1;
      return (await differing?.(...slice)) ?? null;
    },
  });
  const told = (id: string): readonly string[] =>
    plans.flatMap(({ writes }) =>
      writes.flatMap(({ bulk, row }) =>
        bulk.id === id ? [Object.values({ of: row['audienceId'], who: row['person'] ?? row['id'] }).join(' ')] : [],
      ),
    );
  const run = (after: string | null = null) => pass(builds, live, after, signal);
  return { asked, builds, limits, plans, told, run };
};

const PEOPLE = [
  profile('ann', { plan: 'pro', age: 40 }),
  profile('bob', { plan: 'free', age: 50 }),
  profile('cy', { plan: 'pro', age: 20, seen: '2026-03-01T11:00:00.000Z' }),
];
const JOINED = ['pro u:ann', 'old u:ann', 'old u:bob', 'pro u:cy'];

describe('audiencePass', () => {
  it('a walk loads every user once for all audiences and guards each change once', async () => {
    const { asked, plans, told, run, builds } = given(PEOPLE, { pro: PRO, old: OLD });
    expect(await run()).toEqual(builds);
    expect(asked.users).toBe(1);
    expect(told('join').toSorted()).toEqual(JOINED.toSorted());
    expect(
      plans.flatMap(({ writes }) => writes.filter(({ bulk }) => bulk.id === 'hold')).map(({ row }) => row),
    ).toEqual(['u:ann', 'u:bob', 'u:cy'].map((person) => ({ person, version: 3 })));
  });

  it('a walk continues after the stored cursor', async () => {
    const many = Array.from({ length: 1_000 }, (_, at) => profile(String(at + 1_000), { plan: 'pro' }));
    const { told, asked, plans, run } = given(many, { pro: PRO });
    await run('u:1000');
    expect(told('join')).toEqual(many.slice(1).map(({ person }) => `pro ${person}`));
    expect(asked.users).toBeGreaterThan(1);
    expect(plans[0]?.writes.filter(({ bulk }) => bulk.id === 'advance')).toHaveLength(1);
    expect(plans.at(-1)?.writes.filter(({ bulk }) => bulk.id === 'advance')).toEqual([]);
  });

  it('an audience whose lease is lost is dropped and the others continue', async () => {
    const many = Array.from({ length: 1_000 }, (_, at) => profile(String(at + 1_000), { plan: 'pro', age: 40 }));
    let isLost = false;
    const { told, run, builds } = given(
      many,
      { pro: PRO, old: OLD },
      {
        fails: ({ writes }) => {
          const lost = writes.flatMap(({ tag }) => (tag === 'build:1/old' ? [tag] : []));
          isLost ||= lost.length > 0;
          return lost;
        },
      },
    );
    expect((await run()).map(({ row }) => buildTag(row))).toEqual(['build:1/pro']);
    expect([isLost, builds.length]).toEqual([true, 2]);
    expect(told('join')).toEqual(many.map(({ person }) => `pro ${person}`));
  });

  it('a conflict with a changed profile makes the following slices smaller', async () => {
    let tries = 0;
    const { limits, told, run } = given(
      PEOPLE,
      { pro: PRO },
      {
        fails: () => {
          tries += 1;
          return tries < 4 ? ['1/u:ann'] : [];
        },
      },
    );
    await run();
    const [first = 0, second = 0, third = 0] = limits;
    expect([second < first, third < second]).toEqual([true, true]);
    expect(told('join').toSorted()).toEqual(['pro u:ann', 'pro u:cy']);
  });

  it('differences found by SQL load no users', async () => {
    const { asked, told, run } = given(
      PEOPLE,
      { pro: PRO, old: OLD },
      {
        differing: async (_, [pro, old], { after }) => {
          const [ann, cy] = [
            { person: 'u:ann', version: 7 },
            { person: 'u:cy', version: 8 },
          ];
          if (!pro || !old) return null;
          return after === null
            ? {
                moves: [
                  { ...ann, audience: pro, isIn: true },
                  { ...ann, audience: old, isIn: false },
                ],
                last: 'u:ann',
                isWhole: false,
              }
            : { moves: [{ ...cy, audience: pro, isIn: true }], last: null, isWhole: true };
        },
      },
    );
    await run();
    expect(asked).toEqual({ users: 0, sql: 2 });
    expect([told('join'), told('leave'), told('hold')]).toEqual([
      ['pro u:ann', 'pro u:cy'],
      ['old u:ann'],
      [' u:ann', ' u:cy'],
    ]);
  });

  it('audiences that depend on time or other audiences, or are many, are evaluated in memory', async () => {
    const timed = given(PEOPLE, { seen: SEEN });
    await timed.run();
    expect([timed.told('join'), timed.told('check')]).toEqual([['seen u:cy'], [' u:cy']]);
    const named = given(PEOPLE, { pro: PRO, both: { audience: 'pro', op: 'in' } });
    await named.run();
    expect(named.told('join').toSorted()).toEqual(['both u:ann', 'both u:cy', 'pro u:ann', 'pro u:cy']);
    const many = given(PEOPLE, Object.fromEntries(Array.from({ length: 13 }, (_, at) => [`a${at}`, PRO])));
    await many.run();
    expect(many.told('join')).toHaveLength(26);
    for (const { asked } of [timed, named, many]) expect(asked.sql).toBe(0);
  });
});
