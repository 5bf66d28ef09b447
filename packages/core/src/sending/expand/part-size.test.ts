import { describe, expect, it } from 'vitest';
import { partSize } from './part-size.ts';

describe('the size of a part', () => {
  it('begins small, doubles while two parts would fit into 25 ms, and ends at 10,000 members', () => {
    const size = partSize();
    const sizes = Array.from({ length: 7 }, () => {
      const people = size.people();
      size.took(12, people);
      return people;
    });
    expect(sizes).toEqual([500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  });

  it('halves after a part that took longer, and never below a hundred', () => {
    const size = partSize();
    for (const ms of [26, 26, 26, 26]) size.took(ms, size.people());
    expect(size.people()).toBe(100);
  });

  it('stays where one part takes up the time, and after one that was not whole', () => {
    const size = partSize();
    size.took(25, 500);
    size.took(13, 500);
    size.took(1, 499);
    expect(size.people()).toBe(500);
  });
});
