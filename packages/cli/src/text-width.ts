import { createRequire } from 'node:module';

/** Latin text and the marks that tables hold: each character fills one column. */
const ONE_COLUMN_EACH = /^[ -~\u00a1-\u00ac\u00ae-\u024f–—…]*$/;

/** Loaded at the first other text. Measured: 56 to 111 ms, more than most commands take to print. */
const loaded = (): typeof import('string-width') => createRequire(import.meta.url)('string-width');

/** Columns of a terminal that a clean text fills: 2 for an emoji or a Chinese character, 0 for a combining mark. */
export const textWidth = (text: string): number => (ONE_COLUMN_EACH.test(text) ? text.length : loaded().default(text));

/** A clean text in exactly `width` columns: filled up with spaces, or cut between characters and ended by an ellipsis. */
export const fitText = (text: string, width: number): string => {
  const missing = width - textWidth(text);
  if (missing >= 0) return `${text}${' '.repeat(missing)}`;
  let shown = '';
  let left = width - 1;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    const columns = textWidth(segment);
    if (columns > left) break;
    shown += segment;
    left -= columns;
  }
  return `${shown}…${' '.repeat(left)}`;
};
