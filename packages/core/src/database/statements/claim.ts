import type { Table } from 'drizzle-orm';
import type { DialectName } from '../dialect-name.ts';
import { type HotColumn, hotColumns, quotedTable } from './codec.ts';

/**
 * A table whose rows are work. Its primary key is `scopeId, id`, and it has the columns `dueAt` (null: nothing to do;
 * for a leased row the end of its lease), `leaseUntil` and `fence`, with a partial index over `(due_at, id)` where
 * `due_at` is set.
 */
export type Claimable<Row> = {
  readonly id: string;
  readonly table: Table;
  /** Absent: rows are claimed in the order of `dueAt`. */
  readonly priorities?: Priorities;
  /** Columns that workers do not read; absent: none. */
  readonly without?: readonly string[];
  /** Never set; carries the row's type. */
  readonly row?: Row;
};

/**
 * Two priorities of one queue, by a column that is 0 or 1 and comes first in the index. A row of priority 1 is claimed
 * as if it were due `delayMs` later, so it waits for priority 0, but not forever.
 */
export type Priorities = { readonly column: string; readonly delayMs: number };
export const PRIORITIES = [0, 1] as const;

/** A leased row. Finishing it compares `fence`, which the next claim increments. */
export type Claimed<Row> = Row & { readonly fence: number };

export type LeaseKey = {
  readonly scopeId: number;
  readonly id: string;
  readonly fence: number;
};

/** Declares a work table. In a wide table, leaving columns out makes every claim cheaper. Throws nothing. */
export const claimable = <
  T extends Table,
  Without extends Exclude<Extract<keyof T['$inferSelect'], string>, keyof LeaseKey> = never,
>(
  id: string,
  table: T,
  { priorities, without }: { readonly priorities?: Priorities; readonly without?: readonly Without[] } = {},
): Claimable<Omit<T['$inferSelect'], Without>> => ({
  id,
  table,
  ...(priorities ? { priorities } : {}),
  ...(without ? { without } : {}),
});

export type RenderedClaim = {
  /** Parameters: now or null, lease in ms, limit; on SQLite named `now`, `lease` and `limit`. */
  readonly claim: string;
  /** Parameters: now or null, lease in ms, then the leases: one JSON text named `leases`, or three arrays. */
  readonly renew: string;
  /** Parameter: now or null. Returns milliseconds. */
  readonly nextDue: string;
  readonly id: HotColumn;
  readonly columns: readonly HotColumn[];
};

type Texts = Pick<RenderedClaim, 'claim' | 'renew' | 'nextDue'>;

const KEY = ['scope_id', 'id'] as const;
const matches = (left: string, right: string): string =>
  KEY.map((k) => `${left}."${k}" = ${right}."${k}"`).join(' and ');

const DUE = 'due_at is not null and due_at';

/**
 * A lease moves `due_at` to its end, so that neither a claim nor the look-up of the next due time has to skip leased
 * rows.
 */
const leased = (end: string): string => `lease_until = ${end}, due_at = ${end}`;
/** A row that is no longer due, such as a cancelled one, stays so. */
const renewed = (end: string): string => `lease_until = ${end}, due_at = case when due_at is not null then ${end} end`;

/** When the next row can be claimed: now if one is free, else when the next one is due or its lease ends. */
const nextMoment = (table: string, now: string, free: string, priority: string): string =>
  `coalesce((select due_at from ${table} where ${priority}${free} order by due_at, id limit 1), ` +
  `(select due_at from ${table} where ${priority}${DUE} > ${now} order by due_at, id limit 1))`;

/** Free or next rows per priority, merged like one queue. */
const perPriority = (
  priorities: Priorities | undefined,
  of: (condition: string, delayMs: number) => string,
): string[] =>
  priorities
    ? PRIORITIES.map((priority) => of(`"${priorities.column}" = ${priority} and `, priority * priorities.delayMs))
    : [of('', 0)];
const earliest = (moments: readonly string[]): string =>
  moments.length === 1
    ? (moments[0] ?? '')
    : `(select min(m) from (${moments.map((moment) => `select ${moment} as m`).join(' union all ')}) as moments)`;

const sqliteClaim = (table: string, fields: string, priorities: Priorities | undefined): Texts => {
  const now = "coalesce(:now, cast(unixepoch('subsec') * 1000 as integer))";
  const lease = `${now} + :lease`;
  const free = `${DUE} <= ${now} and (lease_until is null or lease_until <= ${now})`;
  const keys = 'l.value ->> 0, l.value ->> 1, l.value ->> 2';
  const firsts = perPriority(
    priorities,
    (priority, delayMs) =>
      `select rowid as "r", due_at + ${delayMs} as "at", id from ${table} where ${priority}${free} order by due_at, id limit :limit`,
  );
  const due = priorities
    ? `select "r" from (${firsts.map((first) => `select * from (${first})`).join(' union all ')}) order by "at", id limit :limit`
    : `select rowid from ${table} where ${free} order by due_at, id limit :limit`;
  return {
    claim: `update ${table} set ${leased(lease)}, fence = fence + 1 where rowid in (${due}) returning ${fields}`,
    renew:
      `update ${table} set ${renewed(lease)} where (scope_id, id, fence) in ` +
      `(select ${keys} from json_each(:leases) as l) and lease_until is not null ` +
      'returning scope_id, id, fence',
    nextDue: `select ${earliest(perPriority(priorities, (priority) => nextMoment(table, now, free, priority)))} - ${now}`,
  };
};

/**
 * On PostgreSQL the rows are locked and limited in a materialized CTE: it runs once under any plan, so a claim never
 * exceeds its limit. `id in (select ... limit n for update skip locked)` would run its sub-select again per outer row
 * under a nested loop. statement_timestamp() is stable, so the partial index can serve it.
 *
 * A renewal skips rows that are being written, most likely by an outcome: it would wait for them while it holds other
 * rows, for which the outcome may wait. Their leases still hold and are renewed the next time.
 */
const postgresClaim = (table: string, fields: string, idType: string, priorities: Priorities | undefined): Texts => {
  const now = 'coalesce($1::timestamptz, statement_timestamp())';
  const lease = `${now} + $2 * interval '1 millisecond'`;
  const free = `${DUE} <= ${now} and (lease_until is null or lease_until <= ${now})`;
  // `coalesce` hides how rare leases were in the last statistics: the planner would scan the whole table once per
  // lease.
  const held = `${matches('t', 'l')} and coalesce(t.fence = l.fence and t.lease_until is not null, false)`;
  const firsts = perPriority(
    priorities,
    (priority, delayMs) =>
      `as materialized (select ${KEY.join(', ')}, due_at + interval '${delayMs} milliseconds' as "at" from ${table} ` +
      `where ${priority}${free} order by due_at, id limit $3 for update skip locked)`,
  );
  const due = priorities
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
    nextDue: `select extract(epoch from ${earliest(perPriority(priorities, (priority) => nextMoment(table, now, free, priority)))} - ${now}) * 1000`,
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
  const { priorities } = work;
  const texts =
    dialect === 'sqlite' ? sqliteClaim(table, fields, priorities) : postgresClaim(table, fields, id.pgType, priorities);
  return { ...texts, id, columns };
};
