// The file format of a backup: a magic line, frames, and a digest of everything before it. The file is written under a
// temporary name and renamed once it is complete and on disk. A reader compares the digest before it uses any content.

import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import { BackupError } from './error.ts';

const MAGIC = Buffer.from('beckon backup 1\n');
const DIGEST_BYTES = 32;
/** Bytes before a frame: its kind and its length. */
const LEAD_BYTES = 5;
const OWNER_ONLY = 0o600;

const KINDS = { header: 1, part: 2, data: 3 } as const;
const compressed = promisify(gzip);
const expanded = promisify(gunzip);

const headerShape = z.object({
  program: z.string(),
  createdAt: z.string(),
  dialect: z.enum(['sqlite', 'postgres']),
  isCompressed: z.boolean(),
  withSecrets: z.boolean(),
  /** What the backup leaves out, in words, and the number of affected rows. */
  leftOut: z.array(z.object({ what: z.string(), rows: z.number() })),
  migrations: z.array(z.object({ name: z.string(), checksum: z.string() })),
});
const partShape = z.object({
  table: z.string(),
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
  /** Next value of each sequence, by column. */
  next: z.record(z.string(), z.string()),
});

/** Header of a backup. */
export type BackupHeader = z.infer<typeof headerShape>;
/** Table of the data frames that follow; a SQLite backup has no parts. */
export type BackupPart = z.infer<typeof partShape>;

/** Receives the content of a backup, in order. */
export type BackupWriter = {
  part(part: BackupPart): Promise<void>;
  data(bytes: Uint8Array): Promise<void>;
};

/**
 * Syncs the folder of a file, so that its name survives a loss of power. Throws nothing if folders cannot be synced.
 */
export const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(dirname(path), 'r').catch(() => null);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
};

/**
 * Writes a backup with the content of `fill`. If `fill` throws, no file is left.
 *
 * @returns its size in bytes
 * @throws BackupError `exists`, and errors of the file system
 */
export const writeBackup = async (
  path: string,
  header: BackupHeader,
  { isReplacing, fill }: { readonly isReplacing: boolean; readonly fill: (writer: BackupWriter) => Promise<void> },
): Promise<number> => {
  // A dangling link counts as an existing file.
  if (!isReplacing && (await lstat(path).catch(() => null)))
    throw new BackupError(
      'exists',
      'A file with this name exists. A backup does not replace files: choose another name.',
    );
  const draft = `${path}.${randomUUID()}.part`;
  const file = await open(draft, 'wx', OWNER_ONLY);
  const hash = createHash('sha256');
  let bytes = 0;
  const put = async (piece: Uint8Array): Promise<void> => {
    hash.update(piece);
    bytes += piece.length;
    await file.writeFile(piece);
  };
  const frame = async (kind: number, content: Uint8Array): Promise<void> => {
    const lead = Buffer.alloc(LEAD_BYTES);
    lead.writeUInt8(kind);
    lead.writeUInt32BE(content.length, 1);
    await put(lead);
    await put(content);
  };
  try {
    await put(MAGIC);
    await frame(KINDS.header, Buffer.from(JSON.stringify(header)));
    await fill({
      part: (part) => frame(KINDS.part, Buffer.from(JSON.stringify(part))),
      data: async (content) => frame(KINDS.data, header.isCompressed ? await compressed(content) : content),
    });
    await file.writeFile(hash.digest());
    await file.sync();
    await file.close();
    await rename(draft, path);
    await syncFolder(path);
    return bytes + DIGEST_BYTES;
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(draft, { force: true });
    throw error;
  }
};

/** One frame of a backup, in order. */
export type BackupFrame = { readonly part: BackupPart } | { readonly data: Uint8Array };

const damaged = (): BackupError =>
  new BackupError(
    'damaged',
    'The backup is damaged or incomplete: its content does not match its checksum. Use another backup.',
  );

const checkDigest = async (path: string, end: number, digest: Uint8Array): Promise<void> => {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path, { end: end - 1 })) hash.update(piece);
  if (!hash.digest().equals(digest)) throw damaged();
};

const piece = async (file: FileHandle, position: number, length: number): Promise<Buffer> => {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, position);
  if (bytesRead !== length) throw damaged();
  return bytes;
};

/** A backup whose digest was verified. */
export type BackupReader = {
  readonly header: BackupHeader;
  frames(): AsyncGenerator<BackupFrame>;
  close(): Promise<void>;
};

/**
 * Opens a backup after verifying all of it. Throws BackupError `damaged` or `foreign`, and errors of the file system.
 */
export const readBackup = async (path: string): Promise<BackupReader> => {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const start = size < MAGIC.length ? null : await piece(file, 0, MAGIC.length);
    if (!start?.equals(MAGIC)) throw new BackupError('foreign', 'The file is not a backup that this program can read.');
    const end = size - DIGEST_BYTES;
    if (end < MAGIC.length + LEAD_BYTES) throw damaged();
    await checkDigest(path, end, await piece(file, end, DIGEST_BYTES));
    let position = MAGIC.length;
    const next = async (): Promise<{ kind: number; content: Buffer }> => {
      const lead = await piece(file, position, LEAD_BYTES);
      const length = lead.readUInt32BE(1);
      const content = await piece(file, position + LEAD_BYTES, length);
      position += LEAD_BYTES + length;
      return { kind: lead.readUInt8(), content };
    };
    const header = headerShape.parse(JSON.parse((await next()).content.toString()));
    return {
      header,
      frames: async function* () {
        while (position < end) {
          const { kind, content } = await next();
          if (kind === KINDS.part) yield { part: partShape.parse(JSON.parse(content.toString())) };
          else yield { data: header.isCompressed ? await expanded(content) : content };
        }
      },
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
};
