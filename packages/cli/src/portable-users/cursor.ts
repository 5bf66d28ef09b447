// The cursor file of an import: how many records of which file were imported, so that `--resume` goes on after them.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { CliError, EXIT, usageError } from '../exit-codes.ts';
import { writeNamedFile } from '../files.ts';
import { isObject } from '../is-object.ts';
import type { Records } from './records.ts';

/** What an import has done so far. */
export type Counts = {
  readonly records: number;
  readonly imported: number;
  readonly updated: number;
  readonly skipped: number;
  readonly failed: number;
};
export const NOTHING: Counts = { records: 0, imported: 0, updated: 0, skipped: 0, failed: 0 };

export type Cursor = {
  /** What was done before; zeros for a new import. */
  readonly before: Counts;
  save(counts: Counts): void;
  /** The import is complete. */
  remove(): void;
};

/** Texts that must be equal to go on: another file would skip other users. */
const fingerprintOf = ({ head, count }: Pick<Records, 'head' | 'count'>, system: string): string =>
  createHash('sha256').update(`${system} ${count} `).update(head).digest('hex');

const countsIn = (text: string, shown: string): { readonly file: string; readonly counts: Counts } => {
  const damaged = new CliError(EXIT.invalid, `${shown} is not a cursor file of an import.`, {
    hint: 'Run the command without --resume: users that exist are skipped.',
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw damaged;
  }
  if (!isObject(value) || typeof value['file'] !== 'string') throw damaged;
  const { file } = value;
  const numbers = Object.keys(NOTHING).map((name) => {
    const count = value[name];
    if (!Number.isSafeInteger(count) || Number(count) < 0) throw damaged;
    return [name, Number(count)] as const;
  });
  return { file, counts: { ...NOTHING, ...Object.fromEntries(numbers) } };
};

/**
 * Opens the cursor file of an import.
 *
 * @param path null: none is written, because the records come from a pipe
 * @throws CliError usage or invalid if the import cannot be resumed
 */
export const openCursor = (
  path: string | null,
  records: Pick<Records, 'head' | 'count'>,
  { system, isResumed }: { readonly system: string; readonly isResumed: boolean },
): Cursor => {
  if (path === null) {
    if (isResumed) throw usageError('An import of stdin cannot be resumed. Pass a file.');
    return { before: NOTHING, save: () => undefined, remove: () => undefined };
  }
  const file = fingerprintOf(records, system);
  let before = NOTHING;
  if (isResumed) {
    if (!existsSync(path))
      throw usageError(
        `There is no cursor file ${path}.`,
        'Run the command without --resume: users that exist are skipped.',
      );
    const stored = countsIn(readFileSync(path, 'utf8'), path);
    if (stored.file !== file)
      throw new CliError(EXIT.invalid, `${path} belongs to another file or another --from.`, {
        hint: 'Run the command without --resume: users that exist are skipped.',
      });
    before = stored.counts;
  }
  return {
    before,
    save: (counts) => void writeNamedFile(path, path, `${JSON.stringify({ file, ...counts })}\n`),
    remove: () => rmSync(path, { force: true }),
  };
};
