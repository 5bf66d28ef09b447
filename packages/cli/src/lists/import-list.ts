import { resolve } from 'node:path';
import { EXIT, type ExitCode, usageError } from '../exit-codes.ts';
import { createNamedFile } from '../files.ts';
import type { Io } from '../io.ts';
import type { Output } from '../output.ts';
import { progressLines } from '../progress.ts';
import type { Entry, List } from './open-list.ts';
import { cellOf, type Row } from './table.ts';

/** Values of one call. Source: core, MAX_ADDRESSES and the members of an audience. */
const BATCH = 1_000;
/** Rejected rows that are printed. Chosen: part of a screen; `--errors` writes all. */
const MAX_PRINTED = 10;

/** Rows that were not imported. */
export type Rejected = {
  readonly refused: number;
  readonly refusedLines: readonly { readonly line: number; readonly message: string }[];
};

/** Stores values; returns the reasons for rejected values by index. */
export type Put = (values: readonly string[]) => Promise<ReadonlyMap<number, string>>;

/** Rejected rows with line and reason before their cells. The corrected file can be imported again. */
const errorsFile = (path: string, shown: string, { header, width, source, valueName }: List) => {
  const names =
    header ?? Array.from({ length: width }, (_, at) => (at + 1 === source.column ? valueName : `column_${at + 1}`));
  const file = createNamedFile(path, shown);
  let text = '';
  const flush = (): void => {
    file.write(text);
    text = '';
  };
  const line = (cells: readonly string[]): void => {
    text += `${cells.map(cellOf).join(',')}\n`;
    if (text.length > 65_536) flush();
  };
  line(['rejected_line', 'rejected_reason', ...names]);
  return {
    add: ({ line: number, cells }: Row, reason: string): void =>
      line([String(number), reason, ...cells.map((cell) => cell ?? '')]),
    finish: (): void => {
      flush();
      file.finish();
    },
    discard: file.discard,
  };
};

/**
 * Imports the values of a list in batches, and counts and writes rejected rows.
 *
 * @param errors the file of `--errors`
 * @param put stores one batch
 * @throws CliError usage if `errors` is the list file; the errors of `put`
 */
export const importList = async (
  io: Pick<Io, 'cwd' | 'now'>,
  output: Output,
  list: List,
  { what, errors }: { readonly what: string; readonly errors: string | undefined },
  put: Put,
): Promise<Rejected> => {
  const path = errors === undefined ? null : resolve(io.cwd, errors);
  if (path !== null && list.isAt(path)) throw usageError('--errors is the imported file itself. Pass another file.');
  output.note(list.description);
  const file = path === null ? null : errorsFile(path, errors ?? '', list);
  const progress = progressLines(what, io.now, output.note);
  const refusedLines: { line: number; message: string }[] = [];
  let [refused, done] = [0, 0];
  const reject = (row: Row, message: string): void => {
    refused += 1;
    if (refusedLines.length < MAX_PRINTED) refusedLines.push({ line: row.line, message });
    file?.add(row, message);
  };
  const send = async (batch: readonly Entry[]): Promise<void> => {
    const entries = batch.flatMap(({ row, value, problem }) => (value === null ? [] : [{ row, value, problem }]));
    const reasons = entries.length === 0 ? new Map<number, string>() : await put(entries.map(({ value }) => value));
    const byEntry = new Map([...reasons].map(([place, message]) => [entries[place]?.row, message]));
    for (const { row, problem } of batch) {
      const message = problem ?? byEntry.get(row);
      if (message !== undefined) reject(row, message);
      // A row with several values is rejected only once.
      byEntry.delete(row);
    }
    done += batch.length;
  };
  try {
    let waiting: Entry[] = [];
    for await (const entries of list.entries()) {
      waiting = waiting.concat(entries);
      let from = 0;
      for (; waiting.length - from >= BATCH; from += BATCH) {
        await send(waiting.slice(from, from + BATCH));
        progress({ done, of: Math.max(list.lines, done + 1) });
      }
      waiting = waiting.slice(from);
    }
    if (waiting.length > 0) await send(waiting);
  } catch (error) {
    file?.discard();
    throw error;
  }
  file?.finish();
  for (const { line, message } of refusedLines) output.note(`line ${line} ${message}`);
  if (refused > refusedLines.length) output.note(`... and ${refused - refusedLines.length} more.`);
  if (refused > 0 && errors === undefined) output.note('Pass --errors FILE to write all rejected rows.');
  return { refused, refusedLines };
};

/** Exit code of an import: 7 if rows were rejected. */
export const exitOf = ({ refused }: Rejected): ExitCode | undefined => (refused === 0 ? undefined : EXIT.partial);

/** A line about rejected rows, if there are any. */
export const rejectedLine = ({ refused }: Rejected, errors: string | undefined): string[] =>
  refused === 0
    ? []
    : [`${refused} ${refused === 1 ? 'row was' : 'rows were'} rejected${errors === undefined ? '' : `: ${errors}`}.`];
