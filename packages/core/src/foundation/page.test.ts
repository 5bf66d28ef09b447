import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isBeckonError } from './errors.ts';
import {
  decodeCursor,
  encodeCursor,
  idOf,
  listPage,
  MAX_PAGE_BYTES,
  type PageStart,
  pageLimit,
  pageOf,
  timeRange,
} from './page.ts';

const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

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
  it('a cursor decodes to its position, whatever the text', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(text, text, (binding, position) => {
        expect(decodeCursor(binding, encodeCursor(binding, position))).toBe(position);
      }),
    );
  });

  it('a cursor has URL-safe characters only', () => {
    expect(encodeCursor('list', 'ä/+?=&')).toMatch(/^[\w-]+$/);
  });

  it('a list with another binding rejects a cursor', () => {
    const cursor = encodeCursor('runs|org-a', 'id-1');
    expect(fieldsOf(() => decodeCursor('runs|org-b', cursor))).toEqual(['cursor']);
  });

  it('a cursor keeps binding and position apart', () => {
    const cursor = encodeCursor('ab', 'c');
    expect(fieldsOf(() => decodeCursor('a', cursor))).toEqual(['cursor']);
    expect(fieldsOf(() => decodeCursor('a', encodeCursor('', 'ac')))).toEqual(['cursor']);
  });

  it('a cursor with any character changed is rejected', () => {
    const cursor = encodeCursor('list', 'a position');
    for (let at = 0; at < cursor.length; at++) {
      const changed = `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`;
      expect(fieldsOf(() => decodeCursor('list', changed))).toEqual(['cursor']);
    }
  });

  it.each(['', 'A', '%%%%', '....', 'AAAAAAAAAAA', 'x'.repeat(100_000)])(
    'decodeCursor rejects %#, which was never encoded',
    (text) => {
      expect(fieldsOf(() => decodeCursor('list', text))).toEqual(['cursor']);
    },
  );

  it('a cursor with text before or after it is rejected', () => {
    const cursor = encodeCursor('list', 'p');
    for (const text of [`${cursor}=`, ` ${cursor}`, `${cursor}A`, `${cursor}\n`])
      expect(fieldsOf(() => decodeCursor('list', text))).toEqual(['cursor']);
  });
});

describe('pageLimit', () => {
  it('pageLimit is 50 by default and accepts 1 to 200', () => {
    expect([undefined, 1, 200].map((limit) => pageLimit(limit))).toEqual([50, 1, 200]);
  });

  it.each([0, -1, 201, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'pageLimit rejects %s and names the field',
    (limit) => {
      expect(fieldsOf(() => pageLimit(limit))).toEqual(['limit']);
    },
  );
});

describe('timeRange', () => {
  it('timeRange has no bound at an absent end', () => {
    expect(timeRange({})).toEqual({ fromMs: null, toMs: null });
    expect(timeRange({ from: new Date(5), to: new Date(5) })).toEqual({ fromMs: 5, toMs: 5 });
  });

  it('timeRange rejects a time that a database cannot store, by its field', () => {
    for (const time of [new Date('no'), new Date('0999-12-31T23:59:59.999Z'), new Date('+010000-01-01T00:00:00Z')]) {
      expect(fieldsOf(() => timeRange({ from: time }))).toEqual(['from']);
      expect(fieldsOf(() => timeRange({ to: time }))).toEqual(['to']);
    }
  });

  it('timeRange rejects an end before its beginning', () => {
    const range = { from: new Date(6), to: new Date(5) };
    expect(() => timeRange(range)).toThrow(expect.objectContaining({ code: 'INVALID_RANGE' }));
  });
});

describe('pageOf', () => {
  const rows = ['a', 'b', 'c'].map((id) => ({ id }));
  const page = (limit: number) => pageOf(rows, limit, (row) => row.id, 'list');

  it('pageOf drops the extra row and continues after the last row shown', () => {
    const { data, pagination } = page(2);
    expect(data).toEqual([{ id: 'a' }, { id: 'b' }]);
    expect(pagination).toEqual({ limit: 2, hasMore: true, nextCursor: encodeCursor('list', 'b') });
  });

  it('pageOf returns at most 4 MB and continues after the last row that fits', () => {
    const large = times(8, (at) => ({ id: String(at), text: 'ä'.repeat(MAX_PAGE_BYTES / 8) }));
    const seen: string[] = [];
    for (let rest = large; rest.length > 0; rest = large.slice(seen.length)) {
      const { data, pagination } = pageOf(rest, 8, ({ id }) => id, 'list');
      expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThanOrEqual(MAX_PAGE_BYTES);
      seen.push(...data.map(({ id }) => id));
      const isLast = seen.length === large.length;
      expect(pagination.hasMore).toBe(!isLast);
      expect(pagination.nextCursor).toBe(isLast ? null : encodeCursor('list', data.at(-1)?.id ?? ''));
    }
    expect(seen).toEqual(large.map(({ id }) => id));
  });

  it('pageOf returns a row larger than a page on a page by itself', () => {
    const large = times(2, () => 'x'.repeat(MAX_PAGE_BYTES));
    expect(pageOf(large, 2, (row) => row.slice(0, 1), 'list')).toMatchObject({
      data: [large[0]],
      pagination: { hasMore: true },
    });
  });

  it('pageOf has a total only if it gets one', () => {
    expect(pageOf(rows, 2, ({ id }) => id, 'list', 7).pagination).toMatchObject({ total: 7 });
    expect(page(2).pagination).not.toHaveProperty('total');
  });

  it('pageOf has no cursor if nothing follows', () => {
    expect(page(3)).toEqual({ data: rows, pagination: { limit: 3, hasMore: false, nextCursor: null } });
    expect(pageOf([], 5, String, 'list').pagination).toEqual({ limit: 5, hasMore: false, nextCursor: null });
  });
});

describe('listPage', () => {
  const all = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id }));
  /** A list over all rows that records the positions it was read from. */
  const open = (binding = 'list') => {
    const starts: PageStart[] = [];
    let counts = 0;
    const read = async (start: PageStart) => {
      starts.push(start);
      return all.filter(({ id }) => start.after === null || id > start.after).slice(0, start.limit);
    };
    const count = async (): Promise<number> => {
      counts += 1;
      return all.length;
    };
    return { list: { binding, read, count, positionOf: idOf }, starts, counts: () => counts };
  };

  it('a list read page by page returns each row once', async () => {
    const { list, starts } = open();
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { data, pagination } = await listPage({ limit: 2, cursor }, list);
      seen.push(...data.map(idOf));
      cursor = pagination.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(starts).toEqual([null, 'b', 'd'].map((after) => ({ after, limit: 3 })));
  });

  it('listPage counts the list only if the query requests it', async () => {
    const { list, counts } = open();
    expect((await listPage({ limit: 2 }, list)).pagination).not.toHaveProperty('total');
    expect((await listPage({ limit: 2, count: false }, list)).pagination).not.toHaveProperty('total');
    expect(counts()).toBe(0);
    expect((await listPage({ limit: 2, count: true }, list)).pagination).toMatchObject({ total: 5 });
  });

  it('listPage has no total for a list without a count', async () => {
    const { count: _, ...list } = open().list;
    expect((await listPage({ count: true }, list)).pagination).not.toHaveProperty('total');
  });

  it('listPage rejects an invalid limit or cursor before it reads', async () => {
    const { list, starts } = open();
    const { pagination } = await listPage({ limit: 2 }, open('another list').list);
    await expect(listPage({ cursor: pagination.nextCursor ?? '' }, list)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    await expect(listPage({ limit: 201 }, list)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(starts).toEqual([]);
  });
});
