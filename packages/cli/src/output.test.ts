import { describe, expect, it } from 'vitest';
import { fakeIo } from '../test/support/fake-io.ts';
import { type Column, createOutput, tableText } from './output.ts';

type Row = { id: string; name: string | null };
const COLUMNS: readonly Column<Row>[] = [
  ['ID', ({ id }) => id],
  ['NAME', ({ name }) => name],
];
const ROWS: readonly Row[] = [
  { id: '1', name: 'a rather long name that must not be cut' },
  { id: '22', name: null },
];

describe('tableText', () => {
  it('a table without a terminal is tab-separated and not truncated', () => {
    expect(tableText(ROWS, COLUMNS, false)).toBe('ID\tNAME\n1\ta rather long name that must not be cut\n22\t-\n');
  });

  it('a table on a terminal is aligned', () => {
    expect(
      tableText(
        [
          { id: '1', name: 'x' },
          { id: '333', name: 'y' },
        ],
        COLUMNS,
        true,
      ),
    ).toBe('ID   NAME\n1    x\n333  y\n');
  });

  it('a table on a terminal fits 80 columns by truncating the widest columns', () => {
    const long = 'x'.repeat(100);
    const [, line = ''] = tableText([{ id: 'kept', name: long }], COLUMNS, true).split('\n');
    expect([line.length, line.startsWith('kept  xxx'), line.endsWith('x…')]).toEqual([80, true, true]);
    const both = tableText([{ id: long, name: long }], COLUMNS, true).split('\n')[1] ?? '';
    expect(both).toHaveLength(80);
    expect(tableText([{ id: 'kept', name: long }], COLUMNS, false)).toContain(long);
  });

  it('columns are aligned below names in any script', () => {
    const rows = [
      { id: '茶壶', name: 'x' },
      { id: 'Ada', name: 'y' },
    ];
    expect(tableText(rows, COLUMNS, true)).toBe('ID    NAME\n茶壶  x\nAda   y\n');
  });

  it('cells of a table cannot break rows or control the terminal', () => {
    expect(tableText([{ id: '1', name: 'a\tb\n\u001b[31mc\u001b]0;x\u0007' }], COLUMNS, false)).toBe(
      'ID\tNAME\n1\ta b c\n',
    );
  });
});

describe('createOutput', () => {
  it('--json prints exactly one envelope', () => {
    const io = fakeIo();
    createOutput(io, { json: true }).rows(ROWS, COLUMNS);
    expect(JSON.parse(io.out())).toEqual({ success: true, data: ROWS });
    io.remove();
  });

  it('-o ndjson prints one object per line', () => {
    const io = fakeIo();
    createOutput(io, { output: 'ndjson' }).rows(ROWS, COLUMNS);
    expect(
      io
        .out()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(ROWS);
    io.remove();
  });

  it('control sequences are removed from text lines', () => {
    const io = fakeIo();
    createOutput(io, {}).answer({}, ['\u001b[2Jname']);
    expect(io.out()).toBe('name\n');
    io.remove();
  });

  it('notes go to stderr, and --quiet hides them', () => {
    const io = fakeIo();
    createOutput(io, {}).note('said');
    createOutput(io, { quiet: true }).note('unsaid');
    expect([io.out(), io.err()]).toEqual(['', 'said\n']);
    io.remove();
  });
});
