// Checks the file of a database before SQLite opens it. A user who can create links or files next to it controls what
// this process reads and writes with its own rights, so a folder that others can change is rejected unless the operator
// trusts it.

import { closeSync, constants, fchmodSync, lstatSync, openSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';

/** An unsafe location of a database. The message says what is wrong and what to do. */
export class UnsafeDatabase extends Error {
  override readonly name = 'UnsafeDatabase';
}

const OWNER_ONLY = 0o600;
/** Write permission of group and others. */
const WRITABLE = 0o022;
/** The sticky bit, as on /tmp: users may remove only their own files. */
const STICKY = 0o1000;
/** Files that SQLite keeps next to a database and would read. Source: SQLite, temporary files. */
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

/** Restricts an open file to its owner, who alone can do that. A file of another trusted owner stays as it is. */
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
 * Creates a missing file and restricts it to its owner before SQLite opens it, so that others can never read it.
 *
 * @param isTrusted the operator trusts links, writers of the folder, and the owner of the file
 * @throws UnsafeDatabase, and errors of the file system
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
