import type { Tally } from '../../../../src/people/audiences/predicate/facts.ts';
import type { Predicate } from '../../../../src/people/audiences/predicate/types.ts';
import { parsePredicate } from './parse.ts';
import { DATES, LITERAL_DATES, UNIX, UNIX_TEXTS, ZONES } from './random-dates.ts';

export type Random = () => number;

/** One of the values, equally likely. */
export const pick = <T>(random: Random, from: readonly T[]): T => {
  const one = from[Math.floor(random() * from.length)];
  if (one === undefined) throw new RangeError('nothing to pick from');
  return one;
};

const many = <T>(random: Random, least: number, most: number, make: () => T): T[] =>
  Array.from({ length: least + Math.floor(random() * (most - least + 1)) }, make);

/** Names that look like paths, indexes, escapes and members of every object. */
export const NAMES = [
  ...['plan', 'age', 'a.b', 'a"b', 'a\\b', '$', '$.plan', '', ' ', '0', '-1', '[0]', '#', "a'b", '?', '%'],
  ...['größe', '名前', '😀', 'e\u0301', '\ufffd', '\n', '\u007f', '\\u0041', '__proto__', 'constructor', 'toString'],
];

const TEXTS = [
  ...['[]', '[1]', '["a"]', '{"a":1}'],
  ...[
    '',
    'a',
    'A',
    'pro',
    'Pro',
    'PRO plan',
    'free',
    '0',
    '1',
    'true',
    'null',
    '"pro"',
    'a"b',
    "a'b",
    'a\\b',
    '%',
    '_',
  ],
  ...[
    'é',
    'É',
    'e\u0301',
    'straße',
    'STRASSE',
    'İstanbul',
    'istanbul',
    '\u212a',
    'k',
    'K',
    'Σίσυφος',
    'σίσυφοσ',
    'ДОМ',
    'дом',
  ],
  ...[
    'Å',
    '\u212b',
    'å',
    '😀',
    '😀a',
    '\u{10400}',
    '\u{10428}',
    '\ufffd',
    '\u2028',
    '\n',
    '\t x',
    '\u007f',
    'a b',
    'x'.repeat(300),
  ],
];
const NUMBERS = [
  ...[
    0, 1, -1, 2, 10, 30, 0.1, 0.2, 0.30000000000000004, 0.3, 1e21, 1e-7, 123456789.123, -0.5, 5e-324,
    1.7976931348623157e308,
  ],
  ...[
    Number.MAX_SAFE_INTEGER,
    Number.MAX_SAFE_INTEGER + 1,
    2 ** 60,
    2 ** 63,
    2 ** 64,
    -(2 ** 63),
    1e16 + 2,
    4.35,
    4.3500000000000005,
  ],
];
const VERSIONS = [
  ...[
    '1',
    '1.0',
    '1.0.0',
    '1.0.0.0',
    '01.00',
    '1.2',
    '1.10',
    '1.9.9',
    '2.0.0',
    '2.0.0-beta.1',
    '2.0.0-rc',
    '2.0.0+345',
    '2-rc.1+a-b',
  ],
  ...[
    '999999999',
    '1234567890',
    '1.1234567890',
    'v1',
    '1.',
    '.1',
    '1..2',
    '1.2.3.4.5',
    '1.x',
    '1-',
    '1+',
    '1+a+b',
    '1.2-é',
    '-1',
    '1,2',
    '1"2',
  ],
];
const isLiteralVersion = (text: string): boolean => /^\d{1,9}(\.\d{1,9}){0,3}$/.test(text);
const double = (random: Random): number => {
  const view = new DataView(new ArrayBuffer(8));
  for (;;) {
    view.setUint32(0, Math.floor(random() * 2 ** 32));
    view.setUint32(4, Math.floor(random() * 2 ** 32));
    const value = view.getFloat64(0);
    if (Number.isFinite(value)) return value;
  }
};

const text = (random: Random): string => {
  const kind = random();
  if (kind < 0.25) return pick(random, DATES);
  return kind < 0.45 ? pick(random, VERSIONS) : pick(random, TEXTS);
};
const number = (random: Random): number => (random() < 0.1 ? double(random) : pick(random, NUMBERS));

const scalar = (random: Random): string | number | boolean => {
  const kind = random();
  if (kind < 0.15) return random() < 0.5;
  return kind < 0.5 ? number(random) : text(random);
};

const valueFor = (random: Random): unknown => {
  const kind = random();
  if (kind < 0.05) return null;
  if (kind < 0.1) return { a: scalar(random), plan: 'pro' };
  if (kind < 0.3) return list(random);
  return scalar(random);
};

const list = (random: Random): unknown[] =>
  many(random, 0, 4, () => (random() < 0.1 ? pick<unknown>(random, [null, ['a'], { a: 1 }, []]) : scalar(random)));

/** Traits mostly of one type, so that leaves find something to compare. */
const KINDS = {
  text: (random: Random) => pick(random, TEXTS),
  number,
  date: (random: Random) =>
    pick<string | number>(random, pick<readonly (string | number)[]>(random, [DATES, UNIX, UNIX_TEXTS])),
  version: (random: Random) => pick(random, VERSIONS),
  list,
};
type KindName = keyof typeof KINDS;

/** Random traits under some of the names. */
export const randomTraits = (random: Random): Record<string, unknown> =>
  Object.fromEntries([
    ...many(random, 4, 40, () => [pick(random, NAMES), valueFor(random)]),
    ...Object.entries(KINDS).flatMap(([name, make]) =>
      random() < 0.1 ? [] : [[name, random() < 0.1 ? valueFor(random) : make(random)]],
    ),
  ]);

export const EVENTS = ['order', 'view', 'a"b.c'];
export const AUDIENCES = ['01932d4e-7b2f-7c3a-9f00-0123456789ab', '01932d4e-7b2f-7c3a-9f00-0123456789ac'];
export const RANDOM_NOW = new Date('2026-11-22T12:00:00.000Z');

const HOUR = 3_600_000;

/** Times around the edges of windows, newest first. */
export const randomTally = (random: Random): Tally => {
  const recent = many(
    random,
    1,
    5,
    () => RANDOM_NOW.getTime() - Math.floor(random() * 6) * HOUR - pick(random, [-1, 0, 1]),
  );
  return { total: recent.length + Math.floor(random() * 3), recent: recent.toSorted((a, b) => b - a) };
};

const span = (random: Random) =>
  pick(random, [
    { n: 1, unit: 'hours' },
    { n: 3, unit: 'hours' },
    { n: 120, unit: 'minutes' },
    { n: 1, unit: 'days' },
    { n: 1, unit: 'weeks' },
    { n: 36_500, unit: 'days' },
  ]);

const zone = (random: Random) => (random() < 0.4 ? { timezone: pick(random, ZONES) } : {});

const values = (random: Random) => many(random, 1, random() < 0.1 ? 40 : 4, () => scalar(random));

const TESTS: readonly ((random: Random) => { readonly op: string })[] = [
  (random) => ({ op: pick(random, ['set', 'not_set']) }),
  (random) => ({ op: pick(random, ['eq', 'neq', 'includes', 'not_includes']), value: scalar(random) }),
  (random) => ({ op: pick(random, ['in', 'not_in', 'includes_any', 'includes_all']), value: values(random) }),
  (random) => ({ op: pick(random, ['gt', 'gte', 'lt', 'lte']), value: number(random) }),
  (random) => {
    const [a, b] = [number(random), number(random)];
    return { op: 'between', value: [Math.min(a, b), Math.max(a, b)] };
  },
  (random) => ({
    op: pick(random, ['contains', 'not_contains', 'starts_with', 'ends_with']),
    value:
      random() < 0.3
        ? pick(random, ['a', 'P', 'É', 'σ', 'Å', 'o', '"', '\\', '\u{10400}', 'ß', 'i', 'K', '%', 'СУ', 'дОм'])
        : pick(
            random,
            TEXTS.filter((text) => text !== ''),
          ),
    caseSensitive: random() < 0.3,
  }),
  (random) => ({ op: pick(random, ['before', 'after']), value: pick(random, LITERAL_DATES), ...zone(random) }),
  (random) => ({
    op: pick(random, ['within_last', 'within_next', 'older_than']),
    value: span(random),
    ...zone(random),
  }),
  (random) => ({
    op: pick(random, ['ver_eq', 'ver_gt', 'ver_gte', 'ver_lt', 'ver_lte']),
    value: pick(random, VERSIONS.filter(isLiteralVersion)),
  }),
];

const ofText = (random: Random) => ({
  trait: `user.${pick(random, ['userId', 'email', 'phone', 'locale', 'timezone'])}`,
  ...pick(
    random,
    [TESTS[0], TESTS[5]].flatMap((test) => test ?? []),
  )(random),
});
const ofEquality = (random: Random) => ({
  trait: `user.${pick(random, ['userId', 'email', 'locale'])}`,
  ...(random() < 0.5
    ? { op: pick(random, ['eq', 'neq']), value: pick<string | number>(random, [1, 'u7', 'en', 'É@x.io']) }
    : {
        op: pick(random, ['in', 'not_in']),
        value: pick<(string | number)[]>(random, [
          [1],
          ['u7', 'fr', 2],
          ['É@x.io', 'en'],
          ['en', ...Array(30).keys(), ...TEXTS],
        ]),
      }),
});
const ofTime = (random: Random) => ({
  trait: `user.${pick(random, ['createdAt', 'lastSeenAt'])}`,
  ...pick(
    random,
    [TESTS[0], TESTS[6], TESTS[7]].flatMap((test) => test ?? []),
  )(random),
});
const ofEvent = (random: Random) => {
  const gte = Math.floor(random() * 4);
  const lte = Math.max(gte, 1) + Math.floor(random() * 3);
  return {
    event: pick(random, EVENTS),
    op: pick(random, ['performed', 'not_performed']),
    ...pick(random, [{}, { count: { gte } }, { count: { lte } }, { count: { gte, lte } }]),
    ...(random() < 0.6 ? { within: span(random) } : {}),
  };
};

const kindOf = ({ op }: { readonly op: string }): KindName => {
  if (op.startsWith('ver_')) return 'version';
  if (/^(before|after|within|older)/.test(op)) return 'date';
  if (op.includes('include')) return 'list';
  return /^(g|l)te?$|between/.test(op) ? 'number' : 'text';
};

const leaf = (random: Random): object => {
  const kind = random();
  if (kind < 0.1) return pick(random, [ofText, ofEquality, ofTime])(random);
  if (kind < 0.2) return ofEvent(random);
  if (kind < 0.25) return { audience: pick(random, AUDIENCES), op: pick(random, ['in', 'not_in']) };
  const test = pick(random, TESTS)(random);
  if (random() < 0.3) return { trait: pick(random, NAMES), ...test };
  return { trait: random() < 0.1 ? pick(random, Object.keys(KINDS)) : kindOf(test), ...test };
};

const node = (random: Random, depth: number): object => {
  const kind = random();
  if (depth === 0 || kind < 0.4) return leaf(random);
  if (kind < 0.55) return { not: node(random, depth - 1) };
  const nodes = many(random, 1, 4, () => node(random, depth - 1));
  return kind < 0.8 ? { all: nodes } : { any: nodes };
};

/** A random predicate that the schema accepts, up to four levels deep. */
export const randomPredicate = (random: Random): Predicate => parsePredicate(node(random, 3));
