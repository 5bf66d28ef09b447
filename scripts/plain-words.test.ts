import { describe, expect, it } from 'vitest';
import { declaredNames, findPrivateWords, privateWordsOf } from './plain-words.ts';

/** How many names of production code still have a private word. Lower it with each renaming; it never rises. */
const LEFT = 61;

describe('private words', () => {
  it('are found as whole words of an identifier', () => {
    expect(privateWordsOf('toldAt')).toEqual(['told']);
    expect(privateWordsOf('isDarkStill')).toEqual(['dark', 'still']);
    expect(privateWordsOf('giveUpRow')).toEqual(['give up']);
    expect(privateWordsOf('bulk-still')).toEqual(['still']);
  });

  it('are not found within other words', () => {
    expect(privateWordsOf('darkness')).toEqual([]);
    expect(privateWordsOf('giveRowUp')).toEqual([]);
    expect(privateWordsOf('allowed')).toEqual([]);
  });

  it('are looked for in declared names, not in prose or uses', () => {
    const text = `
      // told
      type Row = { readonly toldAt: Date; know(): void };
      const asked = (given: string, { wanted }: Row): string => other.settle(given);
      function judge() {}`;
    expect(declaredNames('a.ts', text).filter((name) => privateWordsOf(name).length > 0)).toEqual([
      'toldAt',
      'asked',
      'given',
      'wanted',
      'wanted',
      'judge',
    ]);
  });

  it('are no more than there were', () => {
    const found = findPrivateWords();
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThanOrEqual(LEFT);
  });
});
