// Keys of one statement for many rows. Most batches have one scope, and often one channel. Keys that differ in one
// column only become a flat list, which SQLite reads without parsing a JSON text per value.

import { once } from '../drizzle.ts';
import { encodedBy, type HotColumn } from '../statements/codec.ts';

type Values = readonly unknown[];

type Column = Pick<HotColumn, 'isPlain' | 'encode'>;

/**
 * The index of the only column in which keys differ, the last one if all are equal; null: several differ. Throws
 * nothing.
 */
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

/** Parameters of a statement rendered for that column. Throws nothing. */
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

/**
 * Caches the texts of a statement by the column in which its keys differ, each rendered on first use; null: several
 * differ.
 */
export const keyForms = <Bulk extends object, Rendered>(render: (bulk: Bulk, varies: number | null) => Rendered) => {
  const forms = once((_bulk: Bulk) => new Map<number | null, Rendered>());
  return (bulk: Bulk, varies: number | null): Rendered => {
    const renderedForms = forms(bulk);
    const form = renderedForms.get(varies) ?? render(bulk, varies);
    renderedForms.set(varies, form);
    return form;
  };
};
