// Character encodings of list files. A byte order mark or the pattern of zero bytes distinguishes UTF-16 from UTF-8. Other
// encodings cannot be detected, so the user must name them.

import { isUtf8 } from 'node:buffer';
import { CliError, EXIT, usageError } from '../exit-codes.ts';
import type { OpenedFile } from '../files.ts';

/** Bytes inspected to detect UTF-16. Chosen: a few lines. */
const PATTERN_BYTES = 4_096;
/** Minimum share of zero bytes at one position of UTF-16 units. Chosen: text with at least a third of ASCII. */
const ZERO_SHARE = 0.3;
/** Maximum bytes of a line that is searched for the invalid byte. Chosen: as for a record. */
const MAX_LINE_BYTES = 1_048_576;

const LF = 10;
const CR = 13;
const FIRST_NON_ASCII = 0x80;

/** Signatures of files that are not text, and what to do. */
const BINARY: readonly (readonly [bytes: readonly number[], what: string])[] = [
  [
    [0x50, 0x4b, 0x03, 0x04],
    'is a ZIP archive or an Excel workbook. Save the sheet as "CSV UTF-8", or unpack it first',
  ],
  [[0xd0, 0xcf, 0x11, 0xe0], 'is an old Excel workbook. Save the sheet as "CSV UTF-8" first'],
  [[0x1f, 0x8b], 'is compressed with gzip. Unpack it first: gunzip -k FILE'],
  [[0x25, 0x50, 0x44, 0x46], 'is a PDF document, not a list'],
  [[0xff, 0xfe, 0x00, 0x00], 'is UTF-32. Convert it first: iconv -f UTF-32 -t UTF-8 FILE > utf8.csv'],
  [[0x00, 0x00, 0xfe, 0xff], 'is UTF-32. Convert it first: iconv -f UTF-32 -t UTF-8 FILE > utf8.csv'],
];

/** Characters of the bytes 0x80 to 0x9f, where Windows-1252 differs from Latin-1. Source: WHATWG Encoding, windows-1252. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';
const WINDOWS = 'windows-1252';

const startsWith = (head: Buffer, bytes: readonly number[]): boolean => bytes.every((byte, at) => head[at] === byte);

/**
 * Detects the encoding from the first bytes: `utf-8` without the mark or the pattern of UTF-16.
 *
 * @param shown the name of the file in messages
 * @throws CliError invalid for a workbook, an archive and UTF-32
 */
export const detectEncoding = (head: Buffer, shown: string): string => {
  for (const [bytes, what] of BINARY)
    if (startsWith(head, bytes)) throw new CliError(EXIT.invalid, `${shown} ${what}.`);
  if (startsWith(head, [0xff, 0xfe])) return 'utf-16le';
  if (startsWith(head, [0xfe, 0xff])) return 'utf-16be';
  const units = Math.floor(Math.min(head.length, PATTERN_BYTES) / 2);
  let [even, odd] = [0, 0];
  for (let at = 0; at < units; at += 1) {
    if (head[2 * at] === 0) even += 1;
    if (head[2 * at + 1] === 0) odd += 1;
  }
  if (odd > units * ZERO_SHARE && even === 0) return 'utf-16le';
  return even > units * ZERO_SHARE && odd === 0 ? 'utf-16be' : 'utf-8';
};

/** Parses `--encoding` to the name of the WHATWG; Latin-1 means Windows-1252. Throws CliError usage. */
export const encodingNamed = (label: string): string => {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    throw usageError(`Unknown encoding "${label}". Examples: utf-8, utf-16le, windows-1252, iso-8859-15, shift_jis.`);
  }
};

const decodeWindows = (bytes: Buffer): string =>
  bytes
    .toString('latin1')
    .replace(/[\u0080-\u009f]/g, (character) => WINDOWS_1252[character.charCodeAt(0) - FIRST_NON_ASCII] ?? character);

/** Converts bytes to UTF-8 without a byte order mark. Throws TypeError for invalid bytes. */
const decoderOf = (encoding: string): ((bytes: Buffer, isEnd: boolean) => Buffer) => {
  // Not TextDecoder: Node 23 and 24 decode 0x80 to 0x9f of windows-1252 as Latin-1.
  if (encoding === WINDOWS) return (bytes) => Buffer.from(decodeWindows(bytes));
  const decoder = new TextDecoder(encoding, { fatal: true });
  return (bytes, isEnd) => Buffer.from(decoder.decode(bytes, { stream: !isEnd }));
};

/** The bytes of a file as UTF-8 without a byte order mark. UTF-8 was validated before and passes unchanged. */
export const decoded = async function* (file: OpenedFile, encoding: string): AsyncGenerator<Buffer> {
  if (encoding === 'utf-8') {
    let isFirst = true;
    for await (const bytes of file.chunks()) {
      yield isFirst && startsWith(bytes, [0xef, 0xbb, 0xbf]) ? bytes.subarray(3) : bytes;
      isFirst = false;
    }
    return;
  }
  const decode = decoderOf(encoding);
  for await (const bytes of file.chunks()) yield decode(bytes, false);
  yield decode(Buffer.alloc(0), true);
};

/** The first line with invalid UTF-8, and its first byte beyond ASCII. */
const findInvalid = async (file: OpenedFile): Promise<{ readonly line: number; readonly byte: number }> => {
  let [line, pending, isAfterCr] = [1, Buffer.alloc(0), false];
  const beyondAscii = (bytes: Buffer): number => bytes.find((byte) => byte >= FIRST_NON_ASCII) ?? 0;
  for await (const bytes of file.chunks()) {
    const whole = Buffer.concat([pending, bytes]);
    let from = 0;
    for (let at = pending.length; at < whole.length; at += 1) {
      const byte = whole[at];
      if (byte !== LF && byte !== CR) {
        isAfterCr = false;
        continue;
      }
      const text = whole.subarray(from, at);
      if (!isUtf8(text)) return { line, byte: beyondAscii(text) };
      from = at + 1;
      if (!(byte === LF && isAfterCr)) line += 1;
      isAfterCr = byte === CR;
    }
    pending = Buffer.from(whole.subarray(from));
    if (pending.length > MAX_LINE_BYTES) break;
  }
  return { line, byte: beyondAscii(pending) };
};

const count = (bytes: Buffer, byte: number): number => {
  let found = 0;
  for (let at = bytes.indexOf(byte); at !== -1; at = bytes.indexOf(byte, at + 1)) found += 1;
  return found;
};

/**
 * Reads the whole file and rejects it if it has invalid bytes, so that nothing is imported from a damaged file.
 *
 * @returns the approximate number of lines
 * @throws CliError invalid
 */
export const checkEncoding = async (file: OpenedFile, encoding: string, shown: string): Promise<number> => {
  const decode = decoderOf(encoding);
  let [lines, returns] = [0, 0];
  const add = (text: Buffer): void => {
    lines += count(text, LF);
    returns += count(text, CR);
  };
  try {
    for await (const bytes of file.chunks()) add(decode(bytes, false));
    decode(Buffer.alloc(0), true);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw await refusalOf(file, encoding, shown, Math.max(lines, returns) + 1);
  }
  return Math.max(lines, returns) + 1;
};

const refusalOf = async (file: OpenedFile, encoding: string, shown: string, near: number): Promise<CliError> => {
  if (encoding !== 'utf-8')
    return new CliError(
      EXIT.invalid,
      `${shown} is not ${encoding}: it is truncated or has invalid bytes from line ${near} on.`,
    );
  const { line, byte } = await findInvalid(file);
  const hex = byte.toString(16).toUpperCase().padStart(2, '0');
  const character = decodeWindows(Buffer.from([byte]));
  return new CliError(
    EXIT.invalid,
    `${shown} is not UTF-8: line ${line} has the byte 0x${hex}, which is "${character}" in Windows-1252 and Latin-1. Nothing was imported.`,
    {
      hint: 'Read it with --encoding windows-1252 (or another), or convert it: iconv -f WINDOWS-1252 -t UTF-8 FILE > utf8.csv',
    },
  );
};
