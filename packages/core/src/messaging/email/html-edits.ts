import type { MarkedText, Span } from '../templates/render.ts';

/** A replacement for a part of a text; an empty part is an insertion. */
export type Edit = Span & { readonly text: string };

/**
 * The text after non-overlapping edits, with the new positions of its values. Text inserted inside a value becomes part
 * of it. Throws nothing.
 */
export const edited = ({ text, values }: MarkedText, edits: readonly Edit[]): MarkedText => {
  if (edits.length === 0) return { text, values };
  const sorted = edits.toSorted((a, b) => a.start - b.start);
  let made = '';
  let at = 0;
  for (const edit of sorted) {
    made += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  let next = 0;
  let shift = 0;
  /** New position of an old one; called in ascending order. */
  const moved = (position: number, isEnd: boolean): number => {
    for (let edit = sorted[next]; edit !== undefined; edit = sorted[next]) {
      const isBefore = edit.end <= position && !(isEnd && edit.start === position);
      if (!isBefore)
        return edit.start < position ? edit.start + shift + (isEnd ? edit.text.length : 0) : position + shift;
      shift += edit.text.length - (edit.end - edit.start);
      next++;
    }
    return position + shift;
  };
  return {
    text: made + text.slice(at),
    values: values.map(({ start, end }) => ({ start: moved(start, false), end: moved(end, end > start) })),
  };
};

/** The first span that touches the range from `start` to `end`; undefined: none. Spans are sorted. */
export const firstTouching = (spans: readonly Span[], start: number, end: number): Span | undefined => {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((spans[middle]?.end ?? 0) < start) low = middle + 1;
    else high = middle;
  }
  const found = spans[low];
  return found !== undefined && found.start <= end ? found : undefined;
};
