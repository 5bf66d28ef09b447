import { describe, expect, it } from 'vitest';
import { fakeIo } from '../test/support/fake-io.ts';
import { progressLines, whileWaiting } from './progress.ts';

describe('progress', () => {
  const setup = () => {
    const lines: string[] = [];
    let at = 0;
    const hear = progressLines(
      'Re-encrypted',
      () => new Date(at),
      (line) => lines.push(line),
    );
    return { lines, hear, pass: (ms: number) => (at += ms) };
  };

  it('progress prints one line per tenth', () => {
    const { lines, hear } = setup();
    for (let done = 1; done <= 1_000; done += 1) hear({ done, of: 1_000 });
    expect(lines).toHaveLength(9);
    expect(lines[2]).toBe('Re-encrypted: 30 % (300 of 1000)');
  });

  it('progress prints one line per 5 s if a tenth takes longer', () => {
    const { lines, hear, pass } = setup();
    for (let done = 1; done <= 20; done += 1) {
      pass(1_000);
      hear({ done, of: 10_000 });
    }
    expect(lines).toEqual([
      'Re-encrypted: 0 % (5 of 10000)',
      'Re-encrypted: 0 % (10 of 10000)',
      'Re-encrypted: 0 % (15 of 10000)',
      'Re-encrypted: 0 % (20 of 10000)',
    ]);
  });

  it('progress prints nothing for work that is done at its first report', () => {
    const { lines, hear } = setup();
    hear({ done: 0, of: 0 });
    hear({ done: 3, of: 3 });
    expect(lines).toEqual([]);
  });
});

describe('waiting', () => {
  const waiting = async (isTTY: boolean, quiet: boolean, seconds: number) => {
    const io = fakeIo({ isTTY });
    const { promise, resolve } = Promise.withResolvers<string>();
    const done = whileWaiting(io, { quiet }, 'importing', () => promise);
    for (let second = 0; second < seconds; second += 1) io.pass(1_000);
    const output = io.err();
    resolve('answer');
    expect(await done).toBe('answer');
    const whole = io.err();
    io.pass(10_000);
    expect(io.err()).toBe(whole);
    io.remove();
    return { output, after: whole.slice(output.length) };
  };

  it('waiting counts seconds on a terminal in one line that disappears at the end', async () => {
    expect(await waiting(true, false, 2)).toEqual({
      output: '\rimporting: 1 s\rimporting: 2 s',
      after: `\r${' '.repeat('importing: 2 s'.length)}\r`,
    });
  });

  it('waiting prints nothing within the first second', async () => {
    expect(await waiting(true, false, 0)).toEqual({ output: '', after: '' });
  });

  it('waiting prints one line per 5 s without a terminal', async () => {
    expect(await waiting(false, false, 11)).toEqual({ output: 'importing: 5 s\nimporting: 10 s\n', after: '' });
  });

  it('waiting prints nothing with --quiet', async () => {
    expect(await waiting(true, true, 20)).toEqual({ output: '', after: '' });
  });

  it('waiting clears its line if the work fails', async () => {
    const io = fakeIo({ isTTY: true });
    const failed = whileWaiting(io, {}, 'importing', async () => {
      io.pass(1_000);
      throw new Error('refused');
    });
    await expect(failed).rejects.toThrow('refused');
    expect(io.err().endsWith('\r')).toBe(true);
    io.remove();
  });
});
