import { describe, expect, it } from 'vitest';
import { retryAfterMs } from './retry-after.ts';

const NOW = new Date('2026-03-01T12:00:00Z');

describe('retryAfterMs', () => {
  it.each([
    ['30', 30_000],
    [' 0 ', 0],
    ['Sun, 01 Mar 2026 12:00:30 GMT', 30_000],
    ['Sun, 01 Mar 2026 11:59:00 GMT', 0],
    ['9'.repeat(400), 86_400_000],
    ['Sun, 01 Mar 2099 12:00:00 GMT', 86_400_000],
  ])('retryAfterMs reads "%s"', (value, ms) => {
    expect(retryAfterMs(value, NOW)).toBe(ms);
  });

  it('retryAfterMs reads the first of several headers', () => {
    expect(retryAfterMs(['5', '60'], NOW)).toBe(5_000);
  });

  it.each([undefined, '', 'soon', '-5', '1.5', '2026-03-01T12:00:30Z', '1e3', 'Sun, nonsense'])(
    'retryAfterMs returns undefined for %s',
    (value) => {
      expect(retryAfterMs(value, NOW)).toBeUndefined();
    },
  );
});
