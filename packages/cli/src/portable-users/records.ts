// Reads the records of a file as a stream: CSV, one JSON value per line, a JSON array, or an array within one object.

import { CliError, EXIT, usageError } from '../exit-codes.ts';
import type { OpenedFile } from '../files.ts';
import { openInput } from '../input.ts';
import type { Io } from '../io.ts';
import { isObject } from '../is-object.ts';
import { checkEncoding, decoded, detectEncoding, encodingNamed } from '../lists/encoding.ts';
import { jsonReader } from '../lists/json.ts';
import { tableReader } from '../lists/table.ts';
import { CSV_COLUMNS } from './csv-columns.ts';
import { type Mapped, mappings } from './mappings.ts';
import type { System } from './systems.ts';

/** Bytes of stdin or a pipe, which stay in memory. Chosen: as for lists. A file may have any size. */
const MAX_PIPE_BYTES = 64 * 1_048_576;
/** Bytes that are inspected to detect the format. Chosen: more than any header. */
const HEAD_BYTES = 65_536;
const DELIMITERS = [',', ';', '\t', '|'] as const;

/** One record of a file and its line, from 1. */
export type FileRecord = Mapped & { readonly line: number };

export type Records = AsyncDisposable & {
  /** How the file is read, as text. */
  readonly description: string;
  /** Number of records: exact for JSON arrays, else the lines of the file. */
  readonly count: number;
  /** First bytes of the file, by which a continued import recognises it. */
  readonly head: Buffer;
  /** All records in file order, in parts. Throws CliError for a file that is damaged. */
  parts(): AsyncIterable<readonly FileRecord[]>;
  isAt(path: string): boolean;
};

type Read = (bytes: Buffer, isEnd: boolean) => readonly FileRecord[];

const headOf = async (chunks: AsyncIterable<Buffer>): Promise<Buffer> => {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of chunks) {
    parts.push(part);
    size += part.length;
    if (size >= HEAD_BYTES) break;
  }
  return Buffer.concat(parts).subarray(0, HEAD_BYTES);
};

/** The delimiter that splits the first line into most cells. */
const delimiterOf = (text: string): string => {
  const [line = ''] = text.split(/\r\n|\n|\r/, 1);
  const widths = DELIMITERS.map((delimiter) => [delimiter, line.split(delimiter).length] as const);
  return widths.reduce((most, other) => (other[1] > most[1] ? other : most))[0];
};

const headerProblem = (system: System, header: readonly string[]): CliError | null => {
  const { isColumn, name, row } = mappings[system];
  const unknown = header.filter((column) => isColumn && !isColumn(column));
  if (unknown.length > 0)
    return new CliError(EXIT.invalid, `Unknown columns: ${unknown.join(', ')}. Nothing was imported.`, {
      hint: `Columns: ${CSV_COLUMNS.join(', ')}.`,
    });
  const probe = row(Object.fromEntries(header.map((column) => [column, 'x@example.com'])));
  const isEmpty = 'row' in probe && !['externalId', 'email', 'id'].some((field) => field in probe.row);
  return isEmpty
    ? new CliError(EXIT.invalid, `Line 1 has no column of ${name} that identifies a user. Nothing was imported.`, {
        hint: 'Line 1 must name the columns. Check --from.',
      })
    : null;
};

const csvRead = (system: System, delimiter: string): Read => {
  const read = tableReader(delimiter);
  let header: readonly string[] | null = null;
  return (bytes, isEnd) => {
    const records: FileRecord[] = [];
    for (const { line, cells, problem } of read(bytes, isEnd)) {
      if (header === null) {
        header = cells.map((cell) => cell ?? '');
        const wrong = headerProblem(system, header);
        if (wrong) throw wrong;
        continue;
      }
      const columns = header;
      if (problem !== undefined) records.push({ line, problem });
      else if (cells.length > columns.length)
        records.push({ line, problem: `has ${cells.length} cells instead of ${columns.length}` });
      else
        records.push({
          line,
          ...mappings[system].row(Object.fromEntries(columns.map((column, at) => [column, cells[at] ?? '']))),
        });
    }
    return records;
  };
};

const jsonRead = (system: System, shown: string, format: 'json' | 'ndjson' | 'member'): Read => {
  const read = jsonReader(format === 'ndjson' ? 'ndjson' : 'json', shown, { isMember: format === 'member' });
  return (bytes, isEnd) =>
    read(bytes, isEnd).map(({ line, value }) =>
      isObject(value) ? { line, ...mappings[system].row(value) } : { line, problem: 'is not a JSON object' },
    );
};

type Format = 'csv' | 'json' | 'ndjson' | 'member';

const formatOf = (system: System, head: string): Format => {
  if (mappings[system].member?.test(head)) return 'member';
  const first = head.trimStart()[0];
  if (first === '[') return 'json';
  if (first === '{') return 'ndjson';
  return 'csv';
};

/** The bytes from the first bracket on, for an array that is the member of an object. */
const fromArray = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isOpen = false;
  for await (const bytes of chunks) {
    const at = isOpen ? 0 : bytes.indexOf('[');
    if (at === -1) continue;
    isOpen = true;
    yield bytes.subarray(at);
  }
};

const FORMAT_NAMES: Readonly<Record<Format, string>> = {
  csv: 'CSV',
  json: 'JSON array',
  ndjson: 'one JSON value per line',
  member: 'JSON document',
};

const bytesOf = (file: OpenedFile, encoding: string, format: Format): AsyncIterable<Buffer> => {
  const bytes = decoded(file, encoding);
  return format === 'member' ? fromArray(bytes) : bytes;
};

/**
 * Opens an export of another system.
 *
 * @throws CliError usage or invalid, before the first record, for a file that is not text in one encoding, a CSV file
 * without known columns, and a JSON document that is damaged
 */
export const openRecords = async (
  io: Pick<Io, 'stdin' | 'cwd'>,
  path: string,
  system: System,
  encodingName: string | undefined,
): Promise<Records> => {
  const shown = path === '-' ? 'stdin' : path;
  const named = encodingName === undefined ? null : encodingNamed(encodingName);
  const tooLarge = (): CliError =>
    new CliError(EXIT.invalid, `${shown} exceeds ${MAX_PIPE_BYTES} bytes. Write it to a file and import the file.`);
  const file = await openInput(io, path, MAX_PIPE_BYTES, tooLarge);
  try {
    const encoding = named ?? detectEncoding(await headOf(file.chunks()), shown);
    const lines = await checkEncoding(file, encoding, shown);
    const head = await headOf(decoded(file, encoding));
    const text = head.toString('utf8');
    if (text.trim() === '') throw usageError(`${shown} is empty.`);
    const format = formatOf(system, text);
    if (format === 'csv' && system === 'ndjson')
      throw new CliError(EXIT.invalid, `${shown} has no JSON object in line 1. Nothing was imported.`);
    const delimiter = delimiterOf(text);
    const parts = async function* (): AsyncGenerator<readonly FileRecord[]> {
      const read: Read = format === 'csv' ? csvRead(system, delimiter) : jsonRead(system, shown, format);
      for await (const bytes of bytesOf(file, encoding, format)) yield read(bytes, false);
      yield read(Buffer.alloc(0), true);
    };
    let count = Math.max(1, format === 'csv' ? lines - 1 : lines);
    // A truncated document is rejected as a whole.
    if (format === 'json' || format === 'member') {
      count = 0;
      for await (const part of parts()) count += part.length;
    }
    return {
      ...{ count, head, parts, isAt: file.isAt },
      description: `Reading users of ${mappings[system].name} (${FORMAT_NAMES[format]}, ${encoding.toUpperCase()}).`,
      [Symbol.asyncDispose]: () => Promise.resolve(file[Symbol.asyncDispose]()),
    };
  } catch (error) {
    await file[Symbol.asyncDispose]();
    throw error;
  }
};
