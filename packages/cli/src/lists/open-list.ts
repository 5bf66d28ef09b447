// Opens a list file for import. Encoding, format and column are determined before the first row is returned.

import { CliError, EXIT } from '../exit-codes.ts';
import type { OpenedFile } from '../files.ts';
import { openInput } from '../input.ts';
import type { Io } from '../io.ts';
import { columnText } from './column.ts';
import { checkEncoding, decoded, detectEncoding, encodingNamed } from './encoding.ts';
import { jsonReader, rowOf } from './json.ts';
import { type Layout, type ListFlags, layoutOf } from './layout.ts';
import { NO_DELIMITER, type Row, tableReader } from './table.ts';
import { type ListKind, NOUNS, valuesOf } from './values.ts';

/** Maximum bytes of stdin or a pipe, which stay in memory. Chosen: about two million rows. A file may have any size. */
const MAX_PIPE_BYTES = 64 * 1_048_576;
/** Bytes inspected to detect the layout. Chosen: some hundred rows of a wide export. */
const SAMPLE_BYTES = 131_072;

/** A value with its row, or the reason why the row has none. */
export type Entry = {
  readonly row: Row;
  readonly value: string | null;
  readonly problem: string | null;
};

/** An opened list. */
export type List = AsyncDisposable & {
  readonly header: readonly string[] | null;
  /** Cells of a row. */
  readonly width: number;
  /** Column name for files without a header. */
  readonly valueName: string;
  /** Approximate number of rows. */
  readonly lines: number;
  /** How the file is read, as text. */
  readonly description: string;
  /** How the file is read, as data. */
  readonly source: {
    readonly encoding: string;
    readonly format: string;
    readonly delimiter: string | null;
    readonly column: number;
    readonly columnName: string | null;
  };
  /** All entries in file order, in parts. Throws CliError if the file changes while it is read. */
  entries(): AsyncIterable<readonly Entry[]>;
  /** True if the path is this file. */
  isAt(path: string): boolean;
};

const VALUE_NAMES: Readonly<Record<ListKind, string>> = { user: 'user_id', email: 'email', phone: 'phone' };

const DELIMITER_NAMES: Readonly<Record<string, string>> = {
  ',': 'comma',
  ';': 'semicolon',
  '\t': 'tab',
  '|': 'pipe',
};

const sampleOf = async (bytes: AsyncIterable<Buffer>): Promise<{ sample: Buffer; isWhole: boolean }> => {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of bytes) {
    parts.push(part);
    size += part.length;
    if (size >= SAMPLE_BYTES) return { sample: Buffer.concat(parts), isWhole: false };
  }
  return { sample: Buffer.concat(parts), isWhole: true };
};

const readerOf = ({ format, delimiter, header }: Layout, shown: string): ((bytes: Buffer, isEnd: boolean) => Row[]) => {
  if (format === 'csv') return tableReader(delimiter);
  const read = jsonReader(format, shown);
  return (bytes, isEnd) => read(bytes, isEnd).map((item) => rowOf(item, header));
};

const rowsOf = async function* (file: OpenedFile, encoding: string, layout: Layout, shown: string) {
  const read = readerOf(layout, shown);
  for await (const bytes of decoded(file, encoding)) yield read(bytes, false);
  yield read(Buffer.alloc(0), true);
};

/** Why the width of a row is invalid; null: it is valid. */
const widthProblem = (kind: ListKind, { width, delimiter }: Layout, { cells }: Row): string | null => {
  const filled = cells.findLastIndex((cell) => cell !== '') + 1;
  if (filled > width)
    return delimiter === NO_DELIMITER ? 'contains a control character' : `has ${filled} cells instead of ${width}`;
  // Spreadsheets omit empty cells at the end. A short row is accepted for addresses, which can be validated, not for user ids.
  return kind === 'user' && cells.length < width ? `has ${cells.length} cells instead of ${width}` : null;
};

const entriesOf = (kind: ListKind, layout: Layout, row: Row): Entry[] => {
  const refused = (problem: string): Entry[] => [{ row, value: null, problem }];
  const problem = row.problem ?? (layout.format === 'csv' ? widthProblem(kind, layout, row) : null);
  if (problem !== null) return refused(problem);
  const values = valuesOf(kind, row, layout.column);
  return typeof values === 'string' ? refused(values) : values.map((value) => ({ row, value, problem: null }));
};

const describe = (kind: ListKind, layout: Layout, encoding: string): string => {
  const { format, delimiter, header, headerLine, width, column, others } = layout;
  const name = encoding.toUpperCase();
  const { many } = NOUNS[kind];
  if (format !== 'csv') {
    const place = header === null ? '' : ` from ${JSON.stringify(header[column] ?? '')} of each object`;
    return `Reading ${many}${place} (${format === 'json' ? 'JSON array' : 'one JSON value per line'}, ${name}).`;
  }
  const place = width === 1 && header === null ? ', one per line' : ` from column ${columnText(column, header)}`;
  const kindOfTable = width === 1 ? '' : `delimiter ${DELIMITER_NAMES[delimiter] ?? `"${delimiter}"`}, `;
  const heading = header === null ? 'no header' : `header in line ${headerLine}`;
  const more =
    others.length === 0
      ? ''
      : ` Column ${others.map((other) => columnText(other, header)).join(', ')} also contains ${many}: choose with --column.`;
  return `Reading ${many}${place} (${kindOfTable}${name}, ${heading}).${more}`;
};

/**
 * Opens a list file and detects how to read it.
 *
 * @throws CliError usage or invalid, before the first row, for a file that is not text in one encoding, and for an
 * ambiguous column
 */
export const openList = async (
  io: Pick<Io, 'stdin' | 'cwd'>,
  path: string,
  kind: ListKind,
  flags: ListFlags & { readonly encoding?: string },
): Promise<List> => {
  const shown = path === '-' ? 'stdin' : path;
  const named = flags.encoding === undefined ? null : encodingNamed(flags.encoding);
  const tooLarge = (): CliError =>
    new CliError(EXIT.invalid, `${shown} exceeds ${MAX_PIPE_BYTES} bytes. Write it to a file and import the file.`);
  const file = await openInput(io, path, MAX_PIPE_BYTES, tooLarge);
  try {
    const { sample: head } = await sampleOf(file.chunks());
    const encoding = named ?? detectEncoding(head, shown);
    const lines = await checkEncoding(file, encoding, shown);
    const { sample, isWhole } = await sampleOf(decoded(file, encoding));
    const layout = layoutOf(kind, sample, isWhole, flags, shown);
    // A truncated array is rejected as a whole.
    if (layout.format === 'json') for await (const _ of rowsOf(file, encoding, layout, shown));
    const entries = async function* (): AsyncGenerator<readonly Entry[]> {
      for await (const rows of rowsOf(file, encoding, layout, shown))
        yield rows.flatMap((row) => (row.line <= layout.headerLine ? [] : entriesOf(kind, layout, row)));
    };
    const { column, header, format, delimiter } = layout;
    return {
      header,
      width: layout.width,
      valueName: VALUE_NAMES[kind],
      lines,
      description: describe(kind, layout, encoding),
      source: {
        encoding,
        format,
        delimiter: format === 'csv' ? (DELIMITER_NAMES[delimiter] ?? null) : null,
        column: column + 1,
        columnName: header?.[column] ?? null,
      },
      entries,
      isAt: file.isAt,
      [Symbol.asyncDispose]: () => Promise.resolve(file[Symbol.asyncDispose]()),
    };
  } catch (error) {
    await file[Symbol.asyncDispose]();
    throw error;
  }
};
