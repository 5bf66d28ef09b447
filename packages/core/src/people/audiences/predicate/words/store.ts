import { type SQL, sql } from 'drizzle-orm';
import { type DateRange, dayRangeOf, rangeOf } from '../date-range.ts';
import type { DateTest, Scalar, ValueTest } from '../types.ts';
import { capitalsOf, fold, type Version, versionOf } from '../values.ts';

export type Kind = 'string' | 'number' | 'array';

/** A trait as JSON, possibly JSON null, and as an SQL value, which is then NULL. */
export type TraitSql = { readonly json: SQL; readonly value: SQL };

/**
 * The SQL that differs between databases. Values are always bound. A missing value is NULL; three-valued SQL logic then
 * equals that of predicates.
 */
export type SqlDialect = {
  readonly yes: SQL;
  readonly no: SQL;
  text(value: string): SQL;
  number(value: number): SQL;
  /** A scope number and a row id in the form that indexes use. */
  scope(scopeId: number): SQL;
  id(value: string): SQL;
  /** NULL if missing. */
  trait(traits: SQL, name: string): TraitSql;
  isOf(json: SQL, kind: Kind): SQL;
  /** `asText` of a string trait, `asNumber` of a number trait. */
  asText(trait: TraitSql): SQL;
  asNumber(trait: TraitSql): SQL;
  isAmong(trait: TraitSql, values: readonly Scalar[]): SQL;
  isTextAmong(text: SQL, values: readonly string[]): SQL;
  /** For JSON arrays. */
  includesAny(json: SQL, values: readonly Scalar[]): SQL;
  includesAll(json: SQL, values: readonly Scalar[]): SQL;
  contains(text: SQL, part: SQL): SQL;
  /** The first or last characters. */
  first(text: SQL, characters: number): SQL;
  last(text: SQL, characters: number): SQL;
  /** Lower-cases ASCII only. */
  lower(text: SQL): SQL;
  /** Milliseconds of a text or number as `dateOf` reads it; else NULL. */
  date(text: SQL): SQL;
  unixTime(number: SQL): SQL;
  /** A query for the numbers `a` to `d` and `w` of a text as `versionOf` reads it; no row if it is not a version. */
  version(text: SQL): SQL;
  /** Milliseconds of a time column. */
  moment(column: SQL): SQL;
  /** One number of a JSON array; NULL beyond its end. */
  numberAt(list: SQL, place: number): SQL;
};

/** SQL of a test on JSON, text or time; NULL if unknown. */
export type TestSql = (test: ValueTest, nowMs: number) => SQL;

const otherwise = (kind: SQL, holds: SQL): SQL => sql`case when ${kind} then ${holds} end`;

/** Lower-cases the letters that occur in `folded`, which suffices to search for it. */
const lowerCased = (dialect: SqlDialect, text: SQL, folded: string): SQL => {
  let small = dialect.lower(text);
  for (const letter of new Set(folded))
    for (const capital of capitalsOf(letter))
      small = sql`replace(${small}, ${dialect.text(capital)}, ${dialect.text(letter)})`;
  return small;
};

type TextTest = Extract<ValueTest, { op: 'contains' | 'not_contains' | 'starts_with' | 'ends_with' }>;

const textTest = (dialect: SqlDialect, text: SQL, { op, value, caseSensitive }: TextTest): SQL => {
  const expected = caseSensitive ? value : fold(value);
  const own = caseSensitive ? text : lowerCased(dialect, text, expected);
  const part = dialect.text(expected);
  const length = [...expected].length;
  switch (op) {
    case 'contains':
      return dialect.contains(own, part);
    case 'not_contains':
      return sql`not ${dialect.contains(own, part)}`;
    case 'starts_with':
      return sql`${dialect.first(own, length)} = ${part}`;
    case 'ends_with':
      return sql`${dialect.last(own, length)} = ${part}`;
  }
};

/** Whether `m.at` lies in a range. */
const inRange = (dialect: SqlDialect, { from, before }: DateRange): SQL => {
  const parts = [
    ...(from === null ? [] : [sql`m.at >= ${dialect.number(from)}`]),
    ...(before === null ? [] : [sql`m.at < ${dialect.number(before)}`]),
  ];
  // A range has at least one bound; the time of a value that is not a date is NULL.
  return sql.join(parts, sql` and `);
};

/** @param text the value if it is text: a plain date begins in the zone of the test */
const dateTest = (dialect: SqlDialect, moment: SQL, test: DateTest, nowMs: number, text?: SQL): SQL => {
  const range = rangeOf(test, nowMs);
  const compared = inRange(dialect, range);
  const holds =
    text === undefined || test.timezone === undefined
      ? compared
      : sql`case when length(${text}) = 10 and substr(${text}, 5, 1) = '-'
          then ${inRange(dialect, dayRangeOf(range, test.timezone))} else ${compared} end`;
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

const versionTest = (dialect: SqlDialect, text: SQL, { op, value }: VersionTest): SQL => {
  const expected: Version = versionOf(value) ?? [0, 0, 0, 0, 1];
  const row = sql.join(
    expected.map((number) => dialect.number(number)),
    sql`, `,
  );
  return sql`(select (v.a, v.b, v.c, v.d, v.w) ${SIGNS[op]} (${row}) from (${dialect.version(text)}) as v)`;
};

/** Tests of a value of any type; NULL if it is missing. */
export const jsonTests =
  (dialect: SqlDialect, trait: TraitSql): TestSql =>
  (test, nowMs) => {
    const { json, value } = trait;
    const ofKind = (kind: Kind, holds: SQL): SQL => otherwise(dialect.isOf(json, kind), holds);
    switch (test.op) {
      case 'set':
        return sql`${value} is not null`;
      case 'not_set':
        return sql`${value} is null`;
      case 'eq':
        return dialect.isAmong(trait, [test.value]);
      case 'neq':
        return sql`not ${dialect.isAmong(trait, [test.value])}`;
      case 'in':
        return dialect.isAmong(trait, test.value);
      case 'not_in':
        return sql`not ${dialect.isAmong(trait, test.value)}`;
      case 'gt':
      case 'gte':
      case 'lt':
      case 'lte':
        return ofKind('number', sql`${dialect.asNumber(trait)} ${SIGNS[test.op]} ${dialect.number(test.value)}`);
      case 'between': {
        const [least, most] = test.value;
        return ofKind(
          'number',
          sql`${dialect.asNumber(trait)} between ${dialect.number(least)} and ${dialect.number(most)}`,
        );
      }
      case 'contains':
      case 'not_contains':
      case 'starts_with':
      case 'ends_with':
        return ofKind('string', textTest(dialect, dialect.asText(trait), test));
      case 'includes':
        return ofKind('array', dialect.includesAny(json, [test.value]));
      case 'not_includes':
        return ofKind('array', sql`not ${dialect.includesAny(json, [test.value])}`);
      case 'includes_any':
        return ofKind('array', dialect.includesAny(json, test.value));
      case 'includes_all':
        return ofKind('array', dialect.includesAll(json, test.value));
      case 'before':
      case 'after':
      case 'within_last':
      case 'within_next':
      case 'older_than':
        return sql`case when ${dialect.isOf(json, 'string')} then
            ${dateTest(dialect, dialect.date(dialect.asText(trait)), test, nowMs, dialect.asText(trait))}
          when ${dialect.isOf(json, 'number')} then
            ${dateTest(dialect, dialect.unixTime(dialect.asNumber(trait)), test, nowMs)} end`;
      default:
        return ofKind('string', versionTest(dialect, dialect.asText(trait), test));
    }
  };

/** Tests of a text column, for the operators that the schema allows. Throws TypeError for others. */
export const textTests =
  (dialect: SqlDialect, column: SQL): TestSql =>
  (test) => {
    // A value that is not text equals none, but a missing text stays unknown.
    const isIn = (values: readonly Scalar[]): SQL => {
      const texts = values.filter((value) => typeof value === 'string');
      return texts.length > 0 ? dialect.isTextAmong(column, texts) : otherwise(sql`${column} is not null`, dialect.no);
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
        return textTest(dialect, column, test);
      default:
        throw new TypeError(`${test.op} is not asked of a built-in text`);
    }
  };

/** Tests of a time column, as `textTests`. */
export const timeTests =
  (dialect: SqlDialect, column: SQL): TestSql =>
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
        return dateTest(dialect, dialect.moment(column), test, nowMs);
      default:
        throw new TypeError(`${test.op} is not asked of a built-in time`);
    }
  };
