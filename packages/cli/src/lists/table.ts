// Rows of delimited text (RFC 4180). csv-parse reads blocks of whole records. A block that it rejects is read again record
// by record, so that a stray quote affects only its own line.

import { parse } from 'csv-parse/sync';

/** Maximum bytes of a record. Chosen: as for a request; a longer record means an unclosed quote. */
const MAX_RECORD_BYTES = 1_048_576;
const LF = 10;
const CR = 13;
const QUOTE = 34;

/** Delimiter of a list with one value per line: the record separator, which does not occur in text. */
export const NO_DELIMITER = '\u001e';

/** One row of a file and its first line, from 1. */
export type Row = {
  readonly line: number;
  /** Null: not a string, for example a JSON object. */
  readonly cells: readonly (string | null)[];
  /** Why the row cannot be read; its only cell is then the raw line. */
  readonly problem?: string;
  /** The row has stray quotes; quotes in its cells are literal. */
  readonly hasStrayQuotes?: true;
};

const BREAKS = /\r\n|\n|\r/g;
const UNCLOSED = 'has a quote that is not closed';

const OPTIONS = {
  max_record_size: 0,
  relax_column_count: true,
  // Trims white space around cells, not within quotes.
  trim: true,
};

// Text without quotes is split instead of parsed. Measured: a third of the time.
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

/** As `readRecords`; null for invalid quotes. */
const tryRecords = (bytes: Buffer, delimiter: string, isRelaxed: boolean): string[][] | null => {
  try {
    return readRecords(bytes, delimiter, isRelaxed);
  } catch (error) {
    if (error instanceof Error && 'code' in error && /QUOTE/.test(String(error.code))) return null;
    throw error;
  }
};

/** End of the line that starts at `from`, including its line break; without one, the end of the bytes. */
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

/** Rows of a block, and the bytes and lines that they cover. */
type Block = { readonly rows: Row[]; readonly bytes: number; readonly lines: number };

/**
 * Reads a block record by record. After a stray quote the block may end within a record, which is left for the next call.
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
  // Counts breaks within cells only if there are any, because counting is slow.
  const hasBreaks = records.length < lines;
  let line = firstLine;
  for (const cells of records) {
    if (!isBlank(cells)) rows.push({ line, cells });
    line += 1 + (hasBreaks ? breaksIn(cells) : 0);
  }
  return { rows, bytes: block.length, lines };
};

/** Reads text that arrives in parts; keeps the bytes of an incomplete record. */
export const tableReader = (delimiter: string) => {
  let pending: Buffer = Buffer.alloc(0);
  let line = 1;
  // For the bytes before `at`: end of the last complete record, lines up to there and in total, and open quotes.
  let scan = { at: 0, cut: 0, cutLines: 0, lines: 0, isQuoted: false };

  const scanOn = (isEnd: boolean): void => {
    let { at, cut, cutLines, lines, isQuoted } = scan;
    const length = pending.length;
    for (; at < length; at += 1) {
      const byte = pending[at];
      if (byte === QUOTE) isQuoted = !isQuoted;
      else if (byte === LF || byte === CR) {
        if (byte === CR) {
          // CR LF is one break, so the next byte is needed.
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
    // Copied, so that a short remainder does not keep the whole block in memory.
    pending = Buffer.from(pending.subarray(bytes));
    line += lines;
    scan = { at: 0, cut: 0, cutLines: 0, lines: 0, isQuoted: false };
  };

  /** The rows that are complete with these bytes; `isEnd`: all remaining rows. Throws nothing. */
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
        // The scan of the bytes after the block stays valid if the whole block was read.
        if (block.bytes === cut) scan = { at: at - cut, cut: 0, cutLines: 0, lines: lines - cutLines, isQuoted };
      } else if (isEndless) {
        // The record never ends: its first line is read alone, and the next record starts after it.
        const end = lineEnd(pending, 0);
        rows = rows.concat(readSlowly(pending.subarray(0, end), delimiter, line).rows);
        consume(end, 1);
      } else return rows;
      scanOn(isEnd);
    }
  };
};

/** A cell as CSV, quoted if needed. Throws nothing. */
export const cellOf = (text: string): string =>
  /[",;|\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
