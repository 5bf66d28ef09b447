import { type SQL, sql } from 'drizzle-orm';
import type { Scalar } from '../types.ts';
import { FIRST_UNIX_MS, LAST_UNIX_MS, MILLISECONDS_FROM } from '../values.ts';
import type { Kind, SqlDialect } from '../words/store.ts';

/** Maximum values of an inlined list. */
const FEW = 8;

// Names that the -> operator reads as a name, not as a path, an array index or an escape.
const NAME = /^[^$["\\][^"\\]*$/;

// Stored JSON is written by JSON.stringify, so equal values have equal texts and the first character tells the type.
const SHAPES: Readonly<Record<Kind, string>> = { string: '"*', number: '[-0-9]*', array: '[[]*' };

const isText = (value: Scalar): value is string => typeof value === 'string';
const isNumber = (value: Scalar): value is number => typeof value === 'number';

/** Rounds an integer too long for a double like JavaScript; SQLite compares all of its digits. */
const AS_DOUBLE = sql.raw('cast(value as real)');

const listOf = (values: readonly (string | number)[], value: SQL = sql.raw('value')): SQL =>
  values.length <= FEW
    ? sql`(${sql.join(
        values.map((value) => sql`${value}`),
        sql`, `,
      )})`
    : sql`(select ${value} from json_each(${JSON.stringify(values)}))`;

/**
 * True if no JSON value of another type has the same value in SQLite, where true is 1, an array is its text, and
 * integers may be longer than a double. Reading a value is cheaper than reading its JSON.
 */
const isUnlike = (value: Scalar): boolean => {
  if (isText(value)) return !/^[[{]/.test(value);
  return isNumber(value) && value !== 0 && value !== 1 && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
};

/** Whether an array element is one of the values, by type and value: 1 differs from true and from '1'. */
const isOneOf = (values: readonly Scalar[]): SQL => {
  const texts = values.filter(isText);
  const numbers = values.filter(isNumber);
  const kinds = values.filter((value) => typeof value === 'boolean').map(String);
  const parts = [
    ...(texts.length > 0 ? [sql`(e.type = 'text' and e.value in ${listOf(texts)})`] : []),
    ...(numbers.length > 0
      ? [sql`(e.type in ('integer', 'real') and cast(e.value as real) in ${listOf(numbers, AS_DOUBLE)})`]
      : []),
    ...(kinds.length > 0 ? [sql`e.type in ${listOf(kinds)}`] : []),
  ];
  return sql`(${sql.join(parts, sql` or `)})`;
};

const whole = (text: SQL): SQL => sql`cast(${text} as integer)`;

// Splits a text into date, time and zone; the zone is recognized at the end.
const DATE_PARTS = sql`
  select y.*, substr(y.sz, 1, length(y.sz) - length(y.z)) as s from (
    select x.*, case
      when x.sz glob '*Z' then 'Z'
      when substr(x.sz, -6) glob '[+-][0-2][0-9]:[0-5][0-9]' then substr(x.sz, -6)
      when substr(x.sz, -5) glob '[+-][0-2][0-9][0-5][0-9]' then substr(x.sz, -5)
      when substr(x.sz, -3) glob '[+-][0-2][0-9]' then substr(x.sz, -3)
      else '' end as z from (
      select substr(t, 1, 10) as d, substr(t, 11) as r, substr(t, 11, 6) as hm, substr(t, 17) as sz from `;
// SQLite reads 30 February as 1 March; formatting the date again reveals it.
const IS_DATE = sql`p.d glob '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]' and p.d >= '0001' and date(p.d) = p.d and (
  p.r = '' or (
    p.hm glob '[T ][0-2][0-9]:[0-5][0-9]' and substr(p.hm, 2) < '24' and (p.z in ('', 'Z') or substr(p.z, 2, 2) < '24') and (
      p.s = '' or p.s glob ':[0-5][0-9]' or (
        p.s glob ':[0-5][0-9].[0-9]*' and length(p.s) <= 13 and substr(p.s, 5) not glob '*[^0-9]*'))))`;
const DATE_MS = sql`unixepoch(p.d) * 1000
  + (${whole(sql`substr(p.hm, 2, 2)`)} * 60 + ${whole(sql`substr(p.hm, 5, 2)`)}) * 60000
  + ${whole(sql`substr(p.s, 2, 2)`)} * 1000 + ${whole(sql`substr(substr(p.s, 5) || '00', 1, 3)`)}
  - case substr(p.z, 1, 1) when '-' then -60000 else 60000 end
    * (${whole(sql`substr(p.z, 2, 2)`)} * 60 + case length(p.z) when 3 then 0 else ${whole(sql`substr(p.z, -2)`)} end)`;

/** Milliseconds of a number as Unix time; NULL outside the years 1 to 9999. */
const unixTime = (
  number: SQL,
): SQL => sql`(select case when u.ms between ${FIRST_UNIX_MS} and ${LAST_UNIX_MS} then u.ms end
  from (select case when abs(n.value) < ${MILLISECONDS_FROM} then cast(n.value as integer) * 1000
    when abs(n.value) < 1e15 then cast(n.value as integer) end as ms from (select ${number} as value) as n) as u)`;
/** Up to 15 digits with an optional sign. */
const IS_UNIX_TIME = sql`(i.digits <> '' and length(i.digits) <= 15 and i.digits not glob '*[^0-9]*')`;
const unixText = (text: SQL): SQL => sql`(select case when ${IS_UNIX_TIME} then ${unixTime(sql`cast(i.t as real)`)} end
  from (select t, case when substr(t, 1, 1) = '-' then substr(t, 2) else t end as digits from (select ${text} as t)) as i)`;

const isWord = (text: SQL): SQL => sql`(${text} <> '' and ${text} not glob '*[^0-9A-Za-z.-]*')`;
// Builds a JSON array only from valid numbers: invalid JSON would fail the statement.
const VERSION_PARTS = sql`
  select y.pre, case
    when y.core not glob '[0-9]*' or y.core glob '*[^0-9.]*' or y.core glob '*.' or y.core glob '*..*'
      or length(y.core) - length(replace(y.core, '.', '')) > 3
      or not ${isWord(sql`coalesce(y.pre, '-')`)} or not ${isWord(sql`coalesce(y.build, '-')`)} then null
    else '["' || replace(y.core, '.', '","') || '"]' end as numbers from (
    select x.build, case when x.h = 0 then x.body else substr(x.body, 1, x.h - 1) end as core,
      case when x.h > 0 then substr(x.body, x.h + 1) end as pre from (
      select w.body, w.build, instr(w.body, '-') as h from (
        select case when instr(t, '+') = 0 then t else substr(t, 1, instr(t, '+') - 1) end as body,
          case when instr(t, '+') > 0 then substr(t, instr(t, '+') + 1) end as build from `;
const numberOf = (place: number): SQL => sql.raw(`cast(coalesce(n.numbers ->> ${place}, '0') as integer)`);
const isShort = (place: number): SQL => sql.raw(`length(coalesce(n.numbers ->> ${place}, '0')) <= 9`);

/** SQLite. Its `lower` handles ASCII only, and its JSON keeps numbers as written. */
export const sqliteDialect: SqlDialect = {
  yes: sql.raw('1'),
  no: sql.raw('0'),
  text: (value) => sql`${value}`,
  number: (value) => sql`${value}`,
  scope: (scopeId) => sql`${scopeId}`,
  id: (value) => sql`${value}`,
  // A name that the operator would interpret otherwise is searched among all keys.
  trait: (traits, name) => {
    const found = (shown: SQL): SQL => sql`(select ${shown} from json_each(${traits}) as j where j.key = ${name})`;
    return NAME.test(name)
      ? { json: sql`(${traits} -> ${name})`, value: sql`(${traits} ->> ${name})` }
      : { json: found(sql`${traits} -> j.fullkey`), value: found(sql.raw('j.value')) };
  },
  isOf: (json, kind) => sql`${json} glob ${SHAPES[kind]}`,
  asText: ({ value }) => value,
  // Rounds an integer too long for a double like JavaScript.
  asNumber: ({ value }) => sql`cast(${value} as real)`,
  isAmong: ({ json, value }, values) => {
    const [first] = values;
    // The value first, which is cheaper to read: it differs for most profiles.
    if (values.length === 1 && typeof first === 'boolean')
      return sql`(${value} = ${Number(first)} and ${json} in (${String(first)}, 'null'))`;
    const quick = values.every(isUnlike);
    const own = quick ? value : sql`nullif(${json}, 'null')`;
    const literals = quick
      ? values.filter((one) => typeof one !== 'boolean')
      : values.map((one) => JSON.stringify(one));
    return literals.length === 1 ? sql`(${own} = ${literals[0]})` : sql`(${own} in ${listOf(literals)})`;
  },
  isTextAmong: (text, values) => sql`(${text} in ${listOf(values)})`,
  includesAny: (json, values) => sql`exists (select 1 from json_each(${json}) as e where ${isOneOf(values)})`,
  includesAll: (json, values) =>
    sql`(select count(distinct e.type || e.value) from json_each(${json}) as e where ${isOneOf(values)}) = ${values.length}`,
  contains: (text, part) => sql`(instr(${text}, ${part}) > 0)`,
  first: (text, characters) => sql`substr(${text}, 1, ${characters})`,
  last: (text, characters) => sql`substr(${text}, ${-characters})`,
  lower: (text) => sql`lower(${text})`,
  date: (text) =>
    sql`(select case when ${IS_DATE} then ${DATE_MS} else ${unixText(text)} end from (${DATE_PARTS}(select ${text} as t)) as x) as y) as p)`,
  unixTime,
  version: (text) =>
    sql`select ${numberOf(0)} as a, ${numberOf(1)} as b, ${numberOf(2)} as c, ${numberOf(3)} as d, n.pre is null as w
      from (${VERSION_PARTS}(select ${text} as t)) as w) as x) as y) as n
      where n.numbers is not null and ${sql.join([0, 1, 2, 3].map(isShort), sql` and `)}`,
  moment: (column) => column,
  numberAt: (list, place) => sql`(${list} ->> ${sql.raw(String(place))})`,
};
