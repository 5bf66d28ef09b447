import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { emptyCli } from '../test/support/empty.ts';
import { fakeIo } from '../test/support/fake-io.ts';
import { paintLines, paintOf, plain, toneOf } from './colour.ts';
import { createOutput, tableText } from './output.ts';

const isColoured = (isTTY: boolean, env: Record<string, string> = {}): boolean => {
  const io = fakeIo({ isTTY, env });
  io.remove();
  return paintOf(io, 'stdout') !== plain;
};

describe('colour', () => {
  it('colour is on for a terminal and off elsewhere', () => {
    expect([isColoured(true), isColoured(false)]).toEqual([true, false]);
  });

  it('NO_COLOR turns colour off, whatever else is set', () => {
    expect([isColoured(true, { NO_COLOR: '1' }), isColoured(true, { NO_COLOR: '' })]).toEqual([false, true]);
    expect(isColoured(true, { NO_COLOR: '1', FORCE_COLOR: '1' })).toBe(false);
  });

  it('colour is off on a dumb terminal', () => {
    expect([isColoured(true, { TERM: 'dumb' }), isColoured(true, { TERM: 'xterm-256color' })]).toEqual([false, true]);
  });

  it('FORCE_COLOR overrides the detected terminal', () => {
    expect([isColoured(false, { FORCE_COLOR: '1' }), isColoured(true, { FORCE_COLOR: '0' })]).toEqual([true, false]);
  });

  it('good and bad final statuses have colours, other statuses have none', () => {
    expect(['sent', 'failed', 'suppressed', 'queued'].map(toneOf)).toEqual(['good', 'bad', 'doubtful', null]);
  });

  it('colour does not change the width of table columns', () => {
    const paint = paintOf({ ...fakeIo({ isTTY: true }) }, 'stdout');
    const rows = ['sent', 'cancelled', 'queued'];
    const columns = [
      ['STATUS', (row: string) => row, toneOf],
      ['TITLE', (row: string) => `${row} `.repeat(30)],
    ] as const;
    const text = tableText(rows, columns, true, paint);
    expect(text).toContain('\u001b[32msent\u001b[39m       sent');
    expect(text).toContain('\nqueued     queued');
    expect(stripVTControlCharacters(text)).toBe(tableText(rows, columns, true));
  });

  it('warnings and status lines are coloured', () => {
    const paint = paintOf({ ...fakeIo({ isTTY: true }) }, 'stdout');
    expect(paintLines('id: 1\nstatus: failed\n! W: no such audience', paint)).toBe(
      'id: 1\nstatus: \u001b[31mfailed\u001b[39m\n\u001b[33m! W: no such audience\u001b[39m',
    );
  });

  it('colour sequences in stored text are removed', () => {
    const io = fakeIo({ isTTY: true });
    createOutput(io, {}).answer({}, ['\u001b[31mstatus: sent']);
    expect(io.out()).toBe('status: \u001b[32msent\u001b[39m\n');
    io.remove();
  });

  it('JSON and YAML output has no colour', () => {
    for (const output of ['json', 'ndjson', 'yaml'] as const) {
      const io = fakeIo({ isTTY: true });
      createOutput(io, { output }).rows([{ status: 'failed' }], [['STATUS', ({ status }) => status, toneOf]]);
      expect(io.out()).not.toContain('\u001b');
      io.remove();
    }
  });

  it('the first word of an error is coloured, unless --no-color is set anywhere on the command line', async () => {
    const stderrOf = async (...argv: string[]): Promise<string> => {
      const one = emptyCli({ isTTY: true });
      await one.run(...argv);
      one.io.remove();
      return one.io.err();
    };
    expect(await stderrOf('bundle', 'validate', 'nowhere.json')).toContain('\u001b[31mbeckon:\u001b[39m ');
    expect(await stderrOf('nonsense')).toContain('\u001b[31merror:\u001b[39m ');
    expect(await stderrOf('--no-color', 'bundle', 'validate', 'nowhere.json')).toMatch(/^beckon: /);
    expect(await stderrOf('bundle', 'validate', 'nowhere.json', '--no-color')).toMatch(/^beckon: /);
  });
});
