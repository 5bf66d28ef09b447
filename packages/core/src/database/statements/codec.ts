import { getTableColumns, getTableName, type Table } from 'drizzle-orm';
import { isRowId, NO_ROW_ID } from '../../foundation/ids.ts';
import { packClientId, unpackClientId } from '../client-id.ts';
import type { DialectName } from '../dialect-name.ts';

type Word = 'text' | 'id' | 'clientId' | 'bool' | 'int' | 'big' | 'real' | 'json' | 'time';

/** A column for hot statements: its key in code, its name and type in SQL, and the conversion of its values. */
export type HotColumn = {
  readonly key: string;
  readonly name: string;
  /** PostgreSQL type of one value; `[]` is added for a batch. */
  readonly pgType: string;
  /** True if values other than null are bound unchanged. */
  readonly isPlain: boolean;
  encode(value: unknown): unknown;
  /** Decodes a value other than null; null stays null in every column. */
  decode(value: unknown): unknown;
};

/** A value as bound by SQLite; undefined becomes null. Throws the column's error for an invalid value. */
export const encodedBy = (column: Pick<HotColumn, 'isPlain' | 'encode'>, value: unknown): unknown =>
  column.isPlain ? (value ?? null) : column.encode(value);

const wordOf = (dataType: string, sqlType: string): Word => {
  if (dataType === 'json') return 'json';
  if (dataType === 'date') return 'time';
  if (dataType === 'boolean') return 'bool';
  if (sqlType === 'uuid') return 'id';
  if (dataType === 'custom') return 'clientId';
  if (dataType === 'string') return 'text';
  if (sqlType === 'bigint') return 'big';
  return sqlType === 'real' || sqlType === 'double precision' ? 'real' : 'int';
};

const pgTypes: Record<Word, string> = {
  text: 'text',
  id: 'uuid',
  clientId: 'text',
  bool: 'boolean',
  int: 'integer',
  big: 'bigint',
  real: 'double precision',
  json: 'jsonb',
  time: 'timestamptz',
};

const instant = (value: unknown): Date | null => {
  if (value === undefined || value === null) return null;
  if (value instanceof Date) return value;
  throw new TypeError('a time column takes a Date');
};
const same = (value: unknown): unknown => value ?? null;
/** As in columns.ts: PostgreSQL must not receive a value that is no id. */
const id = (value: unknown): unknown =>
  value === undefined || value === null ? null : typeof value === 'string' && isRowId(value) ? value : NO_ROW_ID;
const packed = (value: unknown): unknown => (typeof value === 'string' ? packClientId(value) : null);
const unpacked = (value: unknown): unknown => (typeof value === 'string' ? unpackClientId(value) : null);
const json = (value: unknown): unknown => (value === undefined || value === null ? null : JSON.stringify(value));

const encoders: Record<DialectName, Partial<Record<Word, (value: unknown) => unknown>>> = {
  sqlite: {
    json,
    clientId: packed,
    bool: (value) => (value === undefined || value === null ? null : value ? 1 : 0),
    time: (value) => instant(value)?.getTime() ?? null,
  },
  postgres: { json, id, clientId: packed, time: (value) => instant(value)?.toISOString() ?? null },
};

const decoders: Record<DialectName, Partial<Record<Word, (value: unknown) => unknown>>> = {
  sqlite: {
    json: (value) => (typeof value === 'string' ? JSON.parse(value) : null),
    clientId: unpacked,
    bool: (value) => (value === null ? null : value === 1),
    time: (value) => (typeof value === 'number' ? new Date(value) : null),
  },
  postgres: { clientId: unpacked, big: (value) => (value === null ? null : Number(value)) },
};

/** The columns of a table by their key in code. Throws nothing. */
export const hotColumns = (dialect: DialectName, table: Table): Record<string, HotColumn> =>
  Object.fromEntries(
    Object.entries(getTableColumns(table)).map(([key, column]) => {
      const word = wordOf(column.dataType, column.getSQLType());
      return [
        key,
        {
          key,
          name: column.name,
          pgType: pgTypes[word],
          isPlain: encoders[dialect][word] === undefined,
          encode: encoders[dialect][word] ?? same,
          decode: decoders[dialect][word] ?? same,
        },
      ];
    }),
  );

/** A table's name, quoted for either database. */
export const quotedTable = (table: Table): string => `"${getTableName(table)}"`;
