import { describe, expect, it } from 'vitest';
import { progressLines } from './progress.ts';

describe('progress', () => {
  const given = () => {
    const lines: string[] = [];
    let at = 0;
    const hear = progressLines(
      'sealed anew',
      () => new Date(at),
      (line) => lines.push(line),
    );
    return { lines, hear, pass: (ms: number) => (at += ms) };
  };

  it('is one line for each tenth', () => {
    const { lines, hear } = given();
    for (let done = 1; done <= 1_000; done += 1) hear({ done, of: 1_000 });
    expect(lines).toHaveLength(9);
    expect(lines[2]).toBe('sealed anew: 30 % (300 of 1000)');
  });

  it('is one line for each 5 s where a tenth takes longer', () => {
    const { lines, hear, pass } = given();
    for (let done = 1; done <= 20; done += 1) {
      pass(1_000);
      hear({ done, of: 10_000 });
    }
    expect(lines).toEqual([
      'sealed anew: 0 % (5 of 10000)',
      'sealed anew: 0 % (10 of 10000)',
      'sealed anew: 0 % (15 of 10000)',
      'sealed anew: 0 % (20 of 10000)',
    ]);
  });

  it('says nothing of what is done at once', () => {
    const { lines, hear } = given();
    hear({ done: 0, of: 0 });
    hear({ done: 3, of: 3 });
    expect(lines).toEqual([]);
  });
});
