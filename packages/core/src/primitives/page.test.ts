import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isBeckonError } from '../errors.ts';
import { decodeCursor, encodeCursor, pageLimit, pageOf } from './page.ts';

const fieldsOf = (call: () => unknown): string[] => {
  try {
    call();
  } catch (error) {
    if (isBeckonError(error, 'VALIDATION_ERROR')) return Object.keys(error.details?.fieldErrors ?? {});
    throw error;
  }
  return [];
};

describe('cursor', () => {
  it('gives back the position it was made of, whatever the text', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(text, text, (binding, position) => {
        expect(decodeCursor(binding, encodeCursor(binding, position))).toBe(position);
      }),
    );
  });

  it('has only characters that a URL carries as they are', () => {
    expect(encodeCursor('list', 'ä/+?=&')).toMatch(/^[\w-]+$/);
  });

  it('is refused by a list with another binding', () => {
    const cursor = encodeCursor('runs|org-a', 'id-1');
    expect(fieldsOf(() => decodeCursor('runs|org-b', cursor))).toEqual(['cursor']);
  });

  it('does not let binding and position flow into each other', () => {
    const cursor = encodeCursor('ab', 'c');
    expect(fieldsOf(() => decodeCursor('a', cursor))).toEqual(['cursor']);
    expect(fieldsOf(() => decodeCursor('a', encodeCursor('', 'ac')))).toEqual(['cursor']);
  });

  it('is refused when any one character of it is another', () => {
    const cursor = encodeCursor('list', 'a position');
    for (let at = 0; at < cursor.length; at++) {
      const changed = `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`;
      expect(fieldsOf(() => decodeCursor('list', changed))).toEqual(['cursor']);
    }
  });

  it.each(['', 'A', '%%%%', '....', 'AAAAAAAAAAA', 'x'.repeat(100_000)])('refuses %#, which nobody encoded', (text) => {
    expect(fieldsOf(() => decodeCursor('list', text))).toEqual(['cursor']);
  });

  it('is refused with anything before or after it', () => {
    const cursor = encodeCursor('list', 'p');
    for (const text of [`${cursor}=`, ` ${cursor}`, `${cursor}A`, `${cursor}\n`])
      expect(fieldsOf(() => decodeCursor('list', text))).toEqual(['cursor']);
  });
});

describe('pageLimit', () => {
  it('is 50 when none is asked for and the asked number from 1 to 200', () => {
    expect([undefined, 1, 200].map((limit) => pageLimit(limit))).toEqual([50, 1, 200]);
  });

  it.each([0, -1, 201, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses %s and names the field', (limit) => {
    expect(fieldsOf(() => pageLimit(limit))).toEqual(['limit']);
  });
});

describe('pageOf', () => {
  const rows = ['a', 'b', 'c'].map((id) => ({ id }));
  const page = (limit: number) => pageOf(rows, limit, (row) => row.id, 'list');

  it('drops the row too many and goes on after the last one shown', () => {
    const { data, pagination } = page(2);
    expect(data).toEqual([{ id: 'a' }, { id: 'b' }]);
    expect(pagination).toEqual({ limit: 2, hasMore: true, nextCursor: encodeCursor('list', 'b') });
  });

  it('has no cursor when nothing follows', () => {
    expect(page(3)).toEqual({ data: rows, pagination: { limit: 3, hasMore: false, nextCursor: null } });
    expect(pageOf([], 5, String, 'list').pagination).toEqual({ limit: 5, hasMore: false, nextCursor: null });
  });
});
