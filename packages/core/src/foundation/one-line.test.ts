import { describe, expect, it } from 'vitest';
import { isOneLine } from './one-line.ts';

describe('isOneLine', () => {
  it.each(['', 'a b', 'Grüße, 日本語 \u{1F600}', 'a\u00a0b'])('isOneLine is true for %j', (text) => {
    expect(isOneLine(text)).toBe(true);
  });

  it.each(['a\tb', 'a\nb', 'a\rb', 'a\0b', 'a\u0001b', 'a\u007fb', 'a\u0085b', 'a\u2028b', 'a\u2029b'])(
    'isOneLine is false for %j',
    (text) => {
      expect(isOneLine(text)).toBe(false);
    },
  );
});
