import { resolve } from 'node:path';
import { CliError, EXIT } from './exit-codes.ts';
import { inMemory, type OpenedFile, openNamedFile, readNamedFile } from './files.ts';
import type { Io } from './io.ts';

/** Maximum bytes of a secret, such as a private key or a service account. Chosen: many times the usual size. */
const MAX_SECRET_BYTES = 65_536;

/**
 * The content of a file, or of stdin for `-`.
 *
 * @param tooLarge creates the error for more than `maxBytes`
 * @throws CliError negative for a file that cannot be read
 */
export const readInput = async (
  io: Pick<Io, 'stdin' | 'cwd'>,
  file: string,
  maxBytes: number,
  tooLarge: () => CliError,
): Promise<Uint8Array> => {
  if (file === '-') {
    try {
      return await io.stdin.read(maxBytes);
    } catch (error) {
      throw error instanceof RangeError ? tooLarge() : error;
    }
  }
  const bytes = await readNamedFile(resolve(io.cwd, file), file, maxBytes);
  if (bytes === null) throw tooLarge();
  return bytes;
};

/**
 * Opens a file, or stdin for `-`, for reading in parts. A file may have any size; stdin, pipes and devices stay in memory.
 *
 * @param tooLarge creates the error for stdin, a pipe or a device with more than `maxBytes`
 * @throws CliError negative for a file that cannot be read
 */
export const openInput = async (
  io: Pick<Io, 'stdin' | 'cwd'>,
  file: string,
  maxBytes: number,
  tooLarge: () => CliError,
): Promise<OpenedFile> => {
  if (file === '-') {
    const bytes = await readInput(io, file, maxBytes, tooLarge);
    return { chunks: () => inMemory(bytes), isAt: () => false, [Symbol.asyncDispose]: async () => undefined };
  }
  const opened = await openNamedFile(resolve(io.cwd, file), file, maxBytes);
  if (opened === null) throw tooLarge();
  return opened;
};

/** The bytes of a secret file, at most 64 KB. Throws CliError as `readInput`, and invalid for more. */
export const readSecretBytes = (io: Pick<Io, 'stdin' | 'cwd'>, file: string): Promise<Uint8Array> =>
  readInput(
    io,
    file,
    MAX_SECRET_BYTES,
    () => new CliError(EXIT.invalid, `${file} exceeds ${MAX_SECRET_BYTES} bytes, the maximum for a secret.`),
  );

/** A secret as text, trimmed, because editors append a line feed. Throws as `readSecretBytes`. */
export const readSecret = async (io: Pick<Io, 'stdin' | 'cwd'>, file: string): Promise<string> => {
  const text = Buffer.from(await readSecretBytes(io, file))
    .toString('utf8')
    .trim();
  if (text === '') throw new CliError(EXIT.invalid, `${file === '-' ? 'stdin' : file} is empty.`);
  return text;
};
