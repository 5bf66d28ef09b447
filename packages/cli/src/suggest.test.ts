import { describe, expect, it } from 'vitest';
import { didYouMean, nearest } from './suggest.ts';

const KNOWN = ['port', 'host', 'publicUrl', 'shutdownTimeout'];

describe('nearest', () => {
  it.each([
    ['prot', 'port'],
    ['HOST', 'host'],
    ['publicURI', 'publicUrl'],
    ['shutdown_timeout', 'shutdownTimeout'],
  ])('finds what %s was meant to be', (word, known) => {
    expect(nearest(word, KNOWN)).toBe(known);
  });

  it('answers nothing for a word that is like none', () => {
    expect(nearest('colour', KNOWN)).toBeUndefined();
  });
});

describe('didYouMean', () => {
  it('is empty where there is nothing to suggest', () => {
    expect(didYouMean('colour', KNOWN)).toBe('');
  });

  it('names the suggestion', () => {
    expect(didYouMean('prot', KNOWN)).toBe(' (did you mean port?)');
  });
});
