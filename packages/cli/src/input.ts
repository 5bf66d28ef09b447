import { resolve } from 'node:path';
import { CliError, EXIT } from './exit-codes.ts';
import { inMemory, type OpenedFile, openNamedFile, readNamedFile } from './files.ts';
import type { Io } from './io.ts';

/** Bytes of a secret in a file, such as a private key or a service account. Ours: many times what any has. */
const MAX_SECRET_BYTES = 65_536;

/**
 * Everything that a file holds, or stdin for `-`.
 *
 * @param tooLarge what is thrown for more than `maxBytes`
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
 * A file that is read in parts, or stdin for `-`. A file may have any size; stdin, pipes and devices are kept in memory.
 *
 * @param tooLarge what is thrown for stdin, a pipe or a device with more than `maxBytes`
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

/** What a secret comes as: a file's bytes, at most 64 KB. Throws CliError as `readInput`, and invalid for more. */
export const readSecretBytes = (io: Pick<Io, 'stdin' | 'cwd'>, file: string): Promise<Uint8Array> =>
  readInput(
    io,
    file,
    MAX_SECRET_BYTES,
    () => new CliError(EXIT.invalid, `${file} is larger than ${MAX_SECRET_BYTES} bytes; it holds no such secret.`),
  );

/** A secret as text without the white space around it, such as the line feed that editors add. Throws as the bytes. */
export const readSecret = async (io: Pick<Io, 'stdin' | 'cwd'>, file: string): Promise<string> => {
  const text = Buffer.from(await readSecretBytes(io, file))
    .toString('utf8')
    .trim();
  if (text === '') throw new CliError(EXIT.invalid, `${file === '-' ? 'stdin' : file} is empty.`);
  return text;
};
