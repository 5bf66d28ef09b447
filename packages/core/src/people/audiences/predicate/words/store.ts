import { type SQL, sql } from 'drizzle-orm';
import { type DateRange, dayRangeOf, rangeOf } from '../date-range.ts';
import type { DateTest, Scalar, ValueTest } from '../types.ts';
import { capitalsOf, fold, type Version, versionOf } from '../values.ts';

export type Kind = 'string' | 'number' | 'array';

/** A trait: its JSON, which may be JSON's null, and whatever the database makes of it, which is NULL there. */
export type TraitSql = { readonly json: SQL; readonly value: SQL };

/**
 * What each database says in its own words. Values are always bound. An SQL value that is missing is NULL, with which both
 * databases reckon as predicates do: three-valued.
 */
export type Words = {
  readonly yes: SQL;
  readonly no: SQL;
  text(value: string): SQL;
  number(value: number): SQL;
  /** The number of a scope, and the id of a row, as indexes find them. */
  scope(scopeId: number): SQL;
  id(value: string): SQL;
  /** NULL where it is missing. */
  trait(traits: SQL, name: string): TraitSql;
  isOf(json: SQL, kind: Kind): SQL;
  /** Of one that is a string; of one that is a number. */
  asText(trait: TraitSql): SQL;
  asNumber(trait: TraitSql): SQL;
  isAmong(trait: TraitSql, values: readonly Scalar[]): SQL;
  isTextAmong(text: SQL, values: readonly string[]): SQL;
  /** Of JSON that is an array. */
  includesAny(json: SQL, values: readonly Scalar[]): SQL;
  includesAll(json: SQL, values: readonly Scalar[]): SQL;
  contains(text: SQL, part: SQL): SQL;
  /** So many characters from the front, or from the end. */
  first(text: SQL, characters: number): SQL;
  last(text: SQL, characters: number): SQL;
  /** Letters of ASCII alone. */
  lower(text: SQL): SQL;
  /** Milliseconds of a text, and of a number, as `dateOf` reads it; else NULL. */
  date(text: SQL): SQL;
  unixTime(number: SQL): SQL;
  /** A query of the numbers `a` to `d` and `w` of a text as `versionOf` reads it; without a row for any other. */
  version(text: SQL): SQL;
  /** Milliseconds of a column of times. */
  moment(column: SQL): SQL;
  /** One number of a JSON list of them; NULL past its end. */
  numberAt(list: SQL, place: number): SQL;
};

/** A test of JSON, or of a text or a moment where those are known: NULL where it is unknown. */
export type TestSql = (test: ValueTest, nowMs: number) => SQL;

const otherwise = (kind: SQL, holds: SQL): SQL => sql`case when ${kind} then ${holds} end`;

/** The text with those letters small that could be in `folded`, which is all that looking for it takes. */
const smallIn = (words: Words, text: SQL, folded: string): SQL => {
  let small = words.lower(text);
  for (const letter of new Set(folded))
    for (const capital of capitalsOf(letter))
      small = sql`replace(${small}, ${words.text(capital)}, ${words.text(letter)})`;
  return small;
};

type TextTest = Extract<ValueTest, { op: 'contains' | 'not_contains' | 'starts_with' | 'ends_with' }>;

const textTest = (words: Words, text: SQL, { op, value, caseSensitive }: TextTest): SQL => {
  const expected = caseSensitive ? value : fold(value);
  const own = caseSensitive ? text : smallIn(words, text, expected);
  const part = words.text(expected);
  const length = [...expected].length;
  switch (op) {
    case 'contains':
      return words.contains(own, part);
    case 'not_contains':
      return sql`not ${words.contains(own, part)}`;
    case 'starts_with':
      return sql`${words.first(own, length)} = ${part}`;
    case 'ends_with':
      return sql`${words.last(own, length)} = ${part}`;
  }
};

/** Whether `m.at` lies in a range. */
const inRange = (words: Words, { from, before }: DateRange): SQL => {
  const parts = [
    ...(from === null ? [] : [sql`m.at >= ${words.number(from)}`]),
    ...(before === null ? [] : [sql`m.at < ${words.number(before)}`]),
  ];
  // A range has a limit; the moment of a value that is no date is NULL.
  return sql.join(parts, sql` and `);
};

/** @param text the value where it is text: a day without a time begins in the zone of the test */
const dateTest = (words: Words, moment: SQL, test: DateTest, nowMs: number, text?: SQL): SQL => {
  const range = rangeOf(test, nowMs);
  const compared = inRange(words, range);
  const holds =
    text === undefined || test.timezone === undefined
      ? compared
      : sql`case when length(${text}) = 10 and substr(${text}, 5, 1) = '-'
          then ${inRange(words, dayRangeOf(range, test.timezone))} else ${compared} end`;
  return sql`(select ${holds} from (select ${moment} as at) as m)`;
};

const SIGNS = {
  ...{
    ver_eq: sql.raw('='),
    ver_gt: sql.raw('>'),
    ver_gte: sql.raw('>='),
    ver_lt: sql.raw('<'),
    ver_lte: sql.raw('<='),
  },
  ...{ gt: sql.raw('>'), gte: sql.raw('>='), lt: sql.raw('<'), lte: sql.raw('<=') },
} as const;

type VersionTest = Extract<ValueTest, { op: `ver_${string}` }>;

const versionTest = (words: Words, text: SQL, { op, value }: VersionTest): SQL => {
  const expected: Version = versionOf(value) ?? [0, 0, 0, 0, 1];
  const row = sql.join(
    expected.map((number) => words.number(number)),
    sql`, `,
  );
  return sql`(select (v.a, v.b, v.c, v.d, v.w) ${SIGNS[op]} (${row}) from (${words.version(text)}) as v)`;
};

/** Tests of a value that may be of any kind: NULL where it is missing. */
export const jsonTests =
  (words: Words, trait: TraitSql): TestSql =>
  (test, nowMs) => {
    const { json, value } = trait;
    const ofKind = (kind: Kind, holds: SQL): SQL => otherwise(words.isOf(json, kind), holds);
    switch (test.op) {
      case 'set':
        return sql`${value} is not null`;
      case 'not_set':
        return sql`${value} is null`;
      case 'eq':
        return words.isAmong(trait, [test.value]);
      case 'neq':
        return sql`not ${words.isAmong(trait, [test.value])}`;
      case 'in':
        return words.isAmong(trait, test.value);
      case 'not_in':
        return sql`not ${words.isAmong(trait, test.value)}`;
      case 'gt':
      case 'gte':
      case 'lt':
      case 'lte':
        return ofKind('number', sql`${words.asNumber(trait)} ${SIGNS[test.op]} ${words.number(test.value)}`);
      case 'between': {
        const [least, most] = test.value;
        return ofKind('number', sql`${words.asNumber(trait)} between ${words.number(least)} and ${words.number(most)}`);
      }
      case 'contains':
      case 'not_contains':
      case 'starts_with':
      case 'ends_with':
        return ofKind('string', textTest(words, words.asText(trait), test));
      case 'includes':
        return ofKind('array', words.includesAny(json, [test.value]));
      case 'not_includes':
        return ofKind('array', sql`not ${words.includesAny(json, [test.value])}`);
      case 'includes_any':
        return ofKind('array', words.includesAny(json, test.value));
      case 'includes_all':
        return ofKind('array', words.includesAll(json, test.value));
      case 'before':
      case 'after':
      case 'within_last':
      case 'within_next':
      case 'older_than':
        return sql`case when ${words.isOf(json, 'string')} then
            ${dateTest(words, words.date(words.asText(trait)), test, nowMs, words.asText(trait))}
          when ${words.isOf(json, 'number')} then
            ${dateTest(words, words.unixTime(words.asNumber(trait)), test, nowMs)} end`;
      default:
        return ofKind('string', versionTest(words, words.asText(trait), test));
    }
  };

/** Tests of a column of texts, with the operators that the schema lets be asked of it. Throws TypeError for any other. */
export const textTests =
  (words: Words, column: SQL): TestSql =>
  (test) => {
    // What is no text is equal to none, but a missing text is unknown all the same.
    const isIn = (values: readonly Scalar[]): SQL => {
      const texts = values.filter((value) => typeof value === 'string');
      return texts.length > 0 ? words.isTextAmong(column, texts) : otherwise(sql`${column} is not null`, words.no);
    };
    switch (test.op) {
      case 'set':
        return sql`${column} is not null`;
      case 'not_set':
        return sql`${column} is null`;
      case 'eq':
        return isIn([test.value]);
      case 'neq':
        return sql`not ${isIn([test.value])}`;
      case 'in':
        return isIn(test.value);
      case 'not_in':
        return sql`not ${isIn(test.value)}`;
      case 'contains':
      case 'not_contains':
      case 'starts_with':
      case 'ends_with':
        return textTest(words, column, test);
      default:
        throw new TypeError(`${test.op} is not asked of a built-in text`);
    }
  };

/** Tests of a column of times, as `textTests`. */
export const timeTests =
  (words: Words, column: SQL): TestSql =>
  (test, nowMs) => {
    switch (test.op) {
      case 'set':
        return sql`${column} is not null`;
      case 'not_set':
        return sql`${column} is null`;
      case 'before':
      case 'after':
      case 'within_last':
      case 'within_next':
      case 'older_than':
        return dateTest(words, words.moment(column), test, nowMs);
      default:
        throw new TypeError(`${test.op} is not asked of a built-in time`);
    }
  };
