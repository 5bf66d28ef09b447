import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { cli } from '../test/support/cli.ts';
import { fakeIo } from '../test/support/fake-io.ts';
import { paintLines, paintOf, plain, toneOf } from './colour.ts';
import { createOutput, tableText } from './output.ts';

const isColoured = (isTTY: boolean, env: Record<string, string> = {}): boolean => {
  const io = fakeIo({ isTTY, env });
  io.remove();
  return paintOf(io, 'stdout') !== plain;
};

describe('colour', () => {
  it('is there on a terminal and nowhere else', () => {
    expect([isColoured(true), isColoured(false)]).toEqual([true, false]);
  });

  it('is not there where NO_COLOR is set, whatever else is', () => {
    expect([isColoured(true, { NO_COLOR: '1' }), isColoured(true, { NO_COLOR: '' })]).toEqual([false, true]);
    expect(isColoured(true, { NO_COLOR: '1', FORCE_COLOR: '1' })).toBe(false);
  });

  it('is not there on a dumb terminal', () => {
    expect([isColoured(true, { TERM: 'dumb' }), isColoured(true, { TERM: 'xterm-256color' })]).toEqual([false, true]);
  });

  it('is what FORCE_COLOR says over what was found', () => {
    expect([isColoured(false, { FORCE_COLOR: '1' }), isColoured(true, { FORCE_COLOR: '0' })]).toEqual([true, false]);
  });

  it('tells good and bad ends apart and leaves what is under way', () => {
    expect(['sent', 'failed', 'suppressed', 'queued'].map(toneOf)).toEqual(['good', 'bad', 'doubtful', null]);
  });

  it('changes nothing that stands on the screen: widths are those of the words', () => {
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

  it('marks warnings and the status of one thing', () => {
    const paint = paintOf({ ...fakeIo({ isTTY: true }) }, 'stdout');
    expect(paintLines('id: 1\nstatus: failed\n! W: no such audience', paint)).toBe(
      'id: 1\nstatus: \u001b[31mfailed\u001b[39m\n\u001b[33m! W: no such audience\u001b[39m',
    );
  });

  it('is ours alone: that of what is shown is taken out', () => {
    const io = fakeIo({ isTTY: true });
    createOutput(io, {}).answer({}, ['\u001b[31mstatus: sent']);
    expect(io.out()).toBe('status: \u001b[32msent\u001b[39m\n');
    io.remove();
  });

  it('is in no answer for programs', () => {
    for (const output of ['json', 'ndjson', 'yaml'] as const) {
      const io = fakeIo({ isTTY: true });
      createOutput(io, { output }).rows([{ status: 'failed' }], [['STATUS', ({ status }) => status, toneOf]]);
      expect(io.out()).not.toContain('\u001b');
      io.remove();
    }
  });

  it('marks the word that begins an error, unless --no-color says otherwise, wherever it stands', async () => {
    const told = async (...argv: string[]): Promise<string> => {
      const one = cli({ isTTY: true });
      await one.run(...argv);
      one.io.remove();
      return one.io.err();
    };
    expect(await told('bundle', 'validate', 'nowhere.json')).toContain('\u001b[31mbeckon:\u001b[39m ');
    expect(await told('nonsense')).toContain('\u001b[31merror:\u001b[39m ');
    expect(await told('--no-color', 'bundle', 'validate', 'nowhere.json')).toMatch(/^beckon: /);
    expect(await told('bundle', 'validate', 'nowhere.json', '--no-color')).toMatch(/^beckon: /);
  });
});
