// Detects format, delimiter, header and column of a list file from its first rows.

import { CliError, EXIT, usageError } from '../exit-codes.ts';
import { type ColumnChoice, columnsText, findColumn, guessColumn } from './column.ts';
import { isColumnName } from './column-names.ts';
import { type JsonFormat, type JsonItem, jsonReader, keysOf, rowOf } from './json.ts';
import { NO_DELIMITER, type Row, tableReader } from './table.ts';
import { isValue, type ListKind, NOUNS } from './values.ts';

export type ListFormat = 'csv' | JsonFormat;

/** Flags about a file. Absent ones are detected. */
export type ListFlags = {
  readonly format?: ListFormat;
  readonly delimiter?: string;
  readonly header?: boolean;
  readonly column?: string;
};

/** How to read a file. */
export type Layout = {
  readonly format: ListFormat;
  /** Only for tables. */
  readonly delimiter: string;
  readonly header: readonly string[] | null;
  /** Line of the header; rows up to it are skipped. 0: there is no header. */
  readonly headerLine: number;
  /** Cells of a row. */
  readonly width: number;
  readonly column: number;
  /** Other columns with addresses. */
  readonly others: readonly number[];
};

const DELIMITERS = [',', ';', '\t', '|'] as const;
/** Minimum share of rows with the width of the table. Chosen: half of the rows may be broken. */
const MIN_SHARE = 0.5;

/** Spreadsheets may write their delimiter in a first line `sep=;`. */
const SEP = /^"?sep=(.)"?[\t ]*(?:\r\n|\n|\r)/;

/** Detects the format from the start of a text. Throws nothing. */
export const formatOf = (text: string): ListFormat => {
  const begin = text.trimStart();
  // Not every bracket starts JSON: ids may be written as {3f25...}, and "[object Object]" is a broken id.
  if (/^\[\s*(?:[[{"\]\d-]|true\b|false\b|null\b)/.test(begin)) return 'json';
  return /^\{\s*["}]/.test(begin) ? 'ndjson' : 'csv';
};

const hasAddress = ({ cells }: Row): boolean =>
  cells.some((cell) => cell !== null && (isValue('email', cell) || isValue('phone', cell)));

/** True if the first row is a header. In a list of addresses, every other row has an address. */
const isHeader = (kind: ListKind, first: Row, { header, column }: ListFlags): boolean => {
  if (header !== undefined) return header;
  if (column !== undefined && !/^\d+$/.test(column)) return true;
  return kind === 'user' ? first.cells.some((cell) => isColumnName(cell ?? '')) : !hasAddress(first);
};

const textsOf = ({ cells }: Row): string[] => cells.map((cell) => cell ?? '');

/** The number of cells that most rows have. */
const usualWidth = (rows: readonly Row[]): number => {
  const counts = new Map<number, number>();
  for (const { cells } of rows) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  return [...counts].reduce((best, next) => (next[1] > best[1] ? next : best), [1, 0])[0];
};

/** True if the first of several ids is a word and all others are numbers, codes or addresses. */
const isFirstUnlike = (rows: readonly Row[]): boolean => {
  const [first = '', ...others] = rows.map(({ cells }) => cells[0] ?? '');
  return others.length > 0 && [/\d/, /@/].some((form) => !form.test(first) && others.every((one) => form.test(one)));
};

const choose = (
  kind: ListKind,
  header: readonly string[] | null,
  rows: readonly Row[],
  width: number,
  { column, header: hasHeader }: ListFlags,
): ColumnChoice => {
  const isUnclear = kind === 'user' && hasHeader === undefined && header === null;
  if (isUnclear && (width === 1 ? isFirstUnlike(rows) : column !== undefined))
    return { refusal: `line 1 may be a header: ${columnsText(null, rows)}`, isHeaderUnclear: true };
  return column === undefined ? guessColumn(kind, header, rows, width) : findColumn(column, header, rows, width);
};

type Reading = Omit<Layout, 'column' | 'others'> & {
  readonly rows: readonly Row[];
  readonly choice: ColumnChoice;
  /** Share of rows with the width of the table. */
  readonly share: number;
};

const readWith = (kind: ListKind, sample: Buffer, isWhole: boolean, delimiter: string, flags: ListFlags): Reading => {
  const all = tableReader(delimiter)(sample, isWhole);
  const sep = SEP.exec(sample.subarray(0, 16).toString('utf8'));
  const content = sep ? all.slice(1) : all;
  const [first] = content;
  const header = first && isHeader(kind, first, flags) ? textsOf(first) : null;
  const rows = header === null ? content : content.slice(1);
  const width = header?.length ?? usualWidth(content);
  return {
    format: 'csv',
    delimiter,
    header,
    headerLine: header && first ? first.line : sep ? 1 : 0,
    width,
    rows,
    choice: choose(
      kind,
      header,
      rows.filter(({ problem }) => problem === undefined),
      width,
      flags,
    ),
    share: content.length === 0 ? 0 : content.filter(({ cells }) => cells.length === width).length / content.length,
  };
};

/** Reads the text with the delimiter that gives a table with an unambiguous column. */
const readTable = (kind: ListKind, sample: Buffer, isWhole: boolean, flags: ListFlags): Reading => {
  const sep = SEP.exec(sample.subarray(0, 16).toString('utf8'))?.[1];
  const delimiterOfFile = flags.delimiter ?? sep;
  if (delimiterOfFile !== undefined) return readWith(kind, sample, isWhole, delimiterOfFile, flags);
  const tables = DELIMITERS.map((delimiter) => readWith(kind, sample, isWhole, delimiter, flags)).filter(
    ({ width, share, rows, header }) => (header ?? rows[0]?.cells ?? []).length > 1 && width > 1 && share >= MIN_SHARE,
  );
  // User ids may be any text, but an unquoted comma is rejected if no other delimiter fits.
  const plain = readWith(kind, sample, isWhole, kind === 'user' ? ',' : NO_DELIMITER, flags);
  const isCertain = ({ choice }: Reading): number => ('column' in choice ? 1 : 0);
  const [best = plain] = [...tables, ...(kind === 'user' && tables.length > 0 ? [] : [plain])].toSorted(
    (a, b) =>
      isCertain(b) - isCertain(a) ||
      Number(b !== plain) - Number(a !== plain) ||
      b.share - a.share ||
      b.width - a.width,
  );
  // A list with one address per line, where some names contain a comma.
  return best !== plain && isCertain(plain) === 1 && best.share < 1 ? plain : best;
};

const readJson = (kind: ListKind, format: JsonFormat, items: readonly JsonItem[], flags: ListFlags): Reading => {
  const header = keysOf(items);
  const rows = items.map((item) => rowOf(item, header));
  const width = header?.length ?? 1;
  const choice = choose(
    kind,
    header,
    rows.filter(({ problem }) => problem === undefined),
    width,
    {
      ...flags,
      header: true,
    },
  );
  return { format, delimiter: '', header, headerLine: 0, width, rows, choice, share: 1 };
};

const hintOf = (choice: { readonly isHeaderUnclear?: true }, { width, header }: Reading): string => {
  if (width === 1) {
    return choice.isHeaderUnclear === true || header !== null
      ? 'Pass --no-header if line 1 is data, or --header --column 1 if it is a header.'
      : 'Pass the column with --column.';
  }
  return choice.isHeaderUnclear === true
    ? 'Pass the number of the column with --column, and --no-header or --header. If each line is one id, pass --delimiter none.'
    : 'Pass the column with --column, by name or number.';
};

/**
 * Detects the layout of a list.
 *
 * @param sample UTF-8 of the first rows
 * @param isWhole the sample is the whole file
 * @param shown the name of the file in messages
 * @throws CliError invalid for a file without rows, and if the column is ambiguous
 */
export const layoutOf = (kind: ListKind, sample: Buffer, isWhole: boolean, flags: ListFlags, shown: string): Layout => {
  const text = sample.toString('utf8');
  const format = flags.format ?? formatOf(text);
  if (format !== 'csv' && flags.delimiter !== undefined) throw usageError('--delimiter does not apply to JSON.');
  const reading =
    format === 'csv'
      ? readTable(kind, sample, isWhole, flags)
      : readJson(kind, format, jsonReader(format, shown)(sample, isWhole), flags);
  const { rows, choice, share, ...layout } = reading;
  if (rows.length === 0) throw new CliError(EXIT.invalid, `${shown} contains no ${NOUNS[kind].one}.`);
  if (format === 'ndjson' && rows[0]?.problem !== undefined && flags.format === undefined)
    throw new CliError(EXIT.invalid, `${shown} is JSON, but neither an array nor one value per line.`, {
      hint: 'Extract the list first, for example: jq .data FILE > list.json',
    });
  if ('refusal' in choice)
    throw new CliError(EXIT.invalid, `${shown}: ${choice.refusal}. Nothing was imported.`, {
      hint: hintOf(choice, reading),
    });
  return { ...layout, ...choice };
};
