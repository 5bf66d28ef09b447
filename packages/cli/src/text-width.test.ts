import { describe, expect, it } from 'vitest';
import { fitText, textWidth } from './text-width.ts';

describe('textWidth', () => {
  it.each([
    ['plain text', 'Kettle', 6],
    ['an accent as a combining mark', 'Zoe\u0301', 3],
    ['Chinese', '茶壶', 4],
    ['an emoji of several code points', '👩‍🚀', 2],
    ['no text', '', 0],
  ])('counts the columns of %s', (_, text, columns) => {
    expect(textWidth(text)).toBe(columns);
  });
});

describe('fitText', () => {
  it('fills a short text up to its width in columns', () => {
    expect([fitText('ab', 4), fitText('茶', 4)]).toEqual(['ab  ', '茶  ']);
  });

  it('cuts a long text between characters and keeps the width', () => {
    const cut = ['abcdef', '茶壶茶壶', 'ab👩‍🚀👩‍🚀'].map((text) => fitText(text, 4));
    expect(cut).toEqual(['abc…', '茶… ', 'ab… ']);
    expect(cut.map(textWidth)).toEqual([4, 4, 4]);
  });
});
