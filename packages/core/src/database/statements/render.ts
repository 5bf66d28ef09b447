import type { DialectName } from '../dialect-name.ts';
import type { BulkSelect, BulkWrite, DeleteForm, InsertForm, PreconditionForm, SetVerb, UpdateForm } from './bulk.ts';
import { type HotColumn, hotColumns, quotedTable } from './codec.ts';
import type { RenderedSelect, RenderedWrite } from './rendered.ts';
import { list, need, quote, unnest } from './sql-parts.ts';

/** Measured: with 8, an inserted row costs three quarters of a single one; with 32, not noticeably less. */
export const ROWS_AT_ONCE = 8;

const insertText = (
  dialect: DialectName,
  bulk: BulkWrite,
  form: InsertForm,
  all: Record<string, HotColumn>,
): RenderedWrite => {
  const columns = form.columns.map((key) => need(all, key, bulk.id));
  const table = quotedTable(bulk.table);
  const { conflict } = form;
  let tail = '';
  if (conflict) {
    const target = list(conflict.target.map((key) => need(all, key, bulk.id)));
    const name = (key: string): string => quote(need(all, key, bulk.id).name);
    const set = [
      ...(conflict.set ?? []).map(name).map((column) => `${column} = excluded.${column}`),
      ...(conflict.add ?? []).map(name).map((column) => `${column} = ${table}.${column} + excluded.${column}`),
    ];
    const when = conflict.when ? ` where ${conflict.when((name) => `${table}.${quote(name)}`)}` : '';
    tail = ` on conflict (${target}) do ${set.length > 0 ? `update set ${set.join(', ')}${when}` : 'nothing'}`;
  }
  const identity = (conflict?.target ?? []).map((key) => form.columns.indexOf(key));
  if (identity.includes(-1)) throw new TypeError(`hot statement ${bulk.id} must insert its conflict target`);
  // Without a conflict clause, a row takes effect or throws.
  const isGuarded = bulk.isGuarded && conflict !== undefined;
  const base = { id: bulk.id, columns, isGuarded, identity, isKept: true, returns: 'identity' as const, moments: 0 };
  const { leasedMs } = form;
  // As a claim sets them: see `leased` in claim.ts.
  const leases = leasedMs === undefined ? [] : ['dueAt', 'leaseUntil'].map((key) => need(all, key, bulk.id));
  const into = `insert into ${table} (${list([...columns, ...leases])})`;
  if (dialect === 'sqlite') {
    const bound = [...columns.map(() => '?'), ...leases.map(() => `? + ${leasedMs}`)];
    const row = `(${bound.join(', ')})`;
    const head = `${into} values `;
    const text = `${head}${row}${tail}`;
    const isPlain = !conflict?.set && !conflict?.add;
    const single = { ...base, text, moments: leases.length };
    return isPlain ? { ...single, many: head + Array(ROWS_AT_ONCE).fill(row).join(', ') + tail } : single;
  }
  const returning = isGuarded ? ` returning ${identity.map((at) => quote(columns[at]?.name ?? '')).join(', ')}` : '';
  const order = form.isOrdered ? ` order by ${identity.map((at) => at + 1).join(', ')}` : '';
  if (leasedMs === undefined)
    return { ...base, text: `${into} select * from ${unnest(columns)}${order}${tail}${returning}` };
  const end = `coalesce($${columns.length + 1}::timestamptz, statement_timestamp()) + ${leasedMs} * interval '1 millisecond'`;
  return {
    ...base,
    moments: 1,
    text: `${into} select v.*, l."end", l."end" from ${unnest(columns)} as v cross join (select ${end} as "end") as l${order}${tail}${returning}`,
  };
};

const setters: Record<SetVerb, (qualified: string, bound: string) => string> = {
  value: (_, bound) => bound,
  add: (qualified, bound) => `${qualified} + ${bound}`,
  keep: (qualified, bound) => `coalesce(${qualified}, ${bound})`,
  greatest: (qualified, bound) =>
    `case when ${qualified} is null or ${qualified} < ${bound} then ${bound} else ${qualified} end`,
  increment: (qualified) => `${qualified} + 1`,
  null: () => 'null',
};
/** How often a verb uses the row's value: each use is one `?` on SQLite. */
const valueUses: Record<SetVerb, number> = { value: 1, add: 1, keep: 1, greatest: 2, increment: 0, null: 0 };

/** The new value of a column that is also compared has another key in the row: `person` -> `newPerson`. */
const asNew = (column: HotColumn): HotColumn => ({
  ...column,
  key: `new${column.key.charAt(0).toUpperCase()}${column.key.slice(1)}`,
  name: `new_${column.name}`,
});

const matchText = (
  dialect: DialectName,
  bulk: BulkWrite,
  form: UpdateForm | DeleteForm,
  all: Record<string, HotColumn>,
): RenderedWrite => {
  const table = quotedTable(bulk.table);
  const where = form.where.map((key) => need(all, key, bulk.id));
  const set = Object.entries(form.verb === 'update' ? form.set : {}).map(([key, verb]) => {
    const column = need(all, key, bulk.id);
    return { verb, target: column.name, param: form.where.includes(key) ? asNew(column) : column };
  });
  const times = (verb: SetVerb): number => (dialect === 'sqlite' ? valueUses[verb] : Math.min(valueUses[verb], 1));
  const columns = [...set.flatMap(({ verb, param }) => Array<HotColumn>(times(verb)).fill(param)), ...where];
  const identity = where.map((_, index) => columns.length - where.length + index);
  const base = {
    id: bulk.id,
    columns,
    isGuarded: bulk.isGuarded,
    identity,
    isKept: false,
    returns: 'ordinal' as const,
    moments: 0,
  };
  // Qualified by the table's name, since a condition may contain a sub-select over another table with the same column
  // names.
  const qualified = (name: string): string => `${dialect === 'sqlite' ? table : 't'}.${quote(name)}`;
  // The driver accepts an array only for plain `?`, so a value that is used again is bound again.
  const bound = (column: HotColumn): string => (dialect === 'sqlite' ? '?' : `v.${quote(column.name)}`);
  const sets = set.map(
    ({ verb, target, param }) => `${quote(target)} = ${setters[verb](qualified(target), bound(param))}`,
  );
  const matches = where.map((column) => `${qualified(column.name)} = ${bound(column)}`);
  // Otherwise PostgreSQL would use the statistics of this condition and join every matching row with every key.
  if (form.when)
    matches.push(dialect === 'sqlite' ? `(${form.when(qualified)})` : `coalesce(${form.when(qualified)}, false)`);
  const condition = matches.join(' and ');
  if (dialect === 'sqlite') {
    const head = form.verb === 'update' ? `update ${table} set ${sets.join(', ')}` : `delete from ${table}`;
    return { ...base, text: `${head} where ${condition}` };
  }
  const source = `${unnest(columns)} with ordinality as v(${list(columns)}, "ord")`;
  const returning = bulk.isGuarded ? ' returning v."ord"' : '';
  if (form.verb === 'delete')
    return { ...base, text: `delete from ${table} as t using ${source} where ${condition}${returning}` };
  const update = `update ${table} as t set ${sets.join(', ')}`;
  if (!form.isOrdered) return { ...base, text: `${update} from ${source} where ${condition}${returning}` };
  const held =
    `select v."ord" from ${table} as t join v on ${condition} ` +
    `order by ${where.map(({ name }) => qualified(name)).join(', ')} for update of t`;
  return {
    ...base,
    text:
      `with v as materialized (select * from ${source}), held as materialized (${held}) ` +
      `${update} from v join held on held."ord" = v."ord" where ${condition}${returning}`,
  };
};

/**
 * SQLite: a value of the key `k`; for `varies` see `renderSelect`. Values that are equal in all keys are sub-selects:
 * SQLite plans a statement with a bare parameter again each time it is bound. Measured: 11 us per key against 5.
 */
const keyPart = (at: number, varies: number | null): string =>
  varies === null ? `k.value ->> ${at}` : at === varies ? 'k.value' : '(select ?)';

/** The expected number of rows, in addition to the columns of the table. */
const COUNT: HotColumn = {
  key: 'count',
  name: 'count',
  pgType: 'integer',
  isPlain: true,
  encode: (value) => value,
  decode: (value) => value,
};

const preconditionText = (
  dialect: DialectName,
  bulk: BulkWrite,
  form: PreconditionForm,
  all: Record<string, HotColumn>,
  varies: number | null,
): RenderedWrite => {
  const of = form.of.map((key) => need(all, key, bulk.id));
  const columns = [...of, COUNT];
  const qualified = (name: string): string => `t.${quote(name)}`;
  const bound = (at: number): string =>
    dialect === 'sqlite' ? keyPart(at, varies) : `v.${quote(columns[at]?.name ?? '')}`;
  const match = of.map((column, at) => `${qualified(column.name)} = ${bound(at)}`).join(' and ');
  const when = form.when ? ` and (${form.when(qualified)})` : '';
  const counted = `(select count(*) from ${quotedTable(bulk.table)} as t where ${match}${when})`;
  const base = { id: bulk.id, columns, isGuarded: bulk.isGuarded, identity: [], isKept: false, moments: 0 };
  if (dialect === 'sqlite') {
    const text = `select k.key from json_each(?) as k where ${counted} is not ${bound(of.length)}`;
    return { ...base, returns: 'missed', text };
  }
  const source = `${unnest(columns)} with ordinality as v(${list(columns)}, "ord")`;
  return { ...base, returns: 'ordinal', text: `select v."ord" from ${source} where ${counted} = ${bound(of.length)}` };
};

/**
 * The text of a hot write for one database. Throws TypeError for an unknown column.
 *
 * @param varies for a statement that covers all of its rows: as in `renderSelect`
 */
export const renderWrite = (dialect: DialectName, bulk: BulkWrite, varies: number | null = null): RenderedWrite => {
  const all = hotColumns(dialect, bulk.table);
  switch (bulk.form.verb) {
    case 'insert':
      return insertText(dialect, bulk, bulk.form, all);
    case 'own':
      return bulk.form.render(dialect, bulk);
    case 'still':
      return preconditionText(dialect, bulk, bulk.form, all, varies);
    default:
      return matchText(dialect, bulk, bulk.form, all);
  }
};

/**
 * One row per key: on PostgreSQL a look-up each; on SQLite, which has no lateral joins, the rowid that a sub-select
 * finds.
 */
const renderGreatest = (
  dialect: DialectName,
  bulk: BulkSelect,
  greatest: string,
  varies: number | null,
): RenderedSelect => {
  const all = hotColumns(dialect, bulk.table);
  const columns = bulk.columns.map((key) => need(all, key, bulk.id));
  const keys = bulk.key.map((key) => need(all, key, bulk.id));
  const by = quote(need(all, greatest, bulk.id).name);
  const table = quotedTable(bulk.table);
  const fields = columns.map((column) => `t.${quote(column.name)}`).join(', ');
  const best = (alias: string, shown: string, key: (at: number) => string): string => {
    const qualified = (name: string): string => `${alias}.${quote(name)}`;
    const match = keys.map((column, at) => `${qualified(column.name)} = ${key(at)}`).join(' and ');
    const when = bulk.when ? ` and (${bulk.when(qualified)})` : '';
    return `select ${shown} from ${table} as ${alias} where ${match}${when} order by ${alias}.${by} desc limit 1`;
  };
  const made = { id: bulk.id, keys, columns };
  if (dialect === 'sqlite') {
    const found = best('n', 'n.rowid', (at) => keyPart(at, varies));
    const text = `select ${fields} from json_each(?) as k cross join ${table} as t where t.rowid = (${found})`;
    return { ...made, single: null, text };
  }
  const ofKey = (at: number): string => `k.${quote(keys[at]?.name ?? '')}`;
  const single = best('t', fields, (at) => `$${at + 1}::${keys[at]?.pgType}`);
  return {
    ...made,
    single: { name: `${bulk.id}_1`, text: single },
    text: `select t.* from ${unnest(keys)} as k(${list(keys)}) cross join lateral (${best('t', fields, ofKey)}) as t`,
  };
};

/**
 * The text of a hot read for one database. Its parameter on SQLite is a JSON array of keys, which drives the index
 * look-ups (`cross join` fixes that order); PostgreSQL takes one array per key column.
 *
 * @param varies SQLite: the only column in which keys differ; the array then contains its values, and the other columns
 * are bound after it in their order. Null: several differ
 */
export const renderSelect = (dialect: DialectName, bulk: BulkSelect, varies: number | null = null): RenderedSelect => {
  if (bulk.greatest !== undefined) return renderGreatest(dialect, bulk, bulk.greatest, varies);
  if (bulk.render !== undefined) return bulk.render(dialect, bulk);
  const all = hotColumns(dialect, bulk.table);
  const columns = bulk.columns.map((key) => need(all, key, bulk.id));
  const keys = bulk.key.map((key) => need(all, key, bulk.id));
  const table = quotedTable(bulk.table);
  const qualified = (name: string): string => `t.${quote(name)}`;
  const fields = columns.map((column) => qualified(column.name)).join(', ');
  const when = bulk.when ? ` and (${bulk.when(qualified)})` : '';
  const limit = bulk.most === undefined ? '' : ` limit ${bulk.most}`;
  if (dialect === 'sqlite') {
    const match = keys.map((column, at) => `${qualified(column.name)} = ${keyPart(at, varies)}`).join(' and ');
    return {
      id: bulk.id,
      keys,
      columns,
      single: null,
      text: `select ${fields} from json_each(?) as k cross join ${table} as t where ${match}${when}${limit}`,
    };
  }
  const match = keys.map((column) => `${qualified(column.name)} = k.${quote(column.name)}`).join(' and ');
  const equal = keys.map((column, at) => `${qualified(column.name)} = $${at + 1}::${column.pgType}`).join(' and ');
  return {
    id: bulk.id,
    keys,
    columns,
    single: { name: `${bulk.id}_1`, text: `select ${fields} from ${table} as t where ${equal}${when}${limit}` },
    text: `select ${fields} from ${unnest(keys)} as k(${list(keys)}) join ${table} as t on ${match}${when}${limit}`,
  };
};
