// Rows of delimited text (RFC 4180). csv-parse reads blocks that end where a record ends. A block that it refuses is read
// again record by record, so that a stray quote costs the line it is in and not the lines after it.

import { parse } from 'csv-parse/sync';

/** Bytes of one record. Chosen: as one request; more means that a quote is not closed. */
const MAX_RECORD_BYTES = 1_048_576;
const LF = 10;
const CR = 13;
const QUOTE = 34;

/** Between the cells of a list that has one cell a line: a character that no text has (record separator). */
export const NO_DELIMITER = '\u001e';

/** One row of a file, and the line that it begins in, from 1. */
export type Row = {
  readonly line: number;
  /** Null: not a text, such as an object in JSON. */
  readonly cells: readonly (string | null)[];
  /** Why the row cannot be read; its only cell is then the line as it is. */
  readonly problem?: string;
  /** The row breaks the rules of quotes; those in its cells are literal. */
  readonly hasStrayQuotes?: true;
};

const BREAKS = /\r\n|\n|\r/g;
const UNCLOSED = 'has a quote that is not closed';

const OPTIONS = {
  max_record_size: 0,
  relax_column_count: true,
  // White space around a cell goes unless it is within quotes.
  trim: true,
};

// Without a quote there is nothing to parse: splitting takes a third of the time.
const splitRecords = (bytes: Buffer, delimiter: string): string[][] => {
  const lines = bytes.toString('utf8').split(bytes.includes(CR) ? BREAKS : '\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => line.split(delimiter).map((cell) => cell.trim()));
};

const readRecords = (bytes: Buffer, delimiter: string, isRelaxed: boolean): string[][] => {
  if (!bytes.includes(QUOTE)) return splitRecords(bytes, delimiter);
  const options = { ...OPTIONS, delimiter, record_delimiter: bytes.includes(CR) ? ['\r\n', '\n', '\r'] : '\n' };
  if (!isRelaxed) return parse(bytes, options);
  // With `trim`, csv-parse rejects a blank after a closing quote, even with `relax_quotes`.
  return parse(bytes, { ...options, trim: false, relax_quotes: true }).map((cells) => cells.map((cell) => cell.trim()));
};

/** As `readRecords`; null where quotes are wrong. */
const tryRecords = (bytes: Buffer, delimiter: string, isRelaxed: boolean): string[][] | null => {
  try {
    return readRecords(bytes, delimiter, isRelaxed);
  } catch (error) {
    if (error instanceof Error && 'code' in error && /QUOTE/.test(String(error.code))) return null;
    throw error;
  }
};

/** Where the line ends that begins at `from`, its line break included; the end of the bytes without one. */
const lineEnd = (bytes: Buffer, from: number): number => {
  for (let at = from; at < bytes.length; at += 1) {
    if (bytes[at] === LF) return at + 1;
    if (bytes[at] === CR) return bytes[at + 1] === LF ? at + 2 : at + 1;
  }
  return bytes.length;
};

const breaksIn = (cells: readonly string[]): number =>
  cells.reduce((sum, cell) => sum + (cell.match(BREAKS)?.length ?? 0), 0);

const isBlank = (cells: readonly string[]): boolean => cells.every((cell) => cell === '');

/** Rows of a block, and how much of it they are. */
type Block = { readonly rows: Row[]; readonly bytes: number; readonly lines: number };

/**
 * Reads a block record by record. A record that is open at its end is left over: behind a stray quote the block may end
 * within a record.
 */
const readSlowly = (block: Buffer, delimiter: string, firstLine: number): Block => {
  const rows: Row[] = [];
  let line = firstLine;
  for (let from = 0; from < block.length; ) {
    const first = lineEnd(block, from);
    let [end, lines, isOpen] = [from, 0, true];
    for (let at = from; isOpen && at < block.length && at - from <= MAX_RECORD_BYTES; at = end, lines += 1) {
      end = lineEnd(block, at);
      let quotes = lines === 0 ? 0 : 1;
      for (let byte = at; byte < end; byte += 1) if (block[byte] === QUOTE) quotes += 1;
      isOpen = quotes % 2 === 1;
    }
    if (isOpen && from > 0 && block.length - from <= MAX_RECORD_BYTES)
      return { rows, bytes: from, lines: line - firstLine };
    const strict = isOpen ? null : tryRecords(block.subarray(from, end), delimiter, false);
    const [cells] = strict ?? [];
    if (cells) {
      if (!isBlank(cells)) rows.push({ line, cells });
      line += lines;
      from = end;
      continue;
    }
    const text = block.subarray(from, first);
    const [loose] = tryRecords(text, delimiter, true) ?? [];
    if (loose) rows.push({ line, cells: loose, hasStrayQuotes: true });
    else rows.push({ line, cells: [text.toString('utf8').replace(/[\r\n]+$/, '')], problem: UNCLOSED });
    line += 1;
    from = first;
  }
  return { rows, bytes: block.length, lines: line - firstLine };
};

const readBlock = (block: Buffer, delimiter: string, firstLine: number, lines: number): Block => {
  const records = tryRecords(block, delimiter, false);
  if (records === null) return readSlowly(block, delimiter, firstLine);
  const rows: Row[] = [];
  // Counting breaks within cells costs time, and most blocks have none.
  const hasBreaks = records.length < lines;
  let line = firstLine;
  for (const cells of records) {
    if (!isBlank(cells)) rows.push({ line, cells });
    line += 1 + (hasBreaks ? breaksIn(cells) : 0);
  }
  return { rows, bytes: block.length, lines };
};

/** Reads what comes in parts; keeps what belongs to a record that is not complete. */
export const tableReader = (delimiter: string) => {
  let pending: Buffer = Buffer.alloc(0);
  let line = 1;
  // Of the bytes before `at`: the end of the last complete record, the lines up to there and in all, and open quotes.
  let scan = { at: 0, cut: 0, cutLines: 0, lines: 0, isQuoted: false };

  const scanOn = (isEnd: boolean): void => {
    let { at, cut, cutLines, lines, isQuoted } = scan;
    const length = pending.length;
    for (; at < length; at += 1) {
      const byte = pending[at];
      if (byte === QUOTE) isQuoted = !isQuoted;
      else if (byte === LF || byte === CR) {
        if (byte === CR) {
          // Whether a line feed follows decides whether it is one break or two.
          if (at + 1 === length && !isEnd) break;
          if (pending[at + 1] === LF) at += 1;
        }
        lines += 1;
        if (!isQuoted) [cut, cutLines] = [at + 1, lines];
      }
    }
    if (isEnd && !isQuoted && cut < length) [cut, cutLines] = [length, lines + 1];
    scan = { at, cut, cutLines, lines, isQuoted };
  };

  const consume = (bytes: number, lines: number): void => {
    // A copy, or a short rest would hold on to the whole block.
    pending = Buffer.from(pending.subarray(bytes));
    line += lines;
    scan = { at: 0, cut: 0, cutLines: 0, lines: 0, isQuoted: false };
  };

  /** The rows that are complete with these bytes; `isEnd`: all that are left. Throws nothing. */
  return (bytes: Buffer, isEnd: boolean): Row[] => {
    let rows: Row[] = [];
    pending = pending.length === 0 ? bytes : Buffer.concat([pending, bytes]);
    scanOn(isEnd);
    for (;;) {
      const { cut, cutLines, at, isQuoted, lines } = scan;
      const isEndless = cut === 0 && pending.length > 0 && (isEnd || pending.length > MAX_RECORD_BYTES);
      if (cut > 0) {
        const block = readBlock(pending.subarray(0, cut), delimiter, line, cutLines);
        rows = rows.concat(block.rows);
        consume(block.bytes, block.lines);
        // What was found out about the bytes behind the block holds, unless something of the block is left.
        if (block.bytes === cut) scan = { at: at - cut, cut: 0, cutLines: 0, lines: lines - cutLines, isQuoted };
      } else if (isEndless) {
        // The record never ends: its first line is read alone, and the next record begins behind it.
        const end = lineEnd(pending, 0);
        rows = rows.concat(readSlowly(pending.subarray(0, end), delimiter, line).rows);
        consume(end, 1);
      } else return rows;
      scanOn(isEnd);
    }
  };
};

/** A cell as it is written into a table. Throws nothing. */
export const cellOf = (text: string): string =>
  /[",;|\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
