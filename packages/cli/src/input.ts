import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { CliError, EXIT } from './exit-codes.ts';
import type { Io } from './io.ts';

/** Bytes of a secret in a file, such as a private key or a service account. Ours: many times what any has. */
const MAX_SECRET_BYTES = 65_536;

const unreadable = (file: string, cause: unknown): CliError => {
  const why = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
  return new CliError(EXIT.negative, `${file} cannot be read${why}.`, { cause });
};

const fileSize = (path: string, file: string): number => {
  try {
    return statSync(path).size;
  } catch (error) {
    throw unreadable(file, error);
  }
};

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
  const path = resolve(io.cwd, file);
  if (fileSize(path, file) > maxBytes) throw tooLarge();
  try {
    return readFileSync(path);
  } catch (error) {
    throw unreadable(file, error);
  }
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
