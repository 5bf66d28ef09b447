// The statements `bulkTake` and `bulkReserved` for slots that expire by themselves. Only unexpired slots are counted,
// so no writer has to release them.

import { rankOf } from '../../database/commit/commit-order.ts';
import type { DialectName } from '../../database/dialect-name.ts';
import type { BulkSelect, BulkWrite } from '../../database/statements/bulk.ts';
import { type HotColumn, hotColumns, quotedTable } from '../../database/statements/codec.ts';
import type { RenderedSelect, RenderedWrite } from '../../database/statements/rendered.ts';
import { list, need, quote, unnest } from '../../database/statements/sql-parts.ts';

/**
 * Reserves one of at most `most` slots; it expires `lastsMs` later. Each row of the table is a slot with its expiry
 * time. A row gets a slot while fewer than `most` are reserved, or joins the slot that its holder has; otherwise it has
 * no effect. Time is that of the database, as for leases.
 *
 * On PostgreSQL the statement counts what other transactions committed before it began, so rows that are equal in `of`
 * must be protected by a lock that an earlier statement of the plan takes.
 */
type TakeForm = {
  /** The columns that identify what has the slots. */
  readonly of: readonly string[];
  /** Column of the slot's holder; with `of` the key of the table. */
  readonly by: string;
  /** Column with the sum of a holder's values; starts again in an expired slot. */
  readonly tally: string;
  readonly until: string;
};

const same = (value: unknown): unknown => value;
const number = (key: string, name: string, pgType: string): HotColumn => {
  return { key, name, pgType, isPlain: true, encode: same, decode: same };
};
const MOST = number('most', 'most', 'integer');
const LASTS = number('lastsMs', 'lasts_ms', 'bigint');

const equal = (columns: readonly HotColumn[], left: string, right: string): string =>
  columns.map(({ name }) => `${left}.${quote(name)} = ${right}.${quote(name)}`).join(' and ');

/** Server time at the statement; the time at the start of its transaction would precede waits for locks. */
const serverMoment = (parameter: number): string =>
  `select coalesce($${parameter}::timestamptz, date_trunc('milliseconds', clock_timestamp())) as "at"`;

/** Renders the reserving statement. Throws TypeError for a column that the table lacks. */
const renderTake = (dialect: DialectName, bulk: BulkWrite, form: TakeForm): RenderedWrite => {
  const all = hotColumns(dialect, bulk.table);
  const of = form.of.map((key) => need(all, key, bulk.id));
  const by = need(all, form.by, bulk.id);
  const identity = [...of, by];
  const tally = need(all, form.tally, bulk.id);
  const written = [...identity, tally];
  const until = need(all, form.until, bulk.id);
  const columns = [...written, MOST, LASTS];
  const table = quotedTable(bulk.table);
  const target = `insert into ${table} as t (${list([...written, until])})`;
  const fields = written.map(({ name }) => `v.${quote(name)}`).join(', ');
  const unlessExpired = (name: string, value: string, now: string): string =>
    `${quote(name)} = case when t.${quote(until.name)} > ${now} then ${value} else excluded.${quote(name)} end`;
  const conflict = (now: string): string =>
    ` on conflict (${list(identity)}) do update set ` +
    `${unlessExpired(tally.name, `t.${quote(tally.name)} + excluded.${quote(tally.name)}`, now)}, ` +
    unlessExpired(until.name, `t.${quote(until.name)}`, now);
  const base = {
    id: bulk.id,
    columns,
    isGuarded: bulk.isGuarded,
    identity: identity.map((_, at) => at),
    isKept: false,
    returns: 'identity' as const,
  };
  if (dialect === 'sqlite') {
    // Uses VALUES, with null for a row without a slot: SQLite would materialize a SELECT from the target table first.
    const param = ({ name }: HotColumn): string => `:${name}`;
    const counted = (key: readonly HotColumn[]): string =>
      `from ${table} as e where ${key.map((one) => `e.${quote(one.name)} = ${param(one)}`).join(' and ')} ` +
      `and e.${quote(until.name)} > :now`;
    const free = `(select count(*) ${counted(of)}) < ${param(MOST)} or exists (select 1 ${counted(identity)})`;
    return {
      ...base,
      isNamed: true,
      moments: 1,
      text:
        `insert or ignore into ${table} as t (${list([...written, until])}) values ` +
        `(${written.map(param).join(', ')}, case when ${free} then :now + ${param(LASTS)} end)${conflict(':now')}`,
    };
  }
  const now = '(select "at" from n)';
  const counted = `select count(*) as "reserved", coalesce(bool_or(${equal([by], 'e', 'v')}), false) as "is_held"`;
  // A holder of a slot uses no free slot that later rows of the batch need.
  const place = `row_number() over (partition by ${list(of)}, "is_held" order by "ord") as "place"`;
  return {
    ...base,
    moments: 1,
    text:
      `with n as materialized (${serverMoment(columns.length + 1)}), ` +
      `v as materialized (select v.*, c.* from ${unnest(columns)} with ordinality as v(${list(columns)}, "ord") ` +
      `cross join lateral (${counted} from ${table} as e where ${equal(of, 'e', 'v')} ` +
      `and e.${quote(until.name)} > ${now}) as c), ` +
      `p as materialized (select *, ${place} from v) ` +
      `${target} select ${fields}, ${now} + v."lasts_ms" * interval '1 millisecond' from p as v ` +
      `where v."is_held" or v."place" + v."reserved" <= v."most" ` +
      `order by ${identity.map(({ name }) => `v.${quote(name)}`).join(', ')}${conflict(now)}` +
      (bulk.isGuarded ? ` returning ${identity.map(({ name }) => `t.${quote(name)}`).join(', ')}` : ''),
  };
};

const COUNT: HotColumn = { ...number('reserved', 'reserved', 'integer'), decode: Number };
const HELD: HotColumn = {
  ...number('isHeld', 'is_held', 'boolean'),
  decode: (value) => value === true || value === 1,
};

/** Renders the counting statement. Throws TypeError for a column that the table lacks. */
const renderReserved = (
  dialect: DialectName,
  bulk: BulkSelect,
  slots: Pick<TakeForm, 'of' | 'by' | 'until'>,
): RenderedSelect => {
  const all = hotColumns(dialect, bulk.table);
  const keys = bulk.key.map((key) => need(all, key, bulk.id));
  const by = need(all, slots.by, bulk.id);
  const of = keys.filter((column) => column !== by);
  const until = quote(need(all, slots.until, bulk.id).name);
  const table = quotedTable(bulk.table);
  const made = { id: bulk.id, keys, columns: [...keys, COUNT, HELD], single: null, hasMoment: true };
  if (dialect === 'sqlite') {
    const param = (column: HotColumn): string => `k.value ->> ${keys.indexOf(column)}`;
    const existing = (columns: readonly HotColumn[]): string =>
      `from ${table} as e where ` +
      columns.map((column) => `e.${quote(column.name)} = ${param(column)} and `).join('') +
      `e.${until} > n."now"`;
    // GROUP BY would sort. The LIMIT prevents the outer condition from counting a second time.
    const counted = `(select count(*) ${existing(of)}) as "reserved", exists (select 1 ${existing([...of, by])})`;
    return {
      ...made,
      text:
        `select * from (select ${keys.map(param).join(', ')}, ${counted} ` +
        `from json_each(?) as k cross join (select ? as "now") as n limit -1) where "reserved" > 0`,
    };
  }
  return {
    ...made,
    text:
      `with n as materialized (${serverMoment(keys.length + 1)}) ` +
      `select k.*, c.* from ${unnest(keys)} as k(${list(keys)}) cross join lateral (` +
      `select count(*)::integer as "reserved", bool_or(${equal([by], 'e', 'k')}) from ${table} as e ` +
      `where ${equal(of, 'e', 'k')} and e.${until} > (select "at" from n)) as c where c."reserved" > 0`,
  };
};

type Table = BulkWrite['table'];
type KeyOf<Row> = Extract<keyof Row, string>;
type Insert<T extends Table> = T['$inferInsert'];
type Select<T extends Table> = T['$inferSelect'];

/** Slots of a table, by the keys of its columns. */
type Slots<T extends Table, K extends KeyOf<Insert<T>>> = {
  readonly of: readonly K[];
  readonly by: K;
  readonly until: KeyOf<Insert<T>>;
};
type TakeOptions<K> = { readonly tally: K; readonly isGuarded?: boolean; readonly rank?: number };

/**
 * Reserves slots, each row for one holder: see `TakeForm`. Earlier rows of a commit reserve first. Throws as `rankOf`.
 */
export const bulkTake = <T extends Table, K extends KeyOf<Insert<T>>>(
  id: string,
  table: T,
  { tally, isGuarded = false, rank = rankOf(id), ...slots }: Slots<T, K> & TakeOptions<K>,
): BulkWrite<Pick<Insert<T>, K> & { readonly most: number; readonly lastsMs: number }> => ({
  kind: 'write',
  id,
  table,
  form: { verb: 'own', render: (dialect, bulk) => renderTake(dialect, bulk, { tally, ...slots }) },
  isGuarded,
  rank,
});

/**
 * Counts the unexpired slots by database time, for keys of `of` and a holder; keys without a slot are absent. Throws
 * nothing.
 */
export const bulkReserved = <T extends Table, K extends KeyOf<Insert<T>> & KeyOf<Select<T>>>(
  id: string,
  table: T,
  slots: Slots<T, K>,
): BulkSelect<Pick<Select<T>, K> & { readonly reserved: number; readonly isHeld: boolean }> => {
  const key = [...slots.of, slots.by];
  return {
    kind: 'select',
    id,
    table,
    key,
    columns: key,
    render: (dialect, bulk) => renderReserved(dialect, bulk, slots),
  };
};
