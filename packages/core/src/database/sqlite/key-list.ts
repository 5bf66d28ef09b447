// Keys of one statement for many rows. Most batches are of one scope, and often of one channel: keys that differ in one
// place only are a flat list, which SQLite walks without parsing a text for each value of each key.

import { once } from '../drizzle.ts';
import { encodedBy, type HotColumn } from '../statements/codec.ts';

type Values = readonly unknown[];

type Column = Pick<HotColumn, 'isPlain' | 'encode'>;

/** The only place in which keys differ, of equal ones the last; null: they differ in several. Throws nothing. */
export const variesAt = (keys: readonly Values[]): number | null => {
  const [first] = keys;
  if (!first) return null;
  let found: number | null = null;
  for (const key of keys)
    for (let at = 0; at < first.length; at += 1) {
      if (key[at] === first[at] || at === found) continue;
      if (found !== null) return null;
      found = at;
    }
  return found ?? first.length - 1;
};

/** The parameters of a statement that was rendered for that place. Throws nothing. */
export const keyParams = (columns: readonly Column[], keys: readonly Values[], varies: number | null): unknown[] => {
  const [first = []] = keys;
  const encoded = (value: unknown, at: number): unknown => {
    const column = columns[at];
    return column ? encodedBy(column, value) : null;
  };
  if (varies === null) {
    const isPlain = columns.every((column) => column.isPlain);
    return [JSON.stringify(isPlain ? keys : keys.map((key) => key.map(encoded)))];
  }
  const list = JSON.stringify(keys.map((key) => encoded(key[varies], varies)));
  return [list, ...first.map(encoded).filter((_, at) => at !== varies)];
};

/** Texts of a statement by the place in which its keys differ, each made when it is first asked for; null: in several. */
export const keyForms = <Bulk extends object, Rendered>(render: (bulk: Bulk, varies: number | null) => Rendered) => {
  const forms = once((_bulk: Bulk) => new Map<number | null, Rendered>());
  return (bulk: Bulk, varies: number | null): Rendered => {
    const known = forms(bulk);
    const form = known.get(varies) ?? render(bulk, varies);
    known.set(varies, form);
    return form;
  };
};
