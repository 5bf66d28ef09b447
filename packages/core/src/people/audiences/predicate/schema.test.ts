import { describe, expect, it } from 'vitest';
import { parsePredicate } from '../../../../test/support/audiences/predicate/parse.ts';
import { isBeckonError } from '../../../foundation/errors.ts';
import { conditionSchema, predicateSchema } from './schema.ts';
import type { Op } from './types.ts';

const ID = '01932d4e-7b2f-7c3a-9f00-0123456789ab';

const fieldsOf = (given: unknown): Record<string, string[]> => {
  try {
    parsePredicate(given);
  } catch (error) {
    if (isBeckonError(error, 'VALIDATION_ERROR')) return error.details?.fieldErrors ?? {};
    throw error;
  }
  return {};
};
const nested = (levels: number): unknown => {
  let node: unknown = { trait: 'a', op: 'set' };
  for (let level = 1; level < levels; level += 1) node = { not: node };
  return node;
};

const VALUES: Readonly<Record<Op, unknown>> = {
  ...{ set: undefined, not_set: undefined, eq: 'a', neq: 1, in: ['a', 1], not_in: [true] },
  ...{ gt: 1, gte: 1.5, lt: -1, lte: 0, between: [1, 2] },
  ...{ contains: 'a', not_contains: 'a', starts_with: 'a', ends_with: 'a' },
  ...{ includes: 'a', not_includes: 1, includes_any: ['a'], includes_all: ['a', 2] },
  ...{ before: '2026-11-22', after: '2026-11-22T18:30:00Z', within_last: { n: 3, unit: 'days' } },
  ...{ within_next: { n: 1, unit: 'weeks' }, older_than: { n: 1, unit: 'hours' } },
  ...{ ver_eq: '1', ver_gt: '1.2', ver_gte: '1.2.3', ver_lt: '1.2.3.4', ver_lte: '0' },
};

describe('predicate schema', () => {
  it('every operator of a trait is accepted and stored unchanged', () => {
    for (const [op, value] of Object.entries(VALUES)) {
      const leaf = { trait: 'plan', op, ...(value === undefined ? {} : { value }) };
      expect(parsePredicate(leaf)).toEqual(leaf);
    }
  });

  it('events with count, window and conditions, and audiences are accepted', () => {
    const leaf = {
      event: 'order.placed',
      op: 'performed',
      count: { gte: 2, lte: 5 },
      within: { n: 30, unit: 'days' },
      where: [{ path: 'cart.total', op: 'gte', value: 10 }],
    };
    expect(parsePredicate(leaf)).toEqual(leaf);
    expect(parsePredicate({ audience: ID.toUpperCase(), op: 'not_in' })).toEqual({ audience: ID, op: 'not_in' });
  });

  it('a top-level array means all', () => {
    expect(parsePredicate([{ trait: 'a', op: 'set' }])).toEqual({ all: [{ trait: 'a', op: 'set' }] });
  });

  it('the stored form has one key order and parses to itself', () => {
    const given = {
      any: [
        { value: 'x', op: 'contains', caseSensitive: false, trait: 'a' },
        { within: { unit: 'day', n: 1 }, op: 'performed', event: 'e' },
        { value: [1, 1, -0], op: 'in', trait: 'n' },
      ],
    };
    const stored = parsePredicate(given);
    expect(JSON.stringify(stored)).toBe(
      '{"any":[{"trait":"a","op":"contains","value":"x"},' +
        '{"event":"e","op":"performed","within":{"n":1,"unit":"days"}},{"trait":"n","op":"in","value":[1,0]}]}',
    );
    expect(JSON.stringify(parsePredicate(JSON.parse(JSON.stringify(stored))))).toBe(JSON.stringify(stored));
  });

  it('user, org and IANA names are accepted as time zones; the error for others names them', () => {
    const zoned = (timezone: string) => ({ trait: 'a', op: 'before', value: '2026-11-22', timezone });
    for (const zone of ['user', 'org', 'Europe/Paris']) expect(parsePredicate(zoned(zone))).toEqual(zoned(zone));
    for (const schema of [predicateSchema, conditionSchema])
      expect(schema.safeParse(zoned('Mars/Base')).error?.issues.map(({ message }) => message)).toEqual([
        'must be user, org or an IANA time zone such as Europe/Paris',
      ]);
  });

  it('text is normalized as the databases store it', () => {
    expect(parsePredicate({ trait: 'a', op: 'eq', value: 'x\ud800\0' })).toEqual({
      trait: 'a',
      op: 'eq',
      value: 'x\ufffd\ufffd',
    });
  });

  it.each([
    ['an empty list', { any: [{ all: [] }] }, 'predicate.any.0.all'],
    ['an empty array at the top', [], 'predicate'],
    ['a list of lists', [[{ trait: 'a', op: 'set' }]], 'predicate.0'],
    ['no subject', { op: 'set' }, 'predicate'],
    ['two subjects', { trait: 'a', event: 'b', op: 'performed' }, 'predicate'],
    ['a group beside a leaf', { not: { trait: 'a', op: 'set' }, trait: 'b' }, 'predicate.trait'],
    ['an unknown key', { trait: 'a', op: 'set', extra: 1 }, 'predicate.extra'],
    ['an unknown operator', { all: [{ trait: 'a', op: 'like', value: 'x' }] }, 'predicate.all.0.op'],
    ['an operator of a prototype', { trait: 'a', op: 'constructor' }, 'predicate.op'],
    ['a value of set', { trait: 'a', op: 'set', value: 1 }, 'predicate.value'],
    ['null to compare with', { trait: 'a', op: 'eq', value: null }, 'predicate.value'],
    ['a number that is text', { trait: 'a', op: 'gt', value: '1' }, 'predicate.value'],
    ['a number that is none', { trait: 'a', op: 'gt', value: Number.NaN }, 'predicate.value'],
    ['a range of one', { trait: 'a', op: 'between', value: [1] }, 'predicate.value'],
    ['a range from above', { trait: 'a', op: 'between', value: [2, 1] }, 'predicate.value'],
    [
      'more letters than a database replaces',
      {
        trait: 'a',
        op: 'contains',
        value: Array.from({ length: 65 }, (_, at) => String.fromCodePoint(0x1e01 + 2 * at)).join(''),
      },
      'predicate.value',
    ],
    ['nothing to contain', { trait: 'a', op: 'contains', value: '' }, 'predicate.value'],
    ['case of what has none', { trait: 'a', op: 'eq', value: 'x', caseSensitive: true }, 'predicate.caseSensitive'],
    ['a list with nothing in it', { trait: 'a', op: 'in', value: [] }, 'predicate.value'],
    ['an object in a list', { trait: 'a', op: 'in', value: ['a', {}] }, 'predicate.value.1'],
    ['more than 1,000 values', { trait: 'a', op: 'in', value: Array(1_001).fill('x') }, 'predicate.value'],
    ['a day that there is not', { trait: 'a', op: 'before', value: '2026-02-29' }, 'predicate.value'],
    ['a unix time beyond the year 9999', { trait: 'a', op: 'before', value: 1e15 }, 'predicate.value'],
    ['an unknown time zone', { trait: 'a', op: 'before', value: 1, timezone: 'Mars/Base' }, 'predicate.timezone'],
    [
      'the time zone of the org for an event',
      { event: 'e', op: 'performed', where: [{ path: 'a', op: 'before', value: 1, timezone: 'org' }] },
      'predicate.where.0.timezone',
    ],
    [
      'the time zone of whoever an event is of',
      { event: 'e', op: 'performed', where: [{ path: 'a', op: 'before', value: 1, timezone: 'user' }] },
      'predicate.where.0.timezone',
    ],
    ['the time zone of what is no date', { trait: 'a', op: 'eq', value: 1, timezone: 'UTC' }, 'predicate.timezone'],
    ['no span', { trait: 'a', op: 'within_last', value: 3 }, 'predicate.value'],
    ['half a day', { trait: 'a', op: 'within_last', value: { n: 0.5, unit: 'days' } }, 'predicate.value.n'],
    ['months, which differ', { trait: 'a', op: 'older_than', value: { n: 1, unit: 'months' } }, 'predicate.value.unit'],
    ['more than 100 years', { trait: 'a', op: 'older_than', value: { n: 36_501, unit: 'days' } }, 'predicate.value.n'],
    ['no version', { trait: 'a', op: 'ver_eq', value: '1.x' }, 'predicate.value'],
    ['what comes before a version', { trait: 'a', op: 'ver_eq', value: '1.0-beta' }, 'predicate.value'],
    ['a long name', { trait: 'x'.repeat(129), op: 'set' }, 'predicate.trait'],
    ['an unknown built-in field', { trait: 'user.age', op: 'set' }, 'predicate.trait'],
    ['a number of a built-in text', { trait: 'user.email', op: 'gt', value: 1 }, 'predicate.op'],
    ['equality of a built-in time', { trait: 'user.createdAt', op: 'eq', value: '2026-11-22' }, 'predicate.op'],
    ['an event without a name', { event: '', op: 'performed' }, 'predicate.event'],
    ['an unknown operator of events', { event: 'e', op: 'did' }, 'predicate.op'],
    ['a count of nothing', { event: 'e', op: 'performed', count: {} }, 'predicate.count'],
    ['a count from above', { event: 'e', op: 'performed', count: { gte: 3, lte: 2 } }, 'predicate.count.lte'],
    ['a count below the one that is meant', { event: 'e', op: 'performed', count: { lte: 0 } }, 'predicate.count.lte'],
    ['half an event', { event: 'e', op: 'performed', count: { gte: 0.5 } }, 'predicate.count.gte'],
    ['no conditions', { event: 'e', op: 'performed', where: [] }, 'predicate.where'],
    [
      'an empty name in a path',
      { event: 'e', op: 'performed', where: [{ path: 'a..b', op: 'set' }] },
      'predicate.where.0.path',
    ],
    [
      'what an event cannot know',
      { event: 'e', op: 'performed', where: [{ path: 'a', op: 'older_than', value: { n: 1, unit: 'days' } }] },
      'predicate.where.0.op',
    ],
    ['an audience that is no id', { audience: 'vip', op: 'in' }, 'predicate.audience'],
    ['a path', { path: 'event.a', op: 'set' }, 'predicate'],
  ])('the schema rejects %s', (_, given, field) => {
    expect(Object.keys(fieldsOf(given))).toContain(field);
  });

  it('a predicate may have 8 levels; 9 are rejected', () => {
    expect(fieldsOf(nested(8))).toEqual({});
    expect(Object.keys(fieldsOf(nested(9)))).toEqual([`predicate${'.not'.repeat(8)}`]);
    expect(Object.keys(fieldsOf(nested(50_000)))).toEqual([`predicate${'.not'.repeat(8)}`]);
  });

  it('a predicate may have 100 nodes, including where entries; 101 are rejected', () => {
    const leaf = { trait: 'a', op: 'set' };
    const where = Array(48).fill({ path: 'a', op: 'set' });
    const event = { event: 'e', op: 'performed', where };
    expect(fieldsOf({ all: Array(99).fill(leaf) })).toEqual({});
    expect(fieldsOf({ all: Array(100).fill(leaf) })).toEqual({ predicate: ['has more than 100 nodes'] });
    expect(fieldsOf({ all: [event, ...Array(50).fill(leaf)] })).toEqual({});
    expect(fieldsOf({ all: [event, ...Array(51).fill(leaf)] })).toEqual({ predicate: ['has more than 100 nodes'] });
    expect(fieldsOf({ all: Array(1_000_000).fill(leaf) })).toEqual({ predicate: ['has more than 100 nodes'] });
  });

  it('several errors are reported at once', () => {
    const wrong = { trait: 'a', op: 'gt', value: 'x' };
    expect(Object.keys(fieldsOf([wrong, { not: wrong }]))).toEqual(['predicate.0.value', 'predicate.1.not.value']);
  });

  it('error paths start at the position of the predicate', () => {
    const parsed = predicateSchema.safeParse({ not: { trait: 'a', op: 'no' } });
    expect(parsed.error?.issues.map(({ path }) => path)).toEqual([['not', 'op']]);
  });
});

describe('condition schema', () => {
  it('a condition also accepts paths with the four roots', () => {
    const paths = ['event.order.id', 'user.email', 'trait.plan', 'steps.answer.text'];
    const given = {
      any: [...paths.map((path) => ({ path, op: 'set' })), { trait: 'a', op: 'set' }, { audience: ID, op: 'in' }],
    };
    expect(conditionSchema.parse(given)).toEqual(given);
  });

  it('a condition rejects other roots, a root without a field and unknown built-in fields', () => {
    for (const path of ['secret.a', 'event', 'event.', 'user.age', 'user.email.x', 'a.b', 'steps..a', 'a'.repeat(300)])
      expect(conditionSchema.safeParse({ path, op: 'set' }).error?.issues.map((issue) => issue.path)).toEqual([
        ['path'],
      ]);
  });
});
