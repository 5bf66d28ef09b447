// Which column of a list holds what is imported. A guess that is not certain is no guess: the user is asked to name it.

import { clean } from '../text.ts';
import { NAMES, plainName } from './column-names.ts';
import type { Row } from './table.ts';
import { isValue, type ListKind, NOUNS } from './values.ts';

/** Share of the filled cells of a column that hold an address. Chosen: half of a list may be broken. */
const MIN_SHARE = 0.5;
/** Columns that a message names, and characters of a name. Chosen: some lines of a terminal. */
const SHOWN_COLUMNS = 20;
const SHOWN_CHARACTERS = 40;

/** A column by its place from 0, and others that might be meant; or why none is certain. */
export type ColumnChoice =
  | { readonly column: number; readonly others: readonly number[] }
  | { readonly refusal: string; readonly isHeaderUnclear?: true };

const quoted = (text: string): string => {
  const line = clean(text);
  return `"${line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS).toWellFormed()}…` : line}"`;
};

/** A column for a message: its number from 1, and its name if there are names. */
export const columnText = (column: number, header: readonly string[] | null): string =>
  header === null ? `${column + 1}` : `${column + 1} ${quoted(header[column] ?? '')}`;

/** Columns of a list for a message; without names, what the first row has. */
export const columnsText = (header: readonly string[] | null, rows: readonly Row[]): string => {
  const cells = header ?? rows[0]?.cells ?? [];
  const shown = cells.slice(0, SHOWN_COLUMNS).map((cell, at) => `${at + 1} ${quoted(cell ?? '')}`);
  return `${shown.join(', ')}${cells.length > SHOWN_COLUMNS ? ', ...' : ''}`;
};

/** How much of each column looks like what is looked for; 0 for user ids, which may be any text. */
const sharesOf = (kind: ListKind, width: number, rows: readonly Row[]): number[] =>
  Array.from({ length: width }, (_, column) => {
    if (kind === 'user') return 0;
    const filled = rows.map(({ cells }) => cells[column] ?? '').filter((cell) => cell.trim() !== '');
    return filled.length === 0 ? 0 : filled.filter((cell) => isValue(kind, cell)).length / filled.length;
  });

const named = (header: readonly string[], names: ReadonlySet<string>): number[] =>
  header.flatMap((name, column) => (names.has(plainName(name)) ? [column] : []));

const guessUser = (header: readonly string[] | null, rows: readonly Row[], width: number): ColumnChoice => {
  if (header === null)
    return width === 1
      ? { column: 0, others: [] }
      : { refusal: `no line names the columns, which are ${columnsText(null, rows)}`, isHeaderUnclear: true };
  const exact = named(header, NAMES.user.exact);
  const candidates = exact.length > 0 ? exact : named(header, NAMES.user.loose);
  const [column] = candidates;
  if (column !== undefined && candidates.length === 1) return { column, others: [] };
  const problem =
    candidates.length === 0 ? 'no column is named as one of user ids' : 'several columns may hold user ids';
  return { refusal: `${problem}: ${columnsText(header, rows)}` };
};

const guessAddress = (
  kind: 'email' | 'phone',
  header: readonly string[] | null,
  rows: readonly Row[],
  width: number,
): ColumnChoice => {
  const shares = sharesOf(kind, width, rows);
  const filled = shares.flatMap((share, column) => (share >= MIN_SHARE ? [column] : []));
  const exact = header === null ? [] : named(header, NAMES[kind].exact);
  // Names alone decide where no column has an address in its first rows, and addresses alone where no name is known.
  const isBoth = (column: number): boolean => filled.includes(column);
  const candidates = filled.length === 0 ? exact : exact.length === 0 ? filled : exact.filter(isBoth);
  const [column] = candidates;
  if (column !== undefined && candidates.length === 1)
    return { column, others: filled.filter((other) => other !== column) };
  const { many } = NOUNS[kind];
  const problem =
    candidates.length > 1
      ? `columns ${candidates.map((one) => one + 1).join(', ')} hold ${many}`
      : filled.length > 0
        ? `the column that is named for ${many} holds none, and column ${filled.map((one) => one + 1).join(', ')} does`
        : `no column holds ${many}`;
  return { refusal: `${problem}; the columns are ${columnsText(header, rows)}` };
};

/** The column that is certain to be meant, of rows without their header. Throws nothing. */
export const guessColumn = (
  kind: ListKind,
  header: readonly string[] | null,
  rows: readonly Row[],
  width: number,
): ColumnChoice => (kind === 'user' ? guessUser(header, rows, width) : guessAddress(kind, header, rows, width));

/** The column of `--column`: by its name, else by its number from 1. Throws nothing. */
export const findColumn = (
  wanted: string,
  header: readonly string[] | null,
  rows: readonly Row[],
  width: number,
): ColumnChoice => {
  const same = header?.flatMap((name, column) => (name === wanted ? [column] : [])) ?? [];
  const alike = header?.flatMap((name, column) => (plainName(name) === plainName(wanted) ? [column] : [])) ?? [];
  const matches = same.length > 0 ? same : plainName(wanted) === '' ? [] : alike;
  const [column] = matches;
  if (column !== undefined && matches.length === 1) return { column, others: [] };
  const number = Number(wanted);
  if (matches.length === 0 && Number.isInteger(number) && number >= 1 && number <= width)
    return { column: number - 1, others: [] };
  const problem =
    matches.length > 1 ? `several columns are named ${quoted(wanted)}` : `there is no column ${quoted(wanted)}`;
  return { refusal: `${problem}; the columns are ${columnsText(header, rows)}` };
};
