// Imports the users of a file in calls of up to 1,000, with a report of rejected records and a cursor to go on.

import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Answer, Body } from '../api.ts';
import { EXIT, type ExitCode, usageError } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { cellOf } from '../lists/table.ts';
import type { Output } from '../output.ts';
import { progressLines } from '../progress.ts';
import type { Counts, Cursor } from './cursor.ts';
import type { FileRecord, Records } from './records.ts';

type Operation = 'POST /auth-service/users/bulk-import';
export type ImportAnswer = Answer<Operation>;
export type ImportRequest = NonNullable<Body<Operation>>;

/** Users and bytes of one call. Source: the limits of the route, 1,000 users and 1 MB. */
const MAX_USERS = 1_000;
const MAX_BYTES = 1_000_000;
const NONE = { imported: 0, updated: 0, skipped: 0, failed: 0, results: [] };
/** Rejected records that are printed. Chosen: part of a screen; `--errors` writes all. */
const MAX_PRINTED = 10;

/** A record that was not imported. */
export type RejectedRecord = { readonly line: number; readonly reason: string; readonly message: string };

/** Writes the lines of rejected records. It goes on where an import that is resumed has stopped. */
const reportFile = (path: string, isResumed: boolean) => {
  const { O_WRONLY, O_CREAT, O_APPEND, O_TRUNC, O_NOFOLLOW = 0 } = constants;
  const file = openSync(path, O_WRONLY | O_CREAT | O_NOFOLLOW | (isResumed ? O_APPEND : O_TRUNC), 0o600);
  const write = (cells: readonly string[]): void => void writeSync(file, `${cells.map(cellOf).join(',')}\n`);
  if (!isResumed) write(['line', 'reason', 'message']);
  return {
    add: ({ line, reason, message }: RejectedRecord): void => write([String(line), reason, message]),
    close: (): void => closeSync(file),
  };
};

export type ImportedFile = Counts & { readonly rejected: readonly RejectedRecord[] };

/**
 * Imports the records of a file. Throws errors of `send`; the cursor then tells how far it came.
 *
 * @param send imports one call
 * @param errors the file of `--errors`
 */
export const importFile = async (
  io: Pick<Io, 'cwd' | 'now'>,
  output: Output,
  records: Records,
  {
    errors,
    cursor,
    isResumed,
  }: { readonly errors: string | undefined; readonly cursor: Cursor; readonly isResumed: boolean },
  send: (users: ImportRequest['users']) => Promise<ImportAnswer>,
): Promise<ImportedFile> => {
  const path = errors === undefined ? null : resolve(io.cwd, errors);
  if (path !== null && records.isAt(path)) throw usageError('--errors is the imported file itself. Pass another file.');
  output.note(records.description);
  const { before } = cursor;
  if (before.records > 0) output.note(`Resuming after ${before.records} records.`);
  const report = path === null ? null : reportFile(path, isResumed);
  const progress = progressLines('users', io.now, output.note);
  const rejected: RejectedRecord[] = [];
  let counts: Counts = before;
  let waiting: FileRecord[] = [];
  let [bytes, ignored] = [0, before.records];

  const reject = (record: RejectedRecord): void => {
    if (rejected.length < MAX_PRINTED) rejected.push(record);
    report?.add(record);
  };
  const flush = async (): Promise<void> => {
    const batch = waiting;
    const valid = batch.flatMap((record) => ('row' in record ? [record] : []));
    // Safe: the server checks each row and refuses it alone.
    const users = valid.map(({ row }) => row) as ImportRequest['users'];
    const answer = users.length === 0 ? NONE : await send(users);
    const errorOf = new Map(answer.results.map(({ index, error }) => [valid[index], error]));
    for (const record of batch) {
      const { line } = record;
      const error = 'row' in record ? errorOf.get(record) : { reason: 'unreadable', message: record.problem };
      if (error) reject({ line, ...error });
    }
    counts = {
      records: counts.records + batch.length,
      imported: counts.imported + answer.imported,
      updated: counts.updated + answer.updated,
      skipped: counts.skipped + answer.skipped,
      failed: counts.failed + answer.failed + batch.length - valid.length,
    };
    [waiting, bytes] = [[], 0];
    cursor.save(counts);
    progress({ done: counts.records, of: Math.max(records.count, counts.records + 1) });
  };
  const take = async (record: FileRecord): Promise<void> => {
    if (ignored > 0) {
      ignored -= 1;
      return;
    }
    const size = 'row' in record ? Buffer.byteLength(JSON.stringify(record.row)) + 1 : 0;
    if (waiting.length === MAX_USERS || (bytes + size > MAX_BYTES && waiting.length > 0)) await flush();
    waiting.push(record);
    bytes += size;
  };
  try {
    for await (const part of records.parts()) for (const record of part) await take(record);
    if (waiting.length > 0) await flush();
    cursor.remove();
  } finally {
    report?.close();
  }
  for (const { line, message } of rejected) output.note(`line ${line}: ${message}`);
  if (counts.failed > before.failed + rejected.length)
    output.note(`... and ${counts.failed - before.failed - rejected.length} more.`);
  if (counts.failed > 0 && errors === undefined) output.note('Pass --errors FILE to write all rejected records.');
  return { ...counts, rejected };
};

/** Exit code of an import: 7 if records were rejected. */
export const exitOf = ({ failed }: Counts): ExitCode | undefined => (failed === 0 ? undefined : EXIT.partial);
