import { describe, expect, it } from 'vitest';
import { parsePredicate } from '../../../../test/support/audiences/predicate/parse.ts';
import { nextChange } from '../evaluate.ts';
import { evaluate } from './evaluate.ts';
import { explain } from './explain.ts';
import { type Facts, NO_FACTS } from './facts.ts';
import { mentions } from './mentions.ts';
import { conditionSchema } from './schema.ts';

const NOW = new Date('2026-11-22T12:00:00.000Z');
const DAY = 86_400_000;
const ID = '01932d4e-7b2f-7c3a-9f00-0123456789ab';

const factsOf = (given: Partial<Facts> = {}): Facts => ({ ...NO_FACTS, now: NOW, ...given });

describe('explain', () => {
  it('explain returns the verdict of each node and the value that each leaf was compared with', () => {
    const predicate = parsePredicate({
      any: [
        {
          all: [
            { trait: 'plan', op: 'eq', value: 'pro' },
            { trait: 'age', op: 'gt', value: 30 },
          ],
        },
        { not: { event: 'order', op: 'performed', within: { n: 7, unit: 'days' } } },
        { audience: ID, op: 'in' },
        { trait: 'user.createdAt', op: 'before', value: '2026-01-01' },
      ],
    });
    const facts = factsOf({
      traits: { plan: 'pro' },
      user: { createdAt: NOW },
      tallyOf: () => ({ total: 5, recent: [NOW.getTime() - DAY, NOW.getTime() - 8 * DAY] }),
      isMember: () => false,
    });
    expect(explain(predicate, facts)).toEqual({
      verdict: 'unknown',
      any: [
        {
          verdict: 'unknown',
          all: [
            { verdict: 'true', leaf: { trait: 'plan', op: 'eq', value: 'pro' }, actual: { value: 'pro' } },
            { verdict: 'unknown', leaf: { trait: 'age', op: 'gt', value: 30 }, actual: {} },
          ],
        },
        {
          verdict: 'false',
          not: {
            verdict: 'true',
            leaf: { event: 'order', op: 'performed', within: { n: 7, unit: 'days' } },
            actual: { count: 1, lastAt: '2026-11-21T12:00:00.000Z' },
          },
        },
        { verdict: 'false', leaf: { audience: ID, op: 'in' }, actual: { value: false } },
        {
          verdict: 'false',
          leaf: { trait: 'user.createdAt', op: 'before', value: '2026-01-01' },
          actual: { value: '2026-11-22T12:00:00.000Z' },
        },
      ],
    });
  });
});

describe('mentions', () => {
  it('mentions lists everything that a verdict depends on', () => {
    const found = mentions(
      conditionSchema.parse([
        { trait: 'a.b', op: 'set' },
        { not: { trait: 'user.email', op: 'set' } },
        { path: 'trait.plan.name', op: 'set' },
        { path: 'user.locale', op: 'set' },
        { path: 'event.x', op: 'set' },
        { trait: 'day', op: 'before', value: '2026-03-01', timezone: 'user' },
        { event: 'order', op: 'performed', within: { n: 1, unit: 'days' }, count: { gte: 3 } },
        { event: 'order', op: 'performed' },
        { event: 'view', op: 'performed', where: [{ path: 'a', op: 'set' }] },
        { audience: ID, op: 'in' },
      ]),
    );
    expect(found).toEqual({
      traits: new Set(['a.b', 'plan', 'day']),
      fields: new Set(['email', 'locale', 'timezone']),
      events: new Map([
        ['order', 3],
        ['view', 0],
      ]),
      logLeaves: [{ event: 'view', op: 'performed', where: [{ path: 'a', op: 'set' }] }],
      audiences: new Set([ID]),
      isTimed: true,
      usesOrgZone: false,
      leaves: 10,
    });
  });

  it("mentions reports whether the project's time zone matters", () => {
    const usesOrgZone = (...zones: readonly string[]) =>
      mentions(
        parsePredicate({ any: zones.map((timezone) => ({ trait: 'a', op: 'before', value: '2026-01-01', timezone })) }),
      ).usesOrgZone;
    expect([usesOrgZone('user', 'UTC'), usesOrgZone('user', 'org')]).toEqual([false, true]);
  });

  it('mentions reports whether time matters', () => {
    const isTimed = (given: unknown) => mentions(parsePredicate(given)).isTimed;
    expect(isTimed({ trait: 'a', op: 'before', value: '2026-01-01' })).toBe(false);
    expect(isTimed({ event: 'e', op: 'performed', count: { gte: 2 } })).toBe(false);
    expect(isTimed({ event: 'e', op: 'performed', within: { n: 1, unit: 'days' } })).toBe(true);
    for (const op of ['within_last', 'within_next', 'older_than'])
      expect(isTimed({ any: [{ trait: 'a', op, value: { n: 1, unit: 'days' } }] })).toBe(true);
  });
});

describe('nextChange', () => {
  it('nextChange returns the next time at which the verdict changes', () => {
    const day = (offset: number) => new Date(NOW.getTime() + offset * DAY).toISOString();
    const span = { n: 2, unit: 'days' };
    const predicates = [
      ...['within_last', 'within_next', 'older_than'].map((op) => ({ trait: 'a', op, value: span })),
      ...[{ gte: 1 }, { gte: 2 }, { gte: 3 }, { gte: 0, lte: 1 }, { gte: 1, lte: 2 }].map((count) => ({
        event: 'e',
        op: 'performed',
        within: span,
        count,
      })),
    ].map((one) => parsePredicate(one));
    const recent = [1, 0.5, -1, -1.5].map((offset) => NOW.getTime() + offset * DAY);
    for (const predicate of predicates)
      for (const offset of [-3, -2, -1.999, -1, 0, 1, 2, 3]) {
        const at = (now: Date) => factsOf({ now, traits: { a: day(offset) }, tallyOf: () => ({ total: 4, recent }) });
        let now = NOW;
        for (let turns = 0; turns < 10; turns += 1) {
          const next = nextChange(predicate, at(now));
          const until = next?.getTime() ?? now.getTime() + 30 * DAY;
          const before = evaluate(predicate, at(now));
          expect(until).toBeGreaterThan(now.getTime());
          for (const part of [0.001, 0.5, 0.999])
            expect(evaluate(predicate, at(new Date(now.getTime() + Math.floor((until - now.getTime()) * part))))).toBe(
              before,
            );
          expect(evaluate(predicate, at(new Date(until - 1)))).toBe(before);
          if (next === null) break;
          now = next;
        }
        expect(nextChange(predicate, at(now))).toBeNull();
      }
  });

  it('nextChange is null if time does not matter', () => {
    const facts = factsOf({ traits: { a: '2026-01-01' } });
    expect(nextChange(parsePredicate({ trait: 'a', op: 'after', value: '2026-12-01' }), facts)).toBeNull();
    expect(
      nextChange(parsePredicate({ trait: 'b', op: 'older_than', value: { n: 1, unit: 'days' } }), facts),
    ).toBeNull();
  });

  it('nextChange is null beyond the last time that databases store', () => {
    const span = { n: 100, unit: 'days' };
    const [older, within] = ['older_than', 'within_last'].map((op) => parsePredicate({ trait: 'a', op, value: span }));
    const facts = (a: string) => factsOf({ traits: { a } });
    if (!older || !within) throw new TypeError('both are there');
    expect(nextChange(older, facts('9999-12-31'))).toBeNull();
    expect(nextChange(within, facts('9999-12-31T23:59:59-12:00'))).toBeNull();
    expect(nextChange(within, facts('9999-12-31'))).toEqual(new Date('9999-12-31'));
  });

  it('nextChange returns the earliest time of all leaves', () => {
    const predicate = parsePredicate([
      { trait: 'a', op: 'within_next', value: { n: 1, unit: 'days' } },
      { not: { trait: 'b', op: 'within_last', value: { n: 1, unit: 'hours' } } },
    ]);
    const facts = factsOf({ traits: { a: '2026-12-01', b: '2026-11-22T11:30:00Z' } });
    expect(nextChange(predicate, facts)).toEqual(new Date('2026-11-22T12:30:00Z'));
  });
});
