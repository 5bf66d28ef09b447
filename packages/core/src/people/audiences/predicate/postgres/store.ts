import { type SQL, sql } from 'drizzle-orm';
import type { Scalar } from '../types.ts';
import { FIRST_UNIX_MS, LAST_UNIX_MS, MILLISECONDS_FROM } from '../values.ts';
import type { SqlDialect } from '../words/store.ts';

/** Maximum values of an inlined list. */
const FEW = 8;

const jsonb = (value: unknown): SQL => sql`${JSON.stringify(value)}::jsonb`;

const among = (json: SQL, values: readonly Scalar[]): SQL =>
  values.length <= FEW
    ? sql`${json} in (${sql.join(values.map(jsonb), sql`, `)})`
    : sql`${json} in (select jsonb_array_elements(${jsonb(values)}))`;

const amongTexts = (text: SQL, values: readonly string[]): SQL =>
  values.length <= FEW
    ? sql`${text} in (${sql.join(
        values.map((value) => sql`${value}::text`),
        sql`, `,
      )})`
    : sql`${text} in (select jsonb_array_elements_text(${jsonb(values)}))`;

/** True if no JSON value of another type has the same text. Comparing texts is cheaper than comparing JSON. */
const isUnlike = (value: Scalar): value is string =>
  typeof value === 'string' && !/^[-0-9[{]/.test(value) && value !== 'true' && value !== 'false';

// The pattern of values.ts with ASCII digits: \d may match digits of any script.
const DATE =
  '^([0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])' +
  '(?:[T ]([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9])(?:\\.([0-9]{1,9}))?)?' +
  '(?:Z|([+-])([01][0-9]|2[0-3])(?::?([0-5][0-9]))?)?)?$';
const whole = (place: number): SQL => sql.raw(`coalesce(d.p[${place}]::int, 0)`);
const LAST_DAY = sql`case
  when ${whole(2)} = 2 then case when ${whole(1)} % 4 = 0 and (${whole(1)} % 100 <> 0 or ${whole(1)} % 400 = 0) then 29 else 28 end
  when ${whole(2)} in (4, 6, 9, 11) then 30 else 31 end`;
// `make_date` fails the statement for a day that does not exist.
const DATE_MS = sql`case when ${whole(1)} > 0 and ${whole(3)} <= ${LAST_DAY} then
  (make_date(${whole(1)}, ${whole(2)}, ${whole(3)}) - date '1970-01-01')::bigint * 86400000
  + (${whole(4)} * 60 + ${whole(5)}) * 60000 + ${whole(6)} * 1000 + left(coalesce(d.p[7], '') || '00', 3)::int
  - case d.p[8] when '-' then -60000 else 60000 end * (${whole(9)} * 60 + ${whole(10)}) end`;

/** Milliseconds of a number as Unix time; NULL outside the years 1 to 9999. */
const unixTime = (
  number: SQL,
): SQL => sql`(select case when u.ms between ${FIRST_UNIX_MS}::bigint and ${LAST_UNIX_MS}::bigint then u.ms end
  from (select case when abs(n.value) < ${MILLISECONDS_FROM}::bigint then trunc(n.value) * 1000 else trunc(n.value) end as ms
    from (select ${number} as value) as n) as u)`;
const UNIX_TIME = '^-?[0-9]{1,15}$';

const VERSION =
  '^([0-9]{1,9})(?:\\.([0-9]{1,9}))?(?:\\.([0-9]{1,9}))?(?:\\.([0-9]{1,9}))?(-[0-9A-Za-z.-]+)?(?:\\+[0-9A-Za-z.-]+)?$';
const numberOf = (place: number): SQL => sql.raw(`coalesce(n.p[${place}]::int, 0)`);

/**
 * PostgreSQL. Texts are compared and lower-cased by the collation "C", that is ASCII only, whatever the database's
 * locale is.
 */
export const postgresDialect: SqlDialect = {
  yes: sql.raw('true'),
  no: sql.raw('false'),
  text: (value) => sql`${value}::text`,
  // Exact: jsonb keeps the decimal digits that JavaScript writes.
  number: (value) => sql`${JSON.stringify(value)}::numeric`,
  scope: (scopeId) => sql`${scopeId}::int`,
  id: (value) => sql`${value}::uuid`,
  trait: (traits, name) => {
    return { json: sql`(${traits} -> ${name}::text)`, value: sql`(${traits} ->> ${name}::text)` };
  },
  isOf: (json, kind) => sql`jsonb_typeof(${json}) = ${kind}::text`,
  asText: ({ value }) => sql`(${value} collate "C")`,
  asNumber: ({ json }) => sql`${json}::numeric`,
  isAmong: ({ json, value }, values) =>
    values.every(isUnlike)
      ? sql`(${amongTexts(sql`(${value} collate "C")`, values)})`
      : sql`(${among(sql`nullif(${json}, 'null'::jsonb)`, values)})`,
  isTextAmong: (text, values) => sql`(${text} in (select jsonb_array_elements_text(${jsonb(values)})))`,
  includesAny: (json, values) =>
    values.length === 1
      ? sql`(${json} @> ${jsonb(values)})`
      : sql`exists (select 1 from jsonb_array_elements(${json}) as e(v) where ${among(sql`e.v`, values)})`,
  includesAll: (json, values) => sql`(${json} @> ${jsonb(values)})`,
  contains: (text, part) => sql`(strpos(${text}, ${part}) > 0)`,
  first: (text, characters) => sql`left(${text}, ${characters}::int)`,
  last: (text, characters) => sql`right(${text}, ${characters}::int)`,
  lower: (text) => sql`lower(${text} collate "C")`,
  date: (text) =>
    sql`(select case when d.p is not null then ${DATE_MS}
        when d.t ~ ${UNIX_TIME}::text then ${unixTime(sql`d.t::numeric`)} end
      from (select regexp_match(e.t, ${DATE}::text) as p, e.t from (select ${text} as t) as e) as d)`,
  unixTime,
  version: (text) =>
    sql`select ${numberOf(1)} as a, ${numberOf(2)} as b, ${numberOf(3)} as c, ${numberOf(4)} as d,
      case when n.p[5] is null then 1 else 0 end as w
      from (select regexp_match(${text}, ${VERSION}::text) as p) as n where n.p is not null`,
  moment: (column) => sql`(extract(epoch from ${column}) * 1000)`,
  numberAt: (list, place) => sql`(${list} ->> ${sql.raw(String(place))})::bigint`,
};
