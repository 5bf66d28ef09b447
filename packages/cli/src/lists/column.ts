// Finds the column to import. An ambiguous guess is rejected with a request to name the column.

import { clean } from '../text.ts';
import { NAMES, plainName } from './column-names.ts';
import type { Row } from './table.ts';
import { isValue, type ListKind, NOUNS } from './values.ts';

/** Minimum share of filled cells with an address. Chosen: half of a list may be broken. */
const MIN_SHARE = 0.5;
/** Columns in a message, and characters of a name. Chosen: a few lines of a terminal. */
const SHOWN_COLUMNS = 20;
const SHOWN_CHARACTERS = 40;

/** The index of the column from 0 and of other candidates, or why the choice is ambiguous. */
export type ColumnChoice =
  | { readonly column: number; readonly others: readonly number[] }
  | { readonly refusal: string; readonly isHeaderUnclear?: true };

const quoted = (text: string): string => {
  const line = clean(text);
  return `"${line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS).toWellFormed()}…` : line}"`;
};

/** A column for a message: its number from 1, and its name if there is a header. */
export const columnText = (column: number, header: readonly string[] | null): string =>
  header === null ? `${column + 1}` : `${column + 1} ${quoted(header[column] ?? '')}`;

/** All columns for a message; without a header, the cells of the first row. */
export const columnsText = (header: readonly string[] | null, rows: readonly Row[]): string => {
  const cells = header ?? rows[0]?.cells ?? [];
  const shown = cells.slice(0, SHOWN_COLUMNS).map((cell, at) => `${at + 1} ${quoted(cell ?? '')}`);
  return `${shown.join(', ')}${cells.length > SHOWN_COLUMNS ? ', ...' : ''}`;
};

/** Share of matching cells per column; 0 for user ids, which may be any text. */
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
      : { refusal: `there is no header, and several columns: ${columnsText(null, rows)}`, isHeaderUnclear: true };
  const exact = named(header, NAMES.user.exact);
  const candidates = exact.length > 0 ? exact : named(header, NAMES.user.loose);
  const [column] = candidates;
  if (column !== undefined && candidates.length === 1) return { column, others: [] };
  const problem =
    candidates.length === 0 ? 'no column has a name for user ids' : 'several columns may contain user ids';
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
  // Without addresses in the first rows, names decide; without a known name, addresses decide.
  const isBoth = (column: number): boolean => filled.includes(column);
  const candidates = filled.length === 0 ? exact : exact.length === 0 ? filled : exact.filter(isBoth);
  const [column] = candidates;
  if (column !== undefined && candidates.length === 1)
    return { column, others: filled.filter((other) => other !== column) };
  const { many } = NOUNS[kind];
  const problem =
    candidates.length > 1
      ? `columns ${candidates.map((one) => one + 1).join(', ')} contain ${many}`
      : filled.length > 0
        ? `the column named for ${many} contains none, but column ${filled.map((one) => one + 1).join(', ')} does`
        : `no column contains ${many}`;
  return { refusal: `${problem}; the columns are ${columnsText(header, rows)}` };
};

/** Guesses the column from rows without their header. Throws nothing. */
export const guessColumn = (
  kind: ListKind,
  header: readonly string[] | null,
  rows: readonly Row[],
  width: number,
): ColumnChoice => (kind === 'user' ? guessUser(header, rows, width) : guessAddress(kind, header, rows, width));

/** The column of `--column`: by its name, else by its number from 1. Throws nothing. */
export const findColumn = (
  requested: string,
  header: readonly string[] | null,
  rows: readonly Row[],
  width: number,
): ColumnChoice => {
  const same = header?.flatMap((name, column) => (name === requested ? [column] : [])) ?? [];
  const alike = header?.flatMap((name, column) => (plainName(name) === plainName(requested) ? [column] : [])) ?? [];
  const matches = same.length > 0 ? same : plainName(requested) === '' ? [] : alike;
  const [column] = matches;
  if (column !== undefined && matches.length === 1) return { column, others: [] };
  const number = Number(requested);
  if (matches.length === 0 && Number.isInteger(number) && number >= 1 && number <= width)
    return { column: number - 1, others: [] };
  const problem =
    matches.length > 1
      ? `several columns have the name ${quoted(requested)}`
      : `there is no column ${quoted(requested)}`;
  return { refusal: `${problem}; the columns are ${columnsText(header, rows)}` };
};
