// Rows of JSON: the items of one array, or one value per line. Array items are split while the file is read, so a file of
// any size needs the memory of one item.

import { CliError, EXIT } from '../exit-codes.ts';
import { isObject } from '../is-object.ts';
import type { Row } from './table.ts';

export type JsonFormat = 'json' | 'ndjson';

/** One value and its first line, from 1; `value` is absent if the text is not JSON. */
export type JsonItem = { readonly line: number; readonly text: string; readonly value?: unknown };

/** Maximum bytes of an item. Chosen: as for a request. */
const MAX_ITEM_BYTES = 1_048_576;
const [LF, CR, QUOTE, BACKSLASH, COMMA] = [10, 13, 34, 92, 44];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];
const SPACES: ReadonlySet<number | undefined> = new Set([9, 10, 13, 32]);

const parsed = (line: number, text: string): JsonItem => {
  try {
    return { line, text, value: JSON.parse(text) };
  } catch {
    return { line, text };
  }
};

const wrong = (shown: string, line: number, what: string): CliError =>
  new CliError(EXIT.invalid, `${shown} is not a JSON array: ${what} in line ${line}. Nothing was imported.`);

/** Splits an array that arrives in parts into its items. */
const arrayReader = (shown: string, isMember: boolean) => {
  let pending: Buffer = Buffer.alloc(0);
  let [at, line, depth, begins, beginsLine] = [0, 1, 0, -1, 1];
  let [isText, isEscaped, isOver] = [false, false, false];
  return (bytes: Buffer, isEnd: boolean): JsonItem[] => {
    const items: JsonItem[] = [];
    const take = (end: number): void => {
      if (begins === -1) return;
      const item = parsed(beginsLine, pending.subarray(begins, end).toString('utf8').trim());
      if (!('value' in item)) throw wrong(shown, beginsLine, 'an item is not a JSON value');
      items.push(item);
      begins = -1;
    };
    pending = pending.length === 0 ? bytes : Buffer.concat([pending, bytes]);
    for (; at < pending.length; at += 1) {
      const byte = pending[at];
      if (byte === LF) line += 1;
      if (isText) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isText = false;
        continue;
      }
      if (SPACES.has(byte)) continue;
      if (isOver && isMember) continue;
      if (isOver) throw wrong(shown, line, 'there is text after the array');
      if (depth === 1 && (byte === COMMA || byte === CLOSE_LIST)) {
        if (begins === -1 && byte === COMMA) throw wrong(shown, line, 'a value is missing before a comma');
        take(at);
        isOver = byte === CLOSE_LIST;
        continue;
      }
      if (depth > 0 && begins === -1) [begins, beginsLine] = [at, line];
      if (byte === QUOTE) isText = true;
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth += 1;
      else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
    }
    if (isEnd && !isOver) throw wrong(shown, line, 'the file ends before the array does');
    const from = begins === -1 ? at : begins;
    if (at - from > MAX_ITEM_BYTES) throw wrong(shown, beginsLine, `an item has more than ${MAX_ITEM_BYTES} bytes`);
    pending = Buffer.from(pending.subarray(from));
    at -= from;
    if (begins !== -1) begins = 0;
    return items;
  };
};

/** Splits text that arrives in parts into lines. */
const lineReader = (shown: string) => {
  let pending: Buffer = Buffer.alloc(0);
  let [line, isAfterCr] = [1, false];
  return (bytes: Buffer, isEnd: boolean): JsonItem[] => {
    const items: JsonItem[] = [];
    const whole = pending.length === 0 ? bytes : Buffer.concat([pending, bytes]);
    let from = 0;
    const take = (end: number): void => {
      const text = whole.subarray(from, end).toString('utf8').trim();
      if (text !== '') items.push(parsed(line, text));
    };
    for (let at = pending.length; at < whole.length; at += 1) {
      const byte = whole[at];
      if (byte !== LF && byte !== CR) {
        isAfterCr = false;
        continue;
      }
      take(at);
      from = at + 1;
      if (!(byte === LF && isAfterCr)) line += 1;
      isAfterCr = byte === CR;
    }
    if (isEnd) take(whole.length);
    pending = Buffer.from(whole.subarray(isEnd ? whole.length : from));
    if (pending.length > MAX_ITEM_BYTES)
      throw new CliError(EXIT.invalid, `${shown}: line ${line} has more than ${MAX_ITEM_BYTES} bytes.`);
    return items;
  };
};

/**
 * Reads values from text that arrives in parts. The reader throws CliError invalid for text that is not such a list.
 *
 * @param isMember the text begins with an array within an object, whose other members are ignored
 */
export const jsonReader = (
  format: JsonFormat,
  shown: string,
  { isMember = false }: { readonly isMember?: boolean } = {},
): ((bytes: Buffer, isEnd: boolean) => readonly JsonItem[]) =>
  format === 'json' ? arrayReader(shown, isMember) : lineReader(shown);

/** The keys of all objects in order of first use; null without objects. */
export const keysOf = (items: readonly JsonItem[]): string[] | null => {
  const objects = items.flatMap(({ value }) => (isObject(value) ? [value] : []));
  return objects.length === 0 ? null : [...new Set(objects.flatMap((value) => Object.keys(value)))];
};

// Larger numbers lose digits.
const textOf = (value: unknown): string | null => {
  if (typeof value === 'string') return value;
  if (Number.isSafeInteger(value)) return String(value);
  return value === null || value === undefined ? '' : null;
};

/** A JSON value as a row: one cell per key, or a single cell for a string, which is the address or id. */
export const rowOf = (item: JsonItem, keys: readonly string[] | null): Row => {
  const { line, text, value } = item;
  if (!('value' in item)) return { line, cells: [text], problem: 'is not JSON' };
  if (keys === null) return { line, cells: [textOf(value)] };
  if (!isObject(value)) return { line, cells: keys.map(() => textOf(value)) };
  return { line, cells: keys.map((key) => (Object.hasOwn(value, key) ? textOf(value[key]) : '')) };
};
