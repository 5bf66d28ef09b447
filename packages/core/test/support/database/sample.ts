import { getTableColumns, sql, type Table } from 'drizzle-orm';
import { type Columns, columnsOf } from '../../../src/database/columns.ts';
import type { DialectName } from '../../../src/database/dialect-name.ts';
import type { Migration } from '../../../src/database/migrate.ts';
import {
  bulkDelete,
  bulkInsert,
  bulkPrecondition,
  bulkSelect,
  bulkUpdate,
} from '../../../src/database/statements/bulk.ts';
import { claimable } from '../../../src/database/statements/claim.ts';
import { quotedTable } from '../../../src/database/statements/codec.ts';
import { bulkReserved, bulkTake } from '../../../src/messaging/caps/slot-statements.ts';

/** Tables of the storage contract, so that it depends on no module. */
const tables = (c: Columns) => ({
  /** One column of each type. */
  samples: c.table(
    'samples',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.text('id').notNull(),
      uuid: c.id('uuid'),
      clientId: c.clientId('client_id'),
      environment: c.environment('environment'),
      text: c.text('text'),
      bool: c.bool('bool'),
      int: c.int('int'),
      big: c.big('big'),
      real: c.real('real'),
      json: c.json<unknown>('json'),
      time: c.time('time'),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.id] })],
  ),
  counters: c.table(
    'counters',
    {
      id: c.text('id').primaryKey(),
      value: c.int('value').notNull(),
      total: c.big('total'),
      version: c.int('version').notNull(),
      label: c.text('label'),
      seenAt: c.time('seen_at'),
    },
    () => [],
  ),
  /** Rows whose keys the database generates. */
  numbered: c.table('numbered', { number: c.serial('number'), label: c.text('label').notNull() }),
  /** Rows with generated ids. */
  errands: c.table(
    'errands',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      dueAt: c.time('due_at'),
      leaseUntil: c.time('lease_until'),
      fence: c.int('fence').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.id] })],
  ),
  /** Slots of pools. */
  slots: c.table(
    'slots',
    {
      scopeId: c.scope('scope_id').notNull(),
      pool: c.text('pool').notNull(),
      holder: c.id('holder').notNull(),
      times: c.int('times').notNull(),
      until: c.time('until').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.pool, t.holder] })],
  ),
  jobs: c.table(
    'jobs',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.text('id').notNull(),
      note: c.text('note'),
      dueAt: c.time('due_at'),
      leaseUntil: c.time('lease_until'),
      fence: c.int('fence').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.id] }),
      c.index('jobs_due').on(t.dueAt, t.id).where(sql`due_at is not null`),
    ],
  ),
});

export type SampleTables = ReturnType<typeof tables>;

/** The contract's tables for one database. Throws nothing. */
export const sampleTables = (dialect: DialectName): SampleTables => tables(columnsOf(dialect));

const createTable = (table: Table, key: string): string => {
  const columns = Object.values(getTableColumns(table)).map(
    (column) => `"${column.name}" ${column.getSQLType()}${column.notNull ? ' not null' : ''}`,
  );
  return `create table ${quotedTable(table)} (${columns.join(', ')}, primary key (${key}))`;
};

/** The migration that creates the contract's tables. Throws nothing. */
export const sampleMigration = (dialect: DialectName): Migration => {
  const { samples, counters, errands, slots, jobs } = sampleTables(dialect);
  const statements = [
    createTable(samples, 'scope_id, id'),
    createTable(counters, 'id'),
    createTable(errands, 'scope_id, id'),
    createTable(slots, 'scope_id, pool, holder'),
    `create table numbered (number ${dialect === 'sqlite' ? 'integer primary key autoincrement' : 'serial primary key'}, label text not null)`,
    createTable(jobs, 'scope_id, id'),
    'create index jobs_due on jobs (due_at, id) where due_at is not null',
  ];
  return { name: '0000_sample', sql: statements.join('\n--> statement-breakpoint\n') };
};

const KEY = ['scopeId', 'id'] as const;
const SAMPLE = [
  ...KEY,
  'uuid',
  'clientId',
  'environment',
  'text',
  'bool',
  'int',
  'big',
  'real',
  'json',
  'time',
] as const;
const SLOTS = { of: ['scopeId', 'pool'], by: 'holder', until: 'until' } as const;
const COUNTER = ['id', 'value', 'total', 'version', 'label', 'seenAt'] as const;

/** Rows created with a lease. */
export const SAMPLE_LEASE_MS = 20_000;

/** Hot statements over the contract's tables, one of each form; `insertOnce` runs before `insertCounter`. */
export const sampleStatements = ({ samples, counters, errands, slots, jobs }: SampleTables) => ({
  insertSample: bulkInsert('contract.insert_sample', samples, SAMPLE, { rank: 0 }),
  readSamples: bulkSelect('contract.read_samples', samples, KEY, SAMPLE),
  insertCounter: bulkInsert('contract.insert_counter', counters, COUNTER, { rank: 2 }),
  insertOnce: bulkInsert('contract.insert_once', counters, COUNTER, {
    conflict: { target: ['id'] },
    isGuarded: true,
    rank: 1,
  }),
  insertIfNew: bulkInsert('contract.insert_if_new', counters, COUNTER, { conflict: { target: ['id'] }, rank: 3 }),
  /** Replaces an older version only. */
  replaceOlder: bulkInsert('contract.replace_older', counters, ['id', 'value', 'version'], {
    conflict: {
      target: ['id'],
      set: ['value', 'version'],
      when: (column) => `${column('version')} < excluded.version`,
    },
    isGuarded: true,
    rank: 4,
  }),
  replaceAny: bulkInsert('contract.replace_any', counters, ['id', 'value', 'version'], {
    conflict: { target: ['id'], set: ['value', 'version'] },
    rank: 5,
  }),
  /** Every verb at once. */
  change: bulkUpdate('contract.change', counters, {
    where: ['id'],
    set: { value: 'value', total: 'add', version: 'increment', label: 'keep', seenAt: 'greatest' },
    rank: 6,
  }),
  clear: bulkUpdate('contract.clear', counters, { where: ['id'], set: { label: 'null', seenAt: 'null' }, rank: 7 }),
  add: bulkUpdate('contract.add', counters, { where: ['id'], set: { value: 'add' }, rank: 8 }),
  reserve: bulkUpdate('contract.reserve', counters, {
    where: ['id'],
    set: { value: 'increment' },
    when: (column) => `${column('value')} < 5`,
    isGuarded: true,
    rank: 9,
  }),
  reserveInOrder: bulkUpdate('contract.reserve_in_order', counters, {
    where: ['id'],
    set: { value: 'increment' },
    when: (column) => `${column('value')} < 5`,
    isGuarded: true,
    isOrdered: true,
    rank: 10,
  }),
  addInOrder: bulkUpdate('contract.add_in_order', counters, {
    where: ['id'],
    set: { value: 'add' },
    isOrdered: true,
    rank: 11,
  }),
  changeVersion: bulkUpdate('contract.change_version', counters, {
    where: ['id', 'version'],
    set: { value: 'value', version: 'increment' },
    isGuarded: true,
    rank: 12,
  }),
  rename: bulkUpdate('contract.rename', counters, {
    where: ['id', 'label'],
    set: { label: 'value' },
    isGuarded: true,
    rank: 13,
  }),
  addByLabel: bulkUpdate('contract.add_by_label', counters, {
    where: ['label'],
    set: { value: 'add' },
    isGuarded: true,
    rank: 14,
  }),
  remove: bulkDelete('contract.remove', counters, { where: ['id', 'version'], isGuarded: true, rank: 15 }),
  readCounters: bulkSelect('contract.read_counters', counters, ['id'], COUNTER),
  readBigCounters: bulkSelect(
    'contract.read_big_counters',
    counters,
    ['id'],
    ['id', 'value'],
    (column) => `${column('value')} > 10`,
  ),
  insertJob: bulkInsert('contract.insert_job', jobs, [...KEY, 'note', 'dueAt', 'leaseUntil', 'fence'], { rank: 16 }),
  insertLeased: bulkInsert('contract.insert_leased', jobs, [...KEY, 'note', 'fence'], {
    conflict: { target: [...KEY] },
    leasedMs: SAMPLE_LEASE_MS,
    rank: 16,
  }),
  finishJob: bulkUpdate('contract.finish_job', jobs, {
    where: [...KEY, 'fence'],
    set: { note: 'value', dueAt: 'value', leaseUntil: 'null' },
    isGuarded: true,
    rank: 17,
  }),
  insertErrand: bulkInsert('contract.insert_errand', errands, [...KEY, 'dueAt', 'fence'], { rank: 18 }),
  readErrands: bulkSelect('contract.read_errands', errands, KEY, KEY),
  finishErrand: bulkUpdate('contract.finish_errand', errands, {
    where: [...KEY, 'fence'],
    set: { dueAt: 'null', leaseUntil: 'null' },
    isGuarded: true,
    rank: 19,
  }),
  /** Locks a counter before counting. */
  lock: bulkInsert('contract.lock', counters, ['id', 'value', 'version'], {
    conflict: { target: ['id'], set: ['value'] },
    isOrdered: true,
    rank: 20,
  }),
  take: bulkTake('contract.take', slots, { ...SLOTS, tally: 'times', isGuarded: true, rank: 21 }),
  taken: bulkReserved('contract.taken', slots, SLOTS),
  still: bulkPrecondition('contract.still', slots, ['scopeId', 'pool'], {
    when: (column) => `${column('times')} > 1`,
    rank: 22,
  }),
  readByClient: bulkSelect('contract.read_by_client', samples, ['scopeId', 'clientId'], ['id']),
  readJobs: bulkSelect('contract.read_jobs', jobs, KEY, [...KEY, 'note', 'dueAt', 'leaseUntil', 'fence']),
});

export type SampleStatements = ReturnType<typeof sampleStatements>;

/** The contract's work table with generated ids. */
export const sampleErrands = ({ errands }: SampleTables) => claimable('contract.errands', errands);

/** The work table of the contract. */
export const sampleQueue = ({ jobs }: SampleTables) => claimable('contract.jobs', jobs);
/** The same, without the note of a job and its due time. */
export const briefQueue = ({ jobs }: SampleTables) =>
  claimable('contract.brief_jobs', jobs, { without: ['note', 'dueAt'] });
