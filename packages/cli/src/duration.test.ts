import { describe, expect, it } from 'vitest';
import { parseDuration } from './duration.ts';

describe('parseDuration', () => {
  it.each([
    ['500ms', 500],
    ['20s', 20_000],
    ['5m', 300_000],
    ['12h', 43_200_000],
    ['90d', 7_776_000_000],
    [' 1s ', 1_000],
  ])('parseDuration reads %s', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(['', '20', 's', '-1s', '1.5s', '1w', '1s2s', '9999999999s'])('parseDuration rejects "%s"', (text) => {
    expect(parseDuration(text)).toBeNull();
  });
});
