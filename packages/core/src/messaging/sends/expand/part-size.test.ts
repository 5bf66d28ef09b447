import { describe, expect, it } from 'vitest';
import { type PartSize, partSize } from './part-size.ts';

/** Sizes of successive parts, each at this rate in members per millisecond. */
const sizesAt = (size: PartSize, perMs: number, parts: number, hasOtherWriters = false): number[] =>
  Array.from({ length: parts }, () => {
    const people = size.people(hasOtherWriters);
    size.took(people / perMs, people);
    return people;
  });

describe('the size of a part', () => {
  it('a send starts with 250 members and doubles up to 10,000 while a part takes at most 25 ms', () => {
    expect(sizesAt(partSize('sqlite'), 1_000, 8)).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  });

  it('a part has as many members as fit into 25 ms, and at least 2,000 without other writers', () => {
    expect(sizesAt(partSize('sqlite'), 100, 6)).toEqual([250, 500, 1_000, 2_000, 2_500, 2_500]);
    expect(sizesAt(partSize('sqlite'), 1, 6)).toEqual([250, 500, 1_000, 2_000, 2_000, 2_000]);
  });

  it('a part beside other writers fits into 3 ms on SQLite, never fewer than 25 members', () => {
    const size = partSize('sqlite');
    sizesAt(size, 100, 6);
    expect(sizesAt(size, 100, 2, true)).toEqual([300, 300]);
    expect(sizesAt(size, 1, 2, true)).toEqual([300, 25]);
  });

  it('a part beside other writers fits into 10 ms on PostgreSQL, never fewer than 250 members', () => {
    const size = partSize('postgres');
    sizesAt(size, 40, 6);
    expect(sizesAt(size, 40, 2, true)).toEqual([400, 400]);
    expect(sizesAt(size, 1, 2, true)).toEqual([400, 250]);
  });

  it('a part grows to at most twice the previous one', () => {
    const size = partSize('sqlite');
    sizesAt(size, 1, 2, true);
    expect(sizesAt(size, 1_000, 4, true)).toEqual([25, 50, 100, 200]);
  });

  it('a part rests as long as it took while others write, at most 100 ms', () => {
    const size = partSize('sqlite');
    size.people(true);
    size.took(3, 250);
    expect(size.restMs()).toBe(3);
    size.took(5_000, 250);
    expect(size.restMs()).toBe(100);
  });

  it('a send counts as alone before the first other writer, and again after 50 parts without other writers', () => {
    const size = partSize('sqlite');
    sizesAt(size, 100, 5);
    expect(size.restMs()).toBe(0);
    sizesAt(size, 100, 1, true);
    expect(sizesAt(size, 100, 49)).toEqual(Array.from({ length: 49 }, () => 300));
    expect(size.restMs()).toBe(3);
    expect(sizesAt(size, 100, 1)).toEqual([600]);
    expect(size.restMs()).toBe(0);
  });
});
