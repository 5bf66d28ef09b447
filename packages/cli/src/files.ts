// Files that commands read and write. A file that the user names may be a link or a pipe. A file found in a folder must be
// a regular file of that folder, because the folder may come from another person (a clone, an archive).

import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  type Dirent,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { CliError, EXIT } from './exit-codes.ts';

/** Bytes of one read. */
const CHUNK_BYTES = 65_536;
/** Does not follow a link as the last part, and does not wait for the writer of a pipe. Windows has neither flag. */
const UNFOLLOWED = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
/** Permissions of a new file before the umask. */
const DEFAULT_MODE = 0o666;
const PERMISSIONS = 0o777;

const reasonOf = (cause: unknown): string =>
  cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';

const refused = (path: string, why: string): CliError => new CliError(EXIT.invalid, `${path} ${why}.`);

const statOf = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false });

/**
 * The bytes of a file that the user named: a regular file, a link to one, or a pipe such as `/dev/stdin`. The limit counts the
 * bytes that are read, since the size of a device or of a file of /proc is 0.
 *
 * @returns null for more than `maxBytes`
 * @throws CliError negative for a file that cannot be read
 */
export const readNamedFile = async (path: string, shown: string, maxBytes: number): Promise<Uint8Array | null> => {
  try {
    await using file = await open(path, 'r');
    return await readToEnd(file, maxBytes);
  } catch (cause) {
    throw unreadable(shown, cause);
  }
};

const unreadable = (shown: string, cause: unknown): CliError =>
  new CliError(EXIT.negative, `${shown} cannot be read${reasonOf(cause)}.`, { cause });

/** All bytes from the current position; null for more than `maxBytes`. */
const readToEnd = async (file: FileHandle, maxBytes: number): Promise<Uint8Array | null> => {
  const chunks: Buffer[] = [];
  for (let size = 0; size <= maxBytes; ) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, null);
    if (bytesRead === 0) return Buffer.concat(chunks);
    chunks.push(buffer.subarray(0, bytesRead));
    size += bytesRead;
  }
  return null;
};

/** A file that is read in parts, possibly several times. */
export type OpenedFile = AsyncDisposable & {
  /** All bytes from the start; for a regular file, up to its size at opening. */
  chunks(): AsyncIterable<Buffer>;
  /** True if the path is this file, also through a link. */
  isAt(path: string): boolean;
};

/**
 * Opens a file that the user named for reading in parts: a regular file of any size, or a link to one. A pipe or a device
 * can be read only once, so its bytes stay in memory.
 *
 * @returns null for a pipe or a device with more than `maxBytes`
 * @throws CliError negative for a file that cannot be read
 */
export const openNamedFile = async (path: string, shown: string, maxBytes: number): Promise<OpenedFile | null> => {
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'r');
    const opened = await file.stat();
    const isAt = (other: string): boolean => {
      const there = statSync(other, { throwIfNoEntry: false });
      return there !== undefined && there.dev === opened.dev && there.ino === opened.ino;
    };
    if (opened.isFile() && opened.size > 0) return storedFile(file, opened.size, shown, isAt);
    const bytes = await readToEnd(file, maxBytes);
    await file.close();
    return bytes && { chunks: () => inMemory(bytes), isAt, [Symbol.asyncDispose]: async () => undefined };
  } catch (cause) {
    await file?.close();
    throw unreadable(shown, cause);
  }
};

const storedFile = (file: FileHandle, size: number, shown: string, isAt: (path: string) => boolean): OpenedFile => ({
  chunks: async function* () {
    for (let at = 0; at < size; ) {
      const length = Math.min(CHUNK_BYTES, size - at);
      const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, at).catch((cause: unknown) => {
        throw unreadable(shown, cause);
      });
      if (bytesRead === 0) return;
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  },
  isAt,
  [Symbol.asyncDispose]: () => file.close(),
});

/** Bytes in memory as parts of a file. */
export const inMemory = async function* (bytes: Uint8Array): AsyncGenerator<Buffer> {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < whole.length; at += CHUNK_BYTES) yield whole.subarray(at, at + CHUNK_BYTES);
};

/** Throws CliError invalid if a path part from `root` down to `folder` is not a folder, for example a link. */
const assertFolders = (root: string, folder: string): void => {
  const parts = relative(root, folder).split(/[\\/]/).filter(Boolean);
  let at = root;
  for (const part of parts) {
    at = join(at, part);
    if (statOf(at)?.isDirectory() !== true) throw refused(at, 'is not a folder; symbolic links are not followed');
  }
};

/**
 * The bytes of a regular file within a folder; no link below `root` is followed.
 *
 * @param root the folder that the user named; it may itself be a link
 * @throws CliError invalid for a link, a pipe, a device, or more than `maxBytes`; negative where it cannot be read
 */
export const readFileWithin = (root: string, path: string, maxBytes: number): Buffer => {
  let file: number;
  try {
    file = openSync(path, UNFOLLOWED);
  } catch (cause) {
    if (statOf(path)?.isSymbolicLink()) throw refused(path, 'is a symbolic link, which is not followed');
    throw new CliError(EXIT.negative, `${path} cannot be read${reasonOf(cause)}.`, { cause });
  }
  try {
    const opened = fstatSync(file);
    if (!opened.isFile()) throw refused(path, 'is not a regular file');
    // Checked after opening, to detect a folder that was replaced by a link in between.
    assertFolders(root, dirname(path));
    const there = statOf(path);
    if (there?.ino !== opened.ino || there.dev !== opened.dev) throw refused(path, 'changed while it was read');
    const buffer = Buffer.alloc(maxBytes + 1);
    let size = 0;
    for (let read = -1; read !== 0 && size <= maxBytes; size += read)
      read = readSync(file, buffer, size, buffer.length - size, null);
    if (size > maxBytes) throw refused(path, `is larger than ${maxBytes} bytes`);
    return buffer.subarray(0, size);
  } finally {
    closeSync(file);
  }
};

/** The entries of a folder within `root`; empty if it does not exist. Throws CliError invalid for a link in the path. */
export const entriesWithin = (root: string, folder: string): Dirent[] => {
  if (statOf(folder) === undefined) return [];
  assertFolders(root, folder);
  return readdirSync(folder, { withFileTypes: true });
};

/** Writes a file beside `path` and renames it, so readers see either the old or the new content. */
const replaceFile = (path: string, text: string, mode: number | undefined): void => {
  const draft = `${path}.${randomUUID()}.part`;
  const file = openSync(draft, 'wx', mode ?? DEFAULT_MODE);
  try {
    writeFileSync(file, text);
    // Keeps the permissions of the replaced file, whatever the umask is.
    if (mode !== undefined) fchmodSync(file, mode);
    fsyncSync(file);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
};

/**
 * Writes a text into a folder and creates parent folders; no link below `root` is followed.
 *
 * @returns false if the file already has this text
 * @throws CliError invalid if the path is not a regular file, for example a link or a folder
 */
export const writeFileWithin = (root: string, path: string, text: string): boolean => {
  const folder = dirname(path);
  mkdirSync(root, { recursive: true });
  let at = root;
  for (const part of relative(root, folder).split(/[\\/]/).filter(Boolean)) {
    at = join(at, part);
    if (statOf(at) === undefined) mkdirSync(at);
  }
  assertFolders(root, folder);
  const there = statOf(path);
  if (there && !there.isFile()) throw refused(path, 'is not a regular file and was left unchanged');
  if (there && readFileWithin(root, path, Math.max(there.size, 1)).toString('utf8') === text) return false;
  replaceFile(path, text, there && there.mode & PERMISSIONS);
  return true;
};

/**
 * Writes a file that the user named. Pipes and devices, such as `/dev/stdout`, are accepted. A link to a file is rejected:
 * in a folder that others can write to, it may point to any file of the user.
 *
 * @returns false if the file already has this text
 * @throws CliError invalid for a link to a file and for a folder; errors of the file system
 */
export const writeNamedFile = (path: string, shown: string, text: string): boolean => {
  const there = statOf(path);
  if (there === undefined || there.isFile()) return writeFileWithin(dirname(path), path, text);
  if (there.isDirectory()) throw refused(shown, 'is a folder');
  const target = there.isSymbolicLink() ? statOf(realpathOr(path)) : there;
  if (target === undefined || target.isFile())
    throw refused(shown, 'is a symbolic link; name the file that it points to, or - for stdout');
  writeFileSync(path, text);
  return true;
};

/** A file that is written in parts. It appears at its path with `finish`. */
export type NewFile = {
  write(text: string): void;
  finish(): void;
  /** Keeps the previous file. */
  discard(): void;
};

/**
 * Creates a file that the user named. As in `writeNamedFile`, pipes and devices are written directly and a link to a file
 * is rejected. `finish` replaces an existing file as a whole.
 *
 * @throws CliError invalid for a link to a file and for a folder; errors of the file system
 */
export const createNamedFile = (path: string, shown: string): NewFile => {
  const there = statOf(path);
  if (there?.isDirectory()) throw refused(shown, 'is a folder');
  if (there?.isSymbolicLink() && (statOf(realpathOr(path))?.isFile() ?? true))
    throw refused(shown, 'is a symbolic link; name the file that it points to');
  const isReplaced = there === undefined || there.isFile();
  const draft = isReplaced ? `${path}.${randomUUID()}.part` : path;
  const file = openSync(draft, isReplaced ? 'wx' : 'w', DEFAULT_MODE);
  return {
    write: (text) => void writeFileSync(file, text),
    finish: () => {
      if (isReplaced && there) fchmodSync(file, there.mode & PERMISSIONS);
      if (isReplaced) fsyncSync(file);
      closeSync(file);
      if (isReplaced) renameSync(draft, path);
    },
    discard: () => {
      closeSync(file);
      if (isReplaced) rmSync(draft, { force: true });
    },
  };
};

const realpathOr = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    return '';
  }
};
