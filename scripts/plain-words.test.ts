import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { declaredNames, EXCEPTIONS, findPrivateWords, privateWordsOf } from './plain-words.ts';

describe('private words', () => {
  it('private words are found as whole words of an identifier', () => {
    expect(privateWordsOf('toldAt')).toEqual(['told']);
    expect(privateWordsOf('isDarkStill')).toEqual(['dark', 'still']);
    expect(privateWordsOf('giveUpRow')).toEqual(['give up']);
    expect(privateWordsOf('bulk-still')).toEqual(['still']);
  });

  it('private words are not found within other words', () => {
    expect(privateWordsOf('darkness')).toEqual([]);
    expect(privateWordsOf('giveRowUp')).toEqual([]);
    expect(privateWordsOf('allowed')).toEqual([]);
  });

  it('private words are searched in declared names, not in prose or uses', () => {
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

  it('production code declares no name with a private word, except the listed ones', () => {
    expect(findPrivateWords()).toEqual([]);
  });

  it('every exception declares a name with a private word and has a reason', () => {
    for (const { path, name, reason } of EXCEPTIONS) {
      expect(privateWordsOf(name), name).not.toEqual([]);
      expect(reason.length, name).toBeGreaterThan(10);
      if (path !== '*')
        expect([name, declaredNames(path, readFileSync(path, 'utf8'))]).toEqual([name, expect.arrayContaining([name])]);
    }
  });
});
