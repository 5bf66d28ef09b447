// The file of a database before SQLite opens it. Who can put links or files beside it decides what this process reads and
// writes with its own rights, so a place that others may change is refused unless the operator answers for it.

import { closeSync, constants, fchmodSync, lstatSync, openSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';

/** A place that is not fit for a database. The message says what is wrong with it and what to do. */
export class UnsafeDatabase extends Error {
  override readonly name = 'UnsafeDatabase';
}

const OWNER_ONLY = 0o600;
/** Group and others may write. */
const WRITABLE = 0o022;
/** Of what lies there everybody may remove only what is his own, as in /tmp. */
const STICKY = 0o1000;
/** What SQLite keeps beside a file, and would read instead of it. Source: SQLite, temporary files. */
const BESIDE = ['', '-wal', '-shm', '-journal'];

const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;

const refuseUnsafe = (path: string): void => {
  const link = BESIDE.map((suffix) => `${path}${suffix}`).find(isLink);
  if (link !== undefined)
    throw new UnsafeDatabase(
      `${basename(link)} is a symbolic link: name the file that it leads to, or set trustPath if you trust the link.`,
    );
  const folder = dirname(path);
  const { mode } = statSync(folder);
  if (process.platform !== 'win32' && (mode & WRITABLE) !== 0 && (mode & STICKY) === 0)
    throw new UnsafeDatabase(
      `Others may write into the folder of ${basename(path)}: chmod go-w ${folder}, or set trustPath if you trust them.`,
    );
};

/** Closes an open file to everybody but its owner, who alone can; one whose owner is trusted stays as it is. */
const closeToOthers = (file: number, path: string, isTrusted: boolean): void => {
  try {
    fchmodSync(file, OWNER_ONLY);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) throw error;
    if (isTrusted) return;
    throw new UnsafeDatabase(
      `${basename(path)} belongs to another user, who decides who may read it: run this as that user, chown ${path}, or set trustPath if you trust them.`,
      { cause: error },
    );
  }
};

/**
 * Makes the file where it is missing and closes it to everybody but its owner, before SQLite would make it, so that it is
 * at no moment readable by others.
 *
 * @param isTrusted the operator answers for links, for who may write into the folder, and for who owns the file
 * @throws UnsafeDatabase, and what the file system throws
 */
export const prepareFile = (path: string, isTrusted: boolean): void => {
  if (!isTrusted) refuseUnsafe(path);
  const { O_RDWR, O_CREAT, O_NOFOLLOW = 0 } = constants;
  const file = openSync(path, O_RDWR | O_CREAT | (isTrusted ? 0 : O_NOFOLLOW), OWNER_ONLY);
  try {
    closeToOthers(file, path, isTrusted);
  } finally {
    closeSync(file);
  }
};
