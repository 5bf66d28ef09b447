// Parsing costs what the text holds, and of a large body nearly nothing is kept: 95,000 tiny traits take 45 ms in
// JSON.parse alone, of which 16 KB are stored. So large bodies of devices are looked through first, byte by byte, which
// costs a millisecond for a megabyte, and only what a route reads is parsed.

import { validationError } from './errors.ts';
import { MAX_PARTED_BYTES, type Parted, partObject, skipSpace, skipText, skipValue } from './skim-scan.ts';

/** What a route reads of its body. */
export type BodyShape = {
  /** The members that anything looks at, in plain letters; the others of a large body are dropped unread. */
  readonly names: readonly string[];
  /** Of them the free-form objects of which 16 KB at most are kept. */
  readonly cut: readonly string[];
};

/** Says for which project a call is, in any body; no engine's input. */
export const PROJECT_FIELD = 'projectId';

/** From here on a body is looked through. Source: interface, Request body caps: that of a batch, parsed whole. */
export const SKIM_FROM_BYTES = 65_536;
/** Bytes of a member that is not cut, as it is written; ours: several times the longest that is taken. */
const MAX_PLAIN_BYTES = 16_384;

const OPEN = 0x7b;
const CLOSE = 0x7d;
const COLON = 0x3a;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const SMALL_U = 0x75;
/** A backslash, a u and four digits. */
const ESCAPE_BYTES = 6;

const MARKED = Buffer.from('"_truncated":true}');

/** True where the text between two quotes is this name, however its letters are escaped. */
const isName = (bytes: Uint8Array, from: number, to: number, name: string): boolean => {
  const more = to - from - name.length;
  if (more % (ESCAPE_BYTES - 1) !== 0) return false;
  let at = from;
  for (let letter = 0; letter < name.length; letter += 1) {
    if (at >= to) return false;
    let code = bytes[at];
    if (code === BACKSLASH && bytes[at + 1] === SMALL_U) {
      code = Number.parseInt(Buffer.from(bytes.subarray(at + 2, at + ESCAPE_BYTES)).toString('latin1'), 16);
      at += ESCAPE_BYTES - 1;
    }
    if (code !== name.charCodeAt(letter)) return false;
    at += 1;
  }
  return at === to;
};

const nameAt = (bytes: Uint8Array, from: number, to: number, names: readonly string[]): string | undefined => {
  for (const name of names) if (isName(bytes, from, to, name)) return name;
  return undefined;
};

type Member = { readonly bytes: readonly Uint8Array[]; readonly isCut: boolean };

const memberOf = (bytes: Uint8Array, from: number, { end, keptEnd }: Parted): Member => {
  if (keptEnd === null) return { bytes: [bytes.subarray(from, end)], isCut: false };
  const isEmpty = keptEnd === from + 1;
  return { bytes: [bytes.subarray(from, keptEnd), Buffer.from(isEmpty ? '' : ','), MARKED], isCut: true };
};

/**
 * A large body with what the route reads, as JSON again, and the names of the objects that were cut: those carry a last
 * member `_truncated: true`. Of a member given twice the last one counts. What is dropped is not looked at beyond its
 * brackets and quotes.
 *
 * @returns null where the brackets and quotes are not those of one JSON object
 * @throws BeckonError VALIDATION_ERROR for a member that is far beyond any that is taken
 */
export const skim = (
  bytes: Uint8Array,
  { names, cut }: BodyShape,
): { readonly bytes: Uint8Array; readonly cut: readonly string[] } | null => {
  const kept = new Map<string, Member>();
  let at = skipSpace(bytes, 0);
  if (bytes[at] !== OPEN) return null;
  at = skipSpace(bytes, at + 1);
  while (bytes[at] !== CLOSE) {
    const key = at;
    const keyEnd = skipText(bytes, key);
    at = skipSpace(bytes, keyEnd);
    if (keyEnd === key || bytes[at] !== COLON) return null;
    const value = skipSpace(bytes, at + 1);
    const name = nameAt(bytes, key + 1, keyEnd - 1, names);
    const isParted = name !== undefined && cut.includes(name) && bytes[value] === OPEN;
    const parted = isParted
      ? partObject(bytes, value, MAX_PARTED_BYTES)
      : { end: skipValue(bytes, value), keptEnd: null };
    const { end } = parted;
    if (end === value) return null;
    if (name !== undefined) {
      if (!isParted && end - value > MAX_PLAIN_BYTES) throw validationError({ [name]: ['is too large'] });
      kept.set(name, memberOf(bytes, value, parted));
    }
    at = skipSpace(bytes, end);
    if (bytes[at] === CLOSE) break;
    if (bytes[at] !== COMMA) return null;
    at = skipSpace(bytes, at + 1);
    if (bytes[at] === CLOSE) return null;
  }
  if (skipSpace(bytes, at + 1) !== bytes.length) return null;
  const pieces = [...kept].flatMap(([name, member], index) => [
    Buffer.from(`${index === 0 ? '{' : ','}"${name}":`),
    ...member.bytes,
  ]);
  const whole = Buffer.concat([...(kept.size === 0 ? [Buffer.from('{')] : []), ...pieces, Buffer.from('}')]);
  return { bytes: whole, cut: [...kept].flatMap(([name, { isCut }]) => (isCut ? [name] : [])) };
};
