import type { HotColumn } from './codec.ts';

export const quote = (name: string): string => `"${name}"`;

/** A list of column names for a statement. */
export const list = (columns: readonly HotColumn[]): string => columns.map((column) => quote(column.name)).join(', ');

/** A column by its key in code. Throws TypeError for an unknown one. */
export const need = (columns: Record<string, HotColumn>, key: string, id: string): HotColumn => {
  const column = columns[key];
  if (!column) throw new TypeError(`hot statement ${id} names an unknown column ${key}`);
  return column;
};

/** PostgreSQL: one array parameter per column, as rows. */
export const unnest = (columns: readonly HotColumn[]): string =>
  `unnest(${columns.map((column, index) => `$${index + 1}::${column.pgType}[]`).join(', ')})`;
