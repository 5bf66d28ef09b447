import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import type { UsersExport } from '@beckon/core/identity';
import { CliError, EXIT, usageError } from '../exit-codes.ts';
import type { Io } from '../io.ts';

/** Users per read. Chosen: a megabyte or two. */
const PART = 500;

/**
 * Writes all users to a new file, one JSON object per line, which only its owner can read. It appears when it is complete.
 *
 * @param read reads the users after an id
 * @returns how many users it has. Throws CliError, and errors of `read` and the file system
 */
export const exportFile = async (
  io: Pick<Io, 'cwd'>,
  shown: string,
  isReplacing: boolean,
  read: (query: { readonly after?: string; readonly limit: number }) => Promise<UsersExport>,
): Promise<number> => {
  if (shown === '-')
    throw usageError('The export contains secrets and is written to a file only.', 'Pass a file name.');
  const path = resolve(io.cwd, shown);
  const there = statSync(path, { throwIfNoEntry: false });
  if (there && !there.isFile()) throw new CliError(EXIT.invalid, `${shown} is not a regular file.`);
  if (there && !isReplacing)
    throw new CliError(EXIT.conflict, `${shown} exists.`, { hint: 'Pass another name, or --force to replace it.' });
  const draft = `${path}.${randomUUID()}.part`;
  const file = openSync(draft, 'wx', 0o600);
  let [count, isComplete] = [0, false];
  try {
    for (let after: string | null | undefined; after !== null; ) {
      const { users, next }: UsersExport = await read({ limit: PART, ...(after !== undefined && { after }) });
      writeSync(file, users.map((user) => `${JSON.stringify(user)}\n`).join(''));
      count += users.length;
      after = next;
    }
    fsyncSync(file);
    isComplete = true;
  } finally {
    closeSync(file);
    if (isComplete) renameSync(draft, path);
    else rmSync(draft, { force: true });
  }
  return count;
};
