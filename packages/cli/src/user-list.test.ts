import { describe, expect, it } from 'vitest';
import { cellOf, formatOf, usersIn } from './user-list.ts';

describe('users in a file', () => {
  it('stand one a line, in a column of a table, or in one JSON object a line', () => {
    const ids = (text: string) => usersIn(text).users.map(({ line, userId }) => `${line} ${userId}`);
    expect(ids('\ufeffann\r\n\nbob\n')).toEqual(['1 ann', '3 bob']);
    expect(ids('email,user_id\na@example.com,ann\nb@example.com,"b ""x"", y"')).toEqual(['2 ann', '3 b "x", y']);
    expect(ids('{"userId":"ann","joinedAt":"x"}\n{"userId":"b,c"}')).toEqual(['1 ann', '2 b,c']);
    expect(usersIn('"ann"\n{"userId":"bob"}', 'ndjson').users).toHaveLength(2);
  });

  it('are left out where a line names nobody, which is told by its number', () => {
    expect(usersIn('userId,plan\n,pro\nann,pro\n', 'csv')).toEqual({
      users: [{ line: 3, userId: 'ann' }],
      refused: [{ line: 2, message: 'names no user' }],
    });
    const wrong = usersIn('{"userId":1}\nnot json\n{"user":"ann"}\n{"userId":null}', 'ndjson').refused;
    expect(wrong).toEqual([1, 2, 3, 4].map((line) => ({ line, message: 'names no user' })));
    expect(usersIn(`${'x'.repeat(257)}\na\0b`).refused).toHaveLength(2);
  });

  it('are nobody where a quote is not closed, rather than somebody who was not meant', () => {
    expect(usersIn('userId,plan\n"ann,pro\n"b\nc","x"\n"d" e,free\nfay,"pro')).toEqual({
      users: [
        { line: 3, userId: 'b\nc' },
        { line: 6, userId: 'fay' },
      ],
      refused: [2, 5].map((line) => ({ line, message: 'has a quote that is not closed' })),
    });
  });

  it('come back from a table as they were written into it', () => {
    const ids = ['plain', 'a,b', 'a"b', ' padded ', 'a;b', 'a\nb', 'a\r\n"b"', '"', '\t'];
    const text = `userId\n${ids.map(cellOf).join('\n')}\n`;
    expect(formatOf(text)).toBe('csv');
    expect(usersIn(text).users.map(({ userId }) => userId)).toEqual(ids);
  });
});
