import { describe, expect, it } from 'vitest';
import { searchFor } from './text-search.ts';

/** Deterministic random numbers. */
const seeded = (seed: number) => (): number => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed / 2_147_483_648;
};

describe('searchFor', () => {
  it('searchFor equals includes for any repetition in text and pattern', () => {
    const random = seeded(7);
    const text = (letters: string, length: number): string =>
      Array.from({ length }, () => letters.charAt(Math.floor(random() * letters.length))).join('');
    let found = 0;
    for (let round = 0; round < 4_000; round += 1) {
      const letters = ['ab', 'aab', 'жщ', 'abcdefgh', '\ud83d\ude00\ud83d', 'a'][round % 6] ?? 'a';
      const long = text(letters, Math.floor(random() * 900));
      const from = Math.floor(random() * long.length);
      const part = long.slice(from, from + 1 + Math.floor(random() * 60));
      const pattern = [part, `${part}b`, `a${part}`, text(letters, 12)][Math.floor(random() * 4)] ?? part;
      expect(searchFor(pattern)(long)).toBe(long.includes(pattern));
      if (long.includes(pattern)) found += 1;
    }
    expect(found).toBeGreaterThan(1_000);
    expect(found).toBeLessThan(3_500);
  });

  it('a self-repeating pattern reads a repetitive text once', () => {
    const pattern = `${'a'.repeat(512)}b${'a'.repeat(511)}`;
    let read = 0;
    const text = 'a'.repeat(15_000);
    // Safe: a text that counts how often it is read.
    const counted = {
      length: text.length,
      charCodeAt: (at: number) => {
        read += 1;
        return text.charCodeAt(at);
      },
      includes: () => {
        throw new Error('searched by the engine');
      },
    } as unknown as string;
    expect(searchFor(pattern)(counted)).toBe(false);
    expect(read).toBe(text.length);
  });
});
