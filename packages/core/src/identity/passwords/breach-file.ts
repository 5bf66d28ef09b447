// A list of breached passwords as a file of the operator: one line per password, its SHA-1 in hex and how often it was
// found, in the order of the hashes. This is how the public corpus of Have I Been Pwned is distributed (about 40 GB).
// A binary search reads a few blocks of it; nothing is asked over the network.

import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';

/** Bytes per read. Source: the page size of common file systems. */
const BLOCK_BYTES = 4_096;
/** Maximum bytes of a line. Chosen: 40 digits, a colon and a count need 51 at most, with the end of the line 53. */
const MAX_LINE_BYTES = 128;
/** Blocks overlap by a line, so that each line is read whole with the block in which it begins. */
const STRIDE = BLOCK_BYTES - MAX_LINE_BYTES;
/** Maximum reads of a search, enough for a file of 4 PB. The corpus of 40 GB takes 24. */
const MAX_READS = 40;
/** Blocks that are checked when the file is opened, spread evenly. Chosen: 64 reads take a few milliseconds. */
const CHECKED_BLOCKS = 64;

const LINE = /^([0-9A-Fa-f]{40}):\d{1,10}$/;

export type BreachFile = {
  /** True if the password is in the file. Throws Error for a line that is not of the format, or if the file is closed. */
  has(password: string): Promise<boolean>;
  close(): Promise<void>;
};

const invalid = (path: string, fault: string): TypeError =>
  new TypeError(
    `The breach file ${JSON.stringify(path)} ${fault}. It must be a text file with one line HASH:COUNT per password, where HASH is the SHA-1 in hex, sorted by HASH.`,
  );

/** Reads the hashes of the lines that begin in a block. */
const blockReader =
  (file: FileHandle, path: string) =>
  async (block: number): Promise<string[]> => {
    // From one byte earlier, which shows whether a line begins with the block.
    const from = Math.max(0, block * STRIDE - 1);
    const buffer = Buffer.allocUnsafe(BLOCK_BYTES);
    const { bytesRead } = await file.read(buffer, 0, BLOCK_BYTES, from);
    const text = buffer.toString('latin1', 0, bytesRead);
    let at = block === 0 ? 0 : text.indexOf('\n') + 1;
    // The last block may hold nothing but the rest of the last line.
    if (block > 0 && at === 0 && bytesRead < BLOCK_BYTES) return [];
    if (block > 0 && at === 0) throw invalid(path, `has a line of more than ${MAX_LINE_BYTES} bytes`);
    const hashes: string[] = [];
    // A line that begins in the next block belongs to that one.
    while (from + at < (block + 1) * STRIDE && at < text.length) {
      const end = text.indexOf('\n', at);
      const line = text.slice(at, end === -1 ? text.length : end).replace(/\r$/, '');
      const [, hash] = LINE.exec(line) ?? [];
      if (hash === undefined) throw invalid(path, 'has a line that is not HASH:COUNT');
      hashes.push(hash.toUpperCase());
      if (end === -1) break;
      at = end + 1;
    }
    return hashes;
  };

const isSorted = (hashes: readonly string[]): boolean =>
  hashes.every((hash, at) => at === 0 || (hashes[at - 1] ?? '') <= hash);

/**
 * Opens a file of breached passwords.
 *
 * @param path a text file of lines `HASH:COUNT`, ending in LF or CRLF, the last one with or without
 * @throws TypeError for a file that is missing, unreadable, empty, of another format, or not in order in one of 64
 * places: a search in an unsorted file would find nothing
 */
export const openBreachFile = async (path: string): Promise<BreachFile> => {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw invalid(path, `cannot be read (${error.code ?? 'unknown error'})`);
  });
  const read = blockReader(file, path);
  const prepare = async (): Promise<number> => {
    const stat = await file.stat();
    if (!stat.isFile()) throw invalid(path, 'is not a file');
    if (stat.size === 0) throw invalid(path, 'is empty');
    const lastBlock = Math.ceil(stat.size / STRIDE) - 1;
    const checked = Math.min(CHECKED_BLOCKS, lastBlock + 1);
    let before = '';
    for (let at = 0; at < checked; at += 1) {
      const hashes = await read(Math.floor((at * lastBlock) / Math.max(1, checked - 1)));
      if (!isSorted([before, ...hashes])) throw invalid(path, 'is not sorted');
      before = hashes.at(-1) ?? before;
    }
    return lastBlock;
  };
  let lastBlock: number;
  try {
    lastBlock = await prepare();
  } catch (error) {
    await file.close();
    throw error;
  }
  return {
    has: async (password) => {
      const digest = createHash('sha1').update(password).digest('hex').toUpperCase();
      let [low, high] = [0, lastBlock];
      for (let reads = 0; low <= high && reads < MAX_READS; reads += 1) {
        const middle = Math.floor((low + high) / 2);
        const hashes = await read(middle);
        const [first, last] = [hashes[0], hashes.at(-1)];
        // No line begins in a block only at the end of the file.
        if (first === undefined || digest < first) high = middle - 1;
        else if (last !== undefined && digest > last) low = middle + 1;
        else return hashes.includes(digest);
      }
      return false;
    },
    close: () => file.close(),
  };
};
