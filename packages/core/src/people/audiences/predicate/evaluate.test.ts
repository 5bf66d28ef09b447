import { describe, expect, it } from 'vitest';
import { parsePredicate } from '../../../../test/support/audiences/predicate/parse.ts';
import { evaluate, holds } from './evaluate.ts';
import { type Facts, NO_FACTS, readsLog, type Tally, tallyKey } from './facts.ts';
import { conditionSchema } from './schema.ts';
import type { EventLeaf, Verdict } from './types.ts';

const NOW = new Date('2026-11-22T12:00:00.000Z');
const DAY = 86_400_000;
const ID = '01932d4e-7b2f-7c3a-9f00-0123456789ab';

const factsOf = (given: Partial<Facts> = {}): Facts => ({ ...NO_FACTS, now: NOW, ...given });
const of = (traits: Record<string, unknown>): Facts => factsOf({ traits });
const ask = (predicate: unknown, facts: Facts): Verdict => evaluate(parsePredicate(predicate), facts);
const askTrait = (op: string, value: unknown, trait: unknown, more: object = {}): Verdict =>
  ask({ trait: 'a', op, ...(value === undefined ? {} : { value }), ...more }, of({ a: trait }));

describe('evaluate', () => {
  const eq = { trait: 'plan', op: 'eq', value: 'pro' };
  const set = { trait: 'plan', op: 'set' };
  const notSet = { trait: 'plan', op: 'not_set' };
  const asked = [
    eq,
    { trait: 'plan', op: 'neq', value: 'pro' },
    { not: eq },
    { any: [eq, notSet] },
    { all: [eq, set] },
    { not: { all: [eq, set] } },
  ];

  it.each([
    ['"pro"', { plan: 'pro' }, [true, false, false, true, true, false]],
    ['"free"', { plan: 'free' }, [false, true, true, false, false, true]],
    ['missing', {}, [null, null, null, true, false, true]],
    ['null', { plan: null }, [null, null, null, true, false, true]],
  ])('a test of a plan that is %s has the verdicts of the specification', (_, traits, expected) => {
    expect(asked.map((predicate) => ask(predicate, of(traits)))).toEqual(expected);
  });

  it('all, any and not follow three-valued logic', () => {
    const [yes, no, unknown] = [set, notSet, { trait: 'x', op: 'eq', value: 1 }];
    const facts = of({ plan: 1 });
    const table: readonly (readonly [unknown, unknown, Verdict, Verdict])[] = [
      [yes, yes, true, true],
      [yes, no, false, true],
      [yes, unknown, null, true],
      [no, no, false, false],
      [no, unknown, false, null],
      [unknown, unknown, null, null],
    ];
    for (const [a, b, all, any] of table)
      for (const pair of [
        [a, b],
        [b, a],
      ]) {
        expect(ask({ all: pair }, facts)).toBe(all);
        expect(ask({ any: pair }, facts)).toBe(any);
      }
    expect(ask({ not: unknown }, facts)).toBeNull();
  });

  it('empty lists of nodes are true for all and false for any', () => {
    expect(evaluate({ all: [] }, of({}))).toBe(true);
    expect(evaluate({ any: [] }, of({}))).toBe(false);
  });

  it('holds is true only for the verdict true', () => {
    const unknown = parsePredicate(eq);
    expect(holds(unknown, of({}))).toBe(false);
    expect(holds({ not: unknown }, of({}))).toBe(false);
    expect(holds(unknown, of({ plan: 'pro' }))).toBe(true);
  });
});

describe('a leaf with a value', () => {
  it('eq compares by type and value', () => {
    expect(askTrait('eq', 0, '0')).toBe(false);
    expect(askTrait('eq', 1, true)).toBe(false);
    expect(askTrait('eq', 'true', true)).toBe(false);
    expect(askTrait('eq', 0, -0)).toBe(true);
    expect(askTrait('eq', 'a', 'A')).toBe(false);
    expect(askTrait('eq', 'a', ['a'])).toBe(false);
    expect(askTrait('neq', 'a', ['a'])).toBe(true);
    expect(askTrait('in', ['1', 2], 2)).toBe(true);
    expect(askTrait('in', ['1', 2], '2')).toBe(false);
    expect(askTrait('not_in', ['1', 2], 3)).toBe(true);
    expect(askTrait('not_in', [1], null)).toBeNull();
  });

  it('gt, gte, lt, lte and between accept numbers only', () => {
    const verdicts = (trait: unknown) => ['gt', 'gte', 'lt', 'lte'].map((op) => askTrait(op, 5, trait));
    expect(verdicts(5)).toEqual([false, true, false, true]);
    expect(verdicts(6)).toEqual([true, true, false, false]);
    expect(verdicts(4)).toEqual([false, false, true, true]);
    expect(verdicts('6')).toEqual([null, null, null, null]);
    expect([1, 2, 3, 4].map((value) => askTrait('between', [2, 3], value))).toEqual([false, true, true, false]);
    expect(askTrait('between', [0, 1], true)).toBeNull();
  });

  it('string operators ignore case unless caseSensitive is set', () => {
    expect(askTrait('contains', 'ÉTÉ', 'L’été dernier')).toBe(true);
    expect(askTrait('contains', 'ÉTÉ', 'L’été dernier', { caseSensitive: true })).toBe(false);
    expect(askTrait('contains', 'été', 'L’été dernier', { caseSensitive: true })).toBe(true);
    expect(askTrait('not_contains', 'x', 'abc')).toBe(true);
    expect(askTrait('not_contains', 'B', 'abc')).toBe(false);
    expect(askTrait('starts_with', 'AB', 'abc')).toBe(true);
    expect(askTrait('starts_with', 'bc', 'abc')).toBe(false);
    expect(askTrait('ends_with', 'BC', 'abc')).toBe(true);
    expect(askTrait('ends_with', 'ab', 'abc')).toBe(false);
    expect(askTrait('contains', '1', 1)).toBeNull();
    expect(askTrait('contains', 'a', ['a'])).toBeNull();
  });

  it('includes operators search list elements', () => {
    const list = ['a', 1, true, null, ['b'], { c: 1 }];
    expect(askTrait('includes', 'a', list)).toBe(true);
    expect(askTrait('includes', '1', list)).toBe(false);
    expect(askTrait('includes', 'b', list)).toBe(false);
    expect(askTrait('not_includes', 'b', list)).toBe(true);
    expect(askTrait('includes_any', ['x', 1], list)).toBe(true);
    expect(askTrait('includes_any', ['x', 'y'], list)).toBe(false);
    expect(askTrait('includes_all', ['a', true], list)).toBe(true);
    expect(askTrait('includes_all', ['a', false], list)).toBe(false);
    expect(askTrait('includes', 'a', [])).toBe(false);
    expect(askTrait('includes', 'a', 'a')).toBeNull();
  });

  it('date operators compare times', () => {
    expect(askTrait('before', '2026-11-22T12:00:00Z', '2026-11-22T12:30:00+01:00')).toBe(true);
    expect(askTrait('before', '2026-11-22', '2026-11-22')).toBe(false);
    expect(askTrait('after', '2026-11-22', '2026-11-22T00:00:00.001')).toBe(true);
    expect(askTrait('after', '2026-11-22', 'tomorrow')).toBeNull();
    expect(askTrait('after', '2026-11-22', 1_800_000_000_000)).toBe(true);
    expect(askTrait('after', '2026-11-22', '1800000000')).toBe(true);
    expect(askTrait('before', 1_800_000_000, '2026-11-22 12:00:00')).toBe(true);
    expect(askTrait('after', '2026-11-22', 1e300)).toBeNull();
  });

  it('a plain date begins at midnight of a time zone', () => {
    const isLater = (value: string, timezone: string) =>
      ask({ trait: 'day', op: 'after', value: '2026-03-28T23:00:00Z', timezone }, factsOf({ traits: { day: value } }));
    expect(isLater('2026-03-29', 'Europe/Paris')).toBe(false);
    expect(isLater('2026-03-29', 'UTC')).toBe(true);
    expect(isLater('2026-03-29', 'America/New_York')).toBe(true);
    expect(isLater('2026-03-28T23:00:01', 'America/New_York')).toBe(true);
    const day = { trait: 'at', op: 'before', value: '2026-03-29', timezone: 'Europe/Paris' };
    expect(ask(day, factsOf({ traits: { at: '2026-03-28T22:59:59.999Z' } }))).toBe(true);
    expect(ask(day, factsOf({ traits: { at: '2026-03-28T23:00:00Z' } }))).toBe(false);
  });

  it('the time zones user and org are resolved in a condition of a step', () => {
    const asks = (timezone: string, facts: Partial<Facts>) =>
      evaluate(
        conditionSchema.parse({ path: 'event.day', op: 'after', value: '2026-03-28T23:30:00Z', timezone }),
        factsOf({ event: { day: '2026-03-29' }, ...facts }),
      );
    const [inParis, inUtc] = [{ user: { timezone: 'Europe/Paris' } }, { user: { timezone: 'UTC' } }];
    expect(asks('user', inParis)).toBe(false);
    expect(asks('user', { ...inUtc, orgTimezone: 'Europe/Paris' })).toBe(true);
    expect(asks('user', { user: { timezone: 'Mars/Base' }, orgTimezone: 'Europe/Paris' })).toBe(false);
    expect(asks('org', { ...inUtc, orgTimezone: 'Europe/Paris' })).toBe(false);
    expect(asks('org', inParis)).toBe(true);
    expect(asks('user', {})).toBe(true);
  });

  it('relative dates are measured from now with one inclusive and one exclusive end', () => {
    const at = (offset: number): string => new Date(NOW.getTime() + offset).toISOString();
    const last = { n: 1, unit: 'days' };
    expect([-DAY, -DAY + 1, 0, 1].map((offset) => askTrait('within_last', last, at(offset)))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect([0, 1, DAY, DAY + 1].map((offset) => askTrait('within_next', last, at(offset)))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect([-DAY - 1, -DAY, -DAY + 1].map((offset) => askTrait('older_than', last, at(offset)))).toEqual([
      true,
      true,
      false,
    ]);
    expect(askTrait('older_than', last, 'long ago')).toBeNull();
  });

  it('version operators compare versions', () => {
    const verdicts = (trait: unknown) =>
      ['ver_eq', 'ver_gt', 'ver_gte', 'ver_lt', 'ver_lte'].map((op) => askTrait(op, '2.10', trait));
    expect(verdicts('2.10.0')).toEqual([true, false, true, false, true]);
    expect(verdicts('2.9.9')).toEqual([false, false, false, true, true]);
    expect(verdicts('2.10.0-beta')).toEqual([false, false, false, true, true]);
    expect(verdicts('2.10.0.1')).toEqual([false, true, true, false, false]);
    expect(verdicts(2.1)).toEqual([null, null, null, null, null]);
  });

  it('only own members are read, whatever their names', () => {
    for (const trait of ['constructor', '__proto__', 'toString', 'a.b', '$', '', '"', '😀']) {
      expect(ask({ trait, op: 'set' }, of({}))).toBe(false);
      expect(ask({ trait, op: 'eq', value: 1 }, of(Object.fromEntries([[trait, 1]])))).toBe(true);
    }
    expect(ask({ trait: 'a.b', op: 'set' }, of({ a: { b: 1 } }))).toBe(false);
  });

  it('built-in fields are read; times are dates', () => {
    const facts = factsOf({ user: { userId: 'ada', email: null, createdAt: new Date(NOW.getTime() - DAY) } });
    expect(ask({ trait: 'user.userId', op: 'starts_with', value: 'A' }, facts)).toBe(true);
    expect(ask({ trait: 'user.email', op: 'set' }, facts)).toBe(false);
    expect(ask({ trait: 'user.phone', op: 'not_set' }, facts)).toBe(true);
    expect(ask({ trait: 'user.createdAt', op: 'older_than', value: { n: 24, unit: 'hours' } }, facts)).toBe(true);
    expect(ask({ trait: 'user.lastSeenAt', op: 'after', value: '2026-01-01' }, facts)).toBeNull();
  });
});

describe('a leaf with an event', () => {
  const leaf = (more: object = {}): EventLeaf =>
    // Safe: one leaf with an event.
    parsePredicate({ event: 'order', op: 'performed', ...more }) as EventLeaf;
  const ago = (...days: readonly number[]): readonly number[] => days.map((n) => NOW.getTime() - n * DAY);
  const verdict = (one: EventLeaf, tally: Tally | null): Verdict =>
    evaluate(one, factsOf({ tallyOf: (key) => (key === tallyKey(one) ? tally : null) }));
  const within = { n: 7, unit: 'days' };

  it('without a window the total counts', () => {
    expect(verdict(leaf(), { total: 0, recent: [] })).toBe(false);
    expect(verdict(leaf(), { total: 1, recent: [] })).toBe(true);
    expect(verdict(leaf({ op: 'not_performed' }), { total: 0, recent: [] })).toBe(true);
    const some = leaf({ count: { gte: 2, lte: 3 } });
    expect([1, 2, 3, 4].map((total) => verdict(some, { total, recent: [] }))).toEqual([false, true, true, false]);
    const few = leaf({ count: { lte: 1 } });
    expect([0, 1, 2].map((total) => verdict(few, { total, recent: [] }))).toEqual([false, true, false]);
    expect(verdict(leaf({ count: { gte: 0, lte: 1 } }), { total: 0, recent: [] })).toBe(true);
  });

  it('a window excludes its far end', () => {
    expect(verdict(leaf({ within }), { total: 3, recent: ago(7, 8, 9) })).toBe(false);
    expect(verdict(leaf({ within }), { total: 3, recent: ago(6.9, 8, 9) })).toBe(true);
    expect(verdict(leaf({ within, op: 'not_performed' }), { total: 3, recent: ago(8, 9, 10) })).toBe(true);
    const two = leaf({ within, count: { gte: 2 } });
    expect(verdict(two, { total: 3, recent: ago(1, 6, 8) })).toBe(true);
    expect(verdict(two, { total: 3, recent: ago(1, 8, 9) })).toBe(false);
    const atMost = leaf({ within, count: { gte: 0, lte: 1 } });
    expect(verdict(atMost, { total: 9, recent: ago(1, 8) })).toBe(true);
    expect(verdict(atMost, { total: 9, recent: ago(1, 2) })).toBe(false);
  });

  it('an event that is not counted is unknown', () => {
    expect(verdict(leaf(), null)).toBeNull();
  });

  it('leaves that counters cannot answer read the log', () => {
    expect(readsLog(leaf({ count: { gte: 1_000 } }))).toBe(false);
    expect(readsLog(leaf({ within, count: { gte: 100 } }))).toBe(false);
    expect(readsLog(leaf({ within, count: { gte: 101 } }))).toBe(true);
    expect(readsLog(leaf({ within, count: { lte: 100 } }))).toBe(true);
    const where = [{ path: 'a', op: 'set' }];
    expect(readsLog(leaf({ where }))).toBe(true);
    expect(tallyKey(leaf({ where }))).not.toBe(tallyKey(leaf({ where: [{ path: 'b', op: 'set' }] })));
    expect(tallyKey(leaf({ within }))).toBe('order');
  });
});

describe('a leaf with an audience', () => {
  it('in and not_in test the membership', () => {
    const facts = (isIn: boolean | null) => factsOf({ isMember: (id) => (id === ID ? isIn : null) });
    const verdicts = (op: string) => [true, false, null].map((isIn) => ask({ audience: ID, op }, facts(isIn)));
    expect(verdicts('in')).toEqual([true, false, null]);
    expect(verdicts('not_in')).toEqual([false, true, null]);
  });
});

describe('a leaf with a path', () => {
  it('paths read own members of event, user, trait and steps', () => {
    const facts = factsOf({
      user: { email: 'ada@example.com' },
      traits: { plan: { name: 'pro' }, 'plan.name': 'other' },
      event: { order: { total: 12 }, list: [1], items: [{ name: 'Mug' }] },
      steps: { answer: { text: 'yes' } },
    });
    const yes = [
      { path: 'event.order.total', op: 'gt', value: 10 },
      { path: 'event.list', op: 'includes', value: 1 },
      { path: 'event.list.0', op: 'eq', value: 1 },
      { path: 'event.list.1', op: 'not_set' },
      { path: 'event.list.length', op: 'not_set' },
      { path: 'event.items.0.name', op: 'eq', value: 'Mug' },
      { path: 'event.order.constructor', op: 'not_set' },
      { path: 'event.order.total.x', op: 'not_set' },
      { path: 'user.email', op: 'ends_with', value: '@example.com' },
      { path: 'trait.plan.name', op: 'eq', value: 'pro' },
      { path: 'steps.answer.text', op: 'eq', value: 'yes' },
    ];
    for (const leaf of yes) expect(holds(conditionSchema.parse(leaf), facts), leaf.path).toBe(true);
    const missing = { path: 'steps.answer.choice', op: 'neq', value: 'a' };
    expect(evaluate(conditionSchema.parse(missing), facts)).toBeNull();
    expect(evaluate(conditionSchema.parse(missing), factsOf())).toBeNull();
  });
});
