// How a list file is built, found out from its first rows: format, delimiter, header and column.

import { CliError, EXIT, usageError } from '../exit-codes.ts';
import { type ColumnChoice, columnsText, findColumn, guessColumn } from './column.ts';
import { isColumnName } from './column-names.ts';
import { type JsonFormat, type JsonItem, jsonReader, keysOf, rowOf } from './json.ts';
import { NO_DELIMITER, type Row, tableReader } from './table.ts';
import { isValue, type ListKind, NOUNS } from './values.ts';

export type ListFormat = 'csv' | JsonFormat;

/** What the user says about a file; what is left out is found out. */
export type ListFlags = {
  readonly format?: ListFormat;
  readonly delimiter?: string;
  readonly header?: boolean;
  readonly column?: string;
};

/** How to read a file. */
export type Layout = {
  readonly format: ListFormat;
  /** Of a table. */
  readonly delimiter: string;
  readonly header: readonly string[] | null;
  /** Rows that begin up to this line are none of the list: the header. 0: there is none. */
  readonly headerLine: number;
  /** Cells of a row. */
  readonly width: number;
  readonly column: number;
  /** Other columns that hold addresses. */
  readonly others: readonly number[];
};

const DELIMITERS = [',', ';', '\t', '|'] as const;
/** Share of the first rows that have as many cells as the very first. Chosen: half of them may be broken. */
const MIN_SHARE = 0.5;

/** Spreadsheets say their delimiter in a first line of its own. */
const SEP = /^"?sep=(.)"?[\t ]*(?:\r\n|\n|\r)/;

/** The format of a text by its beginning. Throws nothing. */
export const formatOf = (text: string): ListFormat => {
  const begin = text.trimStart();
  // Not every bracket begins JSON: ids may be written as {3f25...}, and "[object Object]" is a broken id.
  if (/^\[\s*(?:[[{"\]\d-]|true\b|false\b|null\b)/.test(begin)) return 'json';
  return /^\{\s*["}]/.test(begin) ? 'ndjson' : 'csv';
};

const hasAddress = ({ cells }: Row): boolean =>
  cells.some((cell) => cell !== null && (isValue('email', cell) || isValue('phone', cell)));

/** True where the first row names the columns. A row without an address is no row of a list of addresses. */
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

/** True where the first of several ids is a word and all others are numbers, codes or addresses. */
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
    return { refusal: `it is not certain that line 1 is no header: ${columnsText(null, rows)}`, isHeaderUnclear: true };
  return column === undefined ? guessColumn(kind, header, rows, width) : findColumn(column, header, rows, width);
};

type Reading = Omit<Layout, 'column' | 'others'> & {
  readonly rows: readonly Row[];
  readonly choice: ColumnChoice;
  /** Of the rows: how many have the width of the first. */
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

/** The delimiter that makes a table of the text, and a column certain. */
const readTable = (kind: ListKind, sample: Buffer, isWhole: boolean, flags: ListFlags): Reading => {
  const sep = SEP.exec(sample.subarray(0, 16).toString('utf8'))?.[1];
  const said = flags.delimiter ?? sep;
  if (said !== undefined) return readWith(kind, sample, isWhole, said, flags);
  const tables = DELIMITERS.map((delimiter) => readWith(kind, sample, isWhole, delimiter, flags)).filter(
    ({ width, share, rows, header }) => (header ?? rows[0]?.cells ?? []).length > 1 && width > 1 && share >= MIN_SHARE,
  );
  // User ids may be any text. A comma outside of quotes is refused all the same where nothing else divides the lines.
  const plain = readWith(kind, sample, isWhole, kind === 'user' ? ',' : NO_DELIMITER, flags);
  const isCertain = ({ choice }: Reading): number => ('column' in choice ? 1 : 0);
  const [best = plain] = [...tables, ...(kind === 'user' && tables.length > 0 ? [] : [plain])].toSorted(
    (a, b) =>
      isCertain(b) - isCertain(a) ||
      Number(b !== plain) - Number(a !== plain) ||
      b.share - a.share ||
      b.width - a.width,
  );
  // A list with one address a line, in some of which the name has a comma.
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
    const isCertain = 'Say --no-header if line 1 is a row like the others';
    return choice.isHeaderUnclear === true || header !== null
      ? `${isCertain}, or --header --column 1 if it names the column.`
      : 'Name the column with --column.';
  }
  return choice.isHeaderUnclear === true
    ? 'Name the column by its number with --column, and say --no-header, or --header where line 1 names the columns.' +
        ' If each line is one id, say --delimiter none.'
    : 'Name the column with --column, by its name or its number.';
};

/**
 * Finds out how a list is built.
 *
 * @param sample UTF-8 of the first rows
 * @param isWhole the sample is the whole file
 * @param shown the name of the file in a refusal
 * @throws CliError invalid for a file without a row, and where it is not certain which column is meant
 */
export const layoutOf = (kind: ListKind, sample: Buffer, isWhole: boolean, flags: ListFlags, shown: string): Layout => {
  const text = sample.toString('utf8');
  const format = flags.format ?? formatOf(text);
  if (format !== 'csv' && flags.delimiter !== undefined) throw usageError('--delimiter is of tables, not of JSON.');
  const reading =
    format === 'csv'
      ? readTable(kind, sample, isWhole, flags)
      : readJson(kind, format, jsonReader(format, shown)(sample, isWhole), flags);
  const { rows, choice, share, ...layout } = reading;
  if (rows.length === 0) throw new CliError(EXIT.invalid, `${shown} holds no ${NOUNS[kind].one}.`);
  if (format === 'ndjson' && rows[0]?.problem !== undefined && flags.format === undefined)
    throw new CliError(EXIT.invalid, `${shown} is JSON, but neither an array nor one value a line.`, {
      hint: 'Take the list out of it first, for instance: jq .data FILE > list.json',
    });
  if ('refusal' in choice)
    throw new CliError(EXIT.invalid, `${shown}: ${choice.refusal}. Nothing was imported.`, {
      hint: hintOf(choice, reading),
    });
  return { ...layout, ...choice };
};
