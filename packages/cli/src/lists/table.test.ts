import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inMemory, type OpenedFile } from '../files.ts';
import { decoded, detectEncoding } from './encoding.ts';
import { cellOf, type Row, tableReader } from './table.ts';

const readParts = (parts: readonly Buffer[], delimiter = ','): Row[] => {
  const read = tableReader(delimiter);
  return [...parts.flatMap((part) => read(part, false)), ...read(Buffer.alloc(0), true)];
};
const readText = (text: string, delimiter?: string): string[] =>
  readParts([Buffer.from(text)], delimiter).map(({ line, cells, problem }) =>
    problem === undefined ? `${line} ${cells.join(' / ')}` : `${line}: ${problem}`,
  );

describe('rows of a table', () => {
  it('an unclosed quote rejects only its own line', () => {
    expect(readText('userId,plan\n"ann,pro\n"b\nc","x"\n"d" e,free\nfay,"pro')).toEqual([
      '1 userId / plan',
      '2: has a quote that is not closed',
      '3 b\nc / x',
      '5 "d" e / free',
      '6: has a quote that is not closed',
    ]);
    expect(readText('5" pipe,a\n"6"" pipe",b\n7" pipe,c')).toEqual(['1 5" pipe / a', '2 6" pipe / b', '3 7" pipe / c']);
  });

  it('an unclosed quote in a large file rejects only its own line', () => {
    const many = Array.from({ length: 200_000 }, (_, at) => `user-${at},pro`);
    const lines = ['"stray,pro', ...many.slice(0, 150_000), '"stray again,pro', ...many.slice(150_000)];
    const bytes = Buffer.from(lines.join('\n'));
    const parts = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, at) =>
      bytes.subarray(at * 65_536, (at + 1) * 65_536),
    );
    const rows = readParts(parts);
    expect(rows).toHaveLength(200_002);
    expect(rows.filter(({ problem }) => problem !== undefined).map(({ line }) => line)).toEqual([1, 150_002]);
    expect(rows.at(-1)).toMatchObject({ line: 200_002, cells: ['user-199999', 'pro'] });
  });

  it('blank rows are skipped but counted as lines, with any line ending', () => {
    expect(readText('a\n\nb\r\n\r\nc\rd\r\r,\n" "\n')).toEqual(['1 a', '3 b', '5 c', '6 d', '9  ']);
    expect(readText('a\t\tb\t\n\t c\t" d "', '\t')).toEqual(['1 a /  / b / ', '2  / c /  d ']);
  });

  it('cells are written and read back unchanged', () => {
    const ids = ['plain', 'a,b', 'a"b', ' padded ', 'a;b', 'a|b', 'a\nb', 'a\r\n"b"', '"', '\t', '\u00a0x'];
    expect(readParts([Buffer.from(ids.map(cellOf).join('\n'))]).map(({ cells }) => cells[0])).toEqual(ids);
  });

  it('a block without quotes gives the same rows as the parser', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', ' ', ',', '\t', '\n', '\r', '\u00a0', '\ufeff', 'ü', '\u3000', '\v'),
      maxLength: 20,
    });
    fc.assert(
      fc.property(text, fc.constantFrom(',', '\t'), (content, delimiter) => {
        const parsed: string[][] = parse(content, {
          delimiter,
          trim: true,
          relax_column_count: true,
          record_delimiter: ['\r\n', '\n', '\r'],
        });
        const filled = parsed.filter((cells) => cells.some((one) => one !== ''));
        expect(readParts([Buffer.from(content)], delimiter).map(({ cells }) => cells)).toEqual(filled);
      }),
      { numRuns: 400 },
    );
  });

  it('tables in any dialect and encoding are read back for any split of their bytes', async () => {
    const cell = fc.oneof(
      fc.string({
        unit: fc.constantFrom('a', ' ', '"', ',', ';', '\t', '|', '\n', '\r', 'ü', '\u{1f600}', '{'),
        maxLength: 6,
      }),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
    );
    const dialect = fc.record({
      delimiter: fc.constantFrom(',', ';', '\t', '|'),
      newline: fc.constantFrom('\n', '\r\n', '\r'),
      isAllQuoted: fc.boolean(),
      isEnded: fc.boolean(),
      encoding: fc.constantFrom('utf8', 'utf8 with mark', 'utf-16le', 'utf-16be'),
      chunk: fc.integer({ min: 1, max: 40 }),
    });
    const table = fc
      .integer({ min: 1, max: 4 })
      .chain((width) =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 6 }),
      );
    await fc.assert(
      fc.asyncProperty(table, dialect, async (rows, { delimiter, newline, isAllQuoted, isEnded, encoding, chunk }) => {
        // RFC 4180, 2: cells with quotes, delimiters or breaks are quoted. White space of an unquoted cell is not kept.
        const isQuoted = (text: string) =>
          isAllQuoted || /["\r\n]|^\s|\s$|^\ufeff|\ufeff$/.test(text) || text.includes(delimiter);
        const write = (text: string) => (isQuoted(text) ? `"${text.split('"').join('""')}"` : text);
        const text = rows.map((cells) => cells.map(write).join(delimiter)).join(newline) + (isEnded ? newline : '');
        const bytes =
          encoding === 'utf8'
            ? Buffer.from(text)
            : encoding === 'utf8 with mark'
              ? Buffer.from(`\ufeff${text}`)
              : Buffer.from(`\ufeff${text}`, 'utf16le');
        if (encoding === 'utf-16be') bytes.swap16();
        const whole: OpenedFile = {
          chunks: async function* () {
            for await (const part of inMemory(bytes))
              for (let at = 0; at < part.length; at += chunk) yield part.subarray(at, at + chunk);
          },
          isAt: () => false,
          [Symbol.asyncDispose]: async () => undefined,
        };
        const found = encoding === 'utf8' ? 'utf-8' : detectEncoding(bytes, 'x');
        const parts: Buffer[] = [];
        for await (const part of decoded(whole, found)) parts.push(part);
        const filled = rows.map((cells) => cells.map((one) => one)).filter((cells) => cells.some((one) => one !== ''));
        expect(readParts(parts, delimiter).map(({ cells }) => cells)).toEqual(filled);
      }),
      { numRuns: 400 },
    );
  });
});
