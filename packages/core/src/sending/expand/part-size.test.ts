import { describe, expect, it } from 'vitest';
import { partSize } from './part-size.ts';

const sizeAfter = (...times: readonly number[]): number => {
  const size = partSize();
  for (const ms of times) size.took(ms, size.people());
  return size.people();
};

describe('the size of a part', () => {
  it('begins small, doubles while two parts would fit into 25 ms, and ends at 10,000 members', () => {
    const times = [12, 12, 12, 12, 12, 12];
    expect(times.map((_, at) => sizeAfter(...times.slice(0, at)))).toEqual([500, 2_000, 4_000, 8_000, 10_000, 10_000]);
  });

  it('halves after three parts in a row that took longer, and never below two thousand', () => {
    expect([sizeAfter(12, 12, 12, 26, 26), sizeAfter(12, 12, 12, 26, 26, 26)]).toEqual([8_000, 4_000]);
    expect(sizeAfter(12, 12, 12, 26, 26, 25, 26, 26)).toBe(8_000);
    expect(sizeAfter(12, 12, ...Array.from({ length: 12 }, () => 100))).toBe(2_000);
  });

  it('is that of a whole part after the first, however long that took, and stays where one takes up the time', () => {
    expect([sizeAfter(500), sizeAfter(500, 25, 13)]).toEqual([2_000, 2_000]);
    const size = partSize();
    size.took(1, 500);
    size.took(1, 1_999);
    expect(size.people()).toBe(2_000);
  });
});
