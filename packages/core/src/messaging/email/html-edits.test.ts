import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { edited, firstTouching } from './html-edits.ts';

const spans = (max: number) =>
  fc.array(fc.nat({ max }), { maxLength: 12 }).map((marks) => {
    const sorted = [...new Set(marks)].sort((a, b) => a - b);
    return sorted.flatMap((start, at) => (at % 2 === 0 ? [{ start, end: sorted[at + 1] ?? start }] : []));
  });

describe('edited', () => {
  it('every value that no edit touches is kept', () => {
    const text = 'abcdefghijklmnopqrstuvwxyz';
    const apart = fc.tuple(spans(12), spans(12)).map(([values, edits]) => ({
      // Values are in even parts of the text, edits in odd ones.
      values: values.map(({ start, end }) => ({ start: start * 2, end: Math.max(end * 2 - 1, start * 2 + 1) })),
      edits: edits.map(({ start }) => ({ start: start * 2 + 1, end: start * 2 + 2, text: '<new>' })),
    }));
    fc.assert(
      fc.property(apart, ({ values, edits }) => {
        const free = edits.filter((edit) => !values.some(({ start, end }) => start < edit.end && edit.start < end));
        const made = edited({ text, values }, free);
        expect(made.values.map(({ start, end }) => made.text.slice(start, end))).toEqual(
          values.map(({ start, end }) => text.slice(start, end)),
        );
      }),
    );
  });

  it('an edit can replace text, and insert before, after and inside a value', () => {
    const marked = { text: 'ab[v]cd', values: [{ start: 2, end: 5 }] };
    const insert = (at: number) => [{ start: at, end: at, text: '++' }];
    const read = (edits: Parameters<typeof edited>[1]): string => {
      const { text, values } = edited(marked, edits);
      return values.map(({ start, end }) => text.slice(start, end)).join('|');
    };
    expect(read(insert(2))).toBe('[v]');
    expect(read(insert(5))).toBe('[v]');
    expect(read(insert(3))).toBe('[++v]');
    expect(read([{ start: 1, end: 6, text: '""' }])).toBe('""');
    expect(edited(marked, [...insert(7), ...insert(0)]).text).toBe('++ab[v]cd++');
    expect(edited(marked, [])).toEqual(marked);
  });
});

describe('firstTouching', () => {
  it('firstTouching finds the same span as a linear search', () => {
    fc.assert(
      fc.property(spans(30), fc.nat({ max: 30 }), fc.nat({ max: 10 }), (list, start, length) => {
        const end = start + length;
        expect(firstTouching(list, start, end)).toEqual(list.find((one) => one.end >= start && one.start <= end));
      }),
    );
  });
});
