import { describe, expect, it } from 'vitest';
import { didYouMean, nearest } from './suggest.ts';

const KNOWN = ['port', 'host', 'publicUrl', 'shutdownTimeout'];

describe('nearest', () => {
  it.each([
    ['prot', 'port'],
    ['HOST', 'host'],
    ['publicURI', 'publicUrl'],
    ['shutdown_timeout', 'shutdownTimeout'],
  ])('nearest finds the intended word for %s', (word, known) => {
    expect(nearest(word, KNOWN)).toBe(known);
  });

  it('a word that resembles no known word has no suggestion', () => {
    expect(nearest('colour', KNOWN)).toBeUndefined();
  });
});

describe('didYouMean', () => {
  it('didYouMean is empty without a suggestion', () => {
    expect(didYouMean('colour', KNOWN)).toBe('');
  });

  it('didYouMean names the suggestion', () => {
    expect(didYouMean('prot', KNOWN)).toBe(' (did you mean port?)');
  });
});
