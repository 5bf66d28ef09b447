import type { Table } from 'drizzle-orm';
import type { DialectName } from '../dialect-name.ts';
import { type HotColumn, hotColumns, quotedTable } from './codec.ts';

/**
 * A table whose rows are work. It has `scopeId, id` as its primary key and the columns `dueAt`
 * (null: nothing to do; of a leased row the end of its lease), `leaseUntil` and `fence`, with a partial index over
 * `(due_at, id)` where `due_at` is set.
 */
export type Claimable<Row> = {
  readonly id: string;
  readonly table: Table;
  /** Absent: whatever is due first is claimed first. */
  readonly lanes?: Lanes;
  /** Columns that its workers do not read; absent: none. */
  readonly without?: readonly string[];
  /** Never set: carries the row's type. */
  readonly row?: Row;
};

/**
 * Two lanes of one queue, by a column that is 0 or 1 and stands before the others of the index: a row of lane 1 is claimed
 * as if it had come due so much later. So it stands behind lane 0, but not for ever.
 */
export type Lanes = { readonly column: string; readonly behindMs: number };
export const LANES = [0, 1] as const;

/** A leased row. Whoever finishes it compares `fence`, which the next claim raises. */
export type Claimed<Row> = Row & { readonly fence: number };

export type LeaseKey = {
  readonly scopeId: number;
  readonly id: string;
  readonly fence: number;
};

/** Declares a work table. Of a wide one each column that is left out saves every claim the reading of it. Throws nothing. */
export const claimable = <
  T extends Table,
  Without extends Exclude<Extract<keyof T['$inferSelect'], string>, keyof LeaseKey> = never,
>(
  id: string,
  table: T,
  { lanes, without }: { readonly lanes?: Lanes; readonly without?: readonly Without[] } = {},
): Claimable<Omit<T['$inferSelect'], Without>> => ({
  id,
  table,
  ...(lanes ? { lanes } : {}),
  ...(without ? { without } : {}),
});

export type RenderedClaim = {
  /** Parameters: now or null, lease in ms, limit; on SQLite by the names `now`, `lease` and `limit`. */
  readonly claim: string;
  /** Parameters: now or null, lease in ms, then the leases: one JSON text by the name `leases`, or three arrays. */
  readonly renew: string;
  /** Parameter: now or null. Answers milliseconds. */
  readonly nextDue: string;
  readonly id: HotColumn;
  readonly columns: readonly HotColumn[];
};

type Texts = Pick<RenderedClaim, 'claim' | 'renew' | 'nextDue'>;

const KEY = ['scope_id', 'id'] as const;
const matches = (left: string, right: string): string =>
  KEY.map((k) => `${left}."${k}" = ${right}."${k}"`).join(' and ');

const DUE = 'due_at is not null and due_at';

/*
 * A lease puts `due_at` off to its own end, so that neither a claim nor the look for the next moment has to step over
 * the rows that workers hold.
 */
const leased = (end: string): string => `lease_until = ${end}, due_at = ${end}`;
/* A row that is not due any more, such as a cancelled one, stays so. */
const renewed = (end: string): string => `lease_until = ${end}, due_at = case when due_at is not null then ${end} end`;

/* When the next row can be claimed: now, if one is free, or else when the next one is due, or its lease over. */
const nextMoment = (table: string, now: string, free: string, lane: string): string =>
  `coalesce((select due_at from ${table} where ${lane}${free} order by due_at, id limit 1), ` +
  `(select due_at from ${table} where ${lane}${DUE} > ${now} order by due_at, id limit 1))`;

/** What of each lane is free or next, as if the lanes were one queue. */
const perLane = (lanes: Lanes | undefined, of: (condition: string, behindMs: number) => string): string[] =>
  lanes ? LANES.map((lane) => of(`"${lanes.column}" = ${lane} and `, lane * lanes.behindMs)) : [of('', 0)];
const earliest = (moments: readonly string[]): string =>
  moments.length === 1
    ? (moments[0] ?? '')
    : `(select min(m) from (${moments.map((moment) => `select ${moment} as m`).join(' union all ')}) as moments)`;

const sqliteClaim = (table: string, fields: string, lanes: Lanes | undefined): Texts => {
  const now = "coalesce(:now, cast(unixepoch('subsec') * 1000 as integer))";
  const lease = `${now} + :lease`;
  const free = `${DUE} <= ${now} and (lease_until is null or lease_until <= ${now})`;
  const keys = 'l.value ->> 0, l.value ->> 1, l.value ->> 2';
  const firsts = perLane(
    lanes,
    (lane, behindMs) =>
      `select rowid as "r", due_at + ${behindMs} as "at", id from ${table} where ${lane}${free} order by due_at, id limit :limit`,
  );
  const due = lanes
    ? `select "r" from (${firsts.map((first) => `select * from (${first})`).join(' union all ')}) order by "at", id limit :limit`
    : `select rowid from ${table} where ${free} order by due_at, id limit :limit`;
  return {
    claim: `update ${table} set ${leased(lease)}, fence = fence + 1 where rowid in (${due}) returning ${fields}`,
    renew:
      `update ${table} set ${renewed(lease)} where (scope_id, id, fence) in ` +
      `(select ${keys} from json_each(:leases) as l) and lease_until is not null ` +
      'returning scope_id, id, fence',
    nextDue: `select ${earliest(perLane(lanes, (lane) => nextMoment(table, now, free, lane)))} - ${now}`,
  };
};

/*
 * On PostgreSQL the rows are locked and limited in a materialized CTE: it runs once whatever plan joins it, so a
 * claim never takes more than its limit. `id in (select ... limit n for update skip locked)` runs its sub-select
 * again per outer row under a nested loop. statement_timestamp() is stable, which lets the partial index serve it.
 *
 * A renewal passes over rows that somebody is writing at this moment, most likely an outcome: it would wait for them with
 * other rows in its hands, which are what the outcome may wait for. They are still held, and renewed the next time.
 */
const postgresClaim = (table: string, fields: string, idType: string, lanes: Lanes | undefined): Texts => {
  const now = 'coalesce($1::timestamptz, statement_timestamp())';
  const lease = `${now} + $2 * interval '1 millisecond'`;
  const free = `${DUE} <= ${now} and (lease_until is null or lease_until <= ${now})`;
  // `coalesce` hides how rare leases were when the planner last looked: it would walk the whole table once per lease.
  const held = `${matches('t', 'l')} and coalesce(t.fence = l.fence and t.lease_until is not null, false)`;
  const firsts = perLane(
    lanes,
    (lane, behindMs) =>
      `as materialized (select ${KEY.join(', ')}, due_at + interval '${behindMs} milliseconds' as "at" from ${table} ` +
      `where ${lane}${free} order by due_at, id limit $3 for update skip locked)`,
  );
  const due = lanes
    ? `${firsts.map((first, at) => `lane${at} ${first}`).join(', ')}, due as materialized (select ${KEY.join(', ')} from ` +
      `(${firsts.map((_, at) => `select * from lane${at}`).join(' union all ')}) as lanes order by "at", id limit $3)`
    : `due ${firsts.join('')}`;
  return {
    claim:
      `with ${due} ` +
      `update ${table} as t set ${leased(lease)}, fence = t.fence + 1 from due ` +
      `where ${matches('t', 'due')} returning ${fields}`,
    renew:
      `with l as materialized (select * from unnest($3::integer[], $4::${idType}[], $5::integer[]) ` +
      'as l(scope_id, id, fence)), ' +
      `mine as materialized (select l.* from ${table} as t join l on ${held}), ` +
      `free as materialized (select l.* from ${table} as t join l on ${held} for update of t skip locked), ` +
      `renewed as (update ${table} as t set ${renewed(lease)} from free where ${matches('t', 'free')}) ` +
      'select scope_id, id, fence from mine',
    nextDue: `select extract(epoch from ${earliest(perLane(lanes, (lane) => nextMoment(table, now, free, lane)))} - ${now}) * 1000`,
  };
};

/** The claim statements of a work table for one database. Throws TypeError for a table without an `id`. */
export const renderClaim = (dialect: DialectName, work: Claimable<unknown>): RenderedClaim => {
  const byKey = hotColumns(dialect, work.table);
  const { id } = byKey;
  if (!id) throw new TypeError(`the work table ${work.id} has no column id`);
  const columns = Object.values(byKey).filter(({ key }) => !work.without?.includes(key));
  const prefix = dialect === 'sqlite' ? '' : 't.';
  const fields = columns.map((column) => `${prefix}"${column.name}"`).join(', ');
  const table = quotedTable(work.table);
  const { lanes } = work;
  const texts =
    dialect === 'sqlite' ? sqliteClaim(table, fields, lanes) : postgresClaim(table, fields, id.pgType, lanes);
  return { ...texts, id, columns };
};
