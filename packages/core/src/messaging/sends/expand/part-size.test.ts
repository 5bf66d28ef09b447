import { describe, expect, it } from 'vitest';
import { partSize } from './part-size.ts';

/** The size of each part of which the one before took so long, from the first on, and of one behind them. */
const sizes = (...times: readonly number[]): number[] => {
  const size = partSize('sqlite');
  const all = times.map((ms) => {
    const people = size.people(false);
    size.took(ms, people);
    return people;
  });
  return [...all, size.people(false)];
};
const sizeAfter = (...times: readonly number[]): number | undefined => sizes(...times).at(-1);

describe('the size of a part', () => {
  it('begins small, doubles while two parts would fit into 25 ms, and ends at 10,000 members', () => {
    expect(sizes(12, 12, 12, 12, 12, 12, 12)).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  });

  it('halves after three parts in a row that took longer, and never below two thousand', () => {
    const grown = [12, 12, 12, 12, 12];
    expect([sizeAfter(...grown, 26, 26), sizeAfter(...grown, 26, 26, 26)]).toEqual([8_000, 4_000]);
    expect(sizeAfter(...grown, 26, 26, 25, 26, 26)).toBe(8_000);
    expect(sizeAfter(...Array.from({ length: 20 }, () => 100))).toBe(2_000);
  });

  it('grows to two thousand however long the first parts take, and stays where one takes up the time', () => {
    expect([sizeAfter(500, 500, 500), sizeAfter(500, 500, 500, 25, 13)]).toEqual([2_000, 2_000]);
    const size = partSize('sqlite');
    for (const people of [250, 500, 1_000, 1_999]) {
      size.people(false);
      size.took(1, people);
    }
    expect(size.people(false)).toBe(2_000);
  });

  it('is what fits into half a millisecond while others write, never fewer than 25, and grows again half a second after them', () => {
    const size = partSize('sqlite');
    let people = size.people(false);
    for (const [ms, next] of [
      [0.5, 250],
      [0.25, 500],
      [0.125, 1_000],
      [0.125, 2_000],
      [0.1, 2_000],
      [100, 25],
    ] as const) {
      size.took(ms, people);
      people = size.people(true);
      expect(people).toBe(next);
    }
    for (let part = 1; part < 200; part += 1) {
      size.took(1, 25);
      expect(size.people(false)).toBe(25);
    }
    size.took(1, 25);
    expect(size.people(false)).toBe(50);
  });

  it('is what fits into 10 ms on PostgreSQL, where nobody waits for a part as such', () => {
    const size = partSize('postgres');
    size.took(5, size.people(false));
    expect(size.people(true)).toBe(500);
    size.took(5, 500);
    expect(size.people(true)).toBe(1_000);
    size.took(20, 1_000);
    expect(size.people(true)).toBe(500);
  });

  it('is followed by a rest of six times as long while others write, on PostgreSQL of three times, and by none before and long after', () => {
    const size = partSize('sqlite');
    size.took(2, size.people(false));
    expect(size.restMs()).toBe(0);
    size.took(2, size.people(true));
    expect(size.restMs()).toBe(12);
    const onPostgres = partSize('postgres');
    onPostgres.took(2, onPostgres.people(true));
    expect(onPostgres.restMs()).toBe(6);
    // A disk that stood still does not make everybody wait for minutes.
    size.took(5_000, size.people(false));
    expect(size.restMs()).toBe(100);
    for (let part = 0; part < 200; part += 1) size.took(2, size.people(false));
    expect(size.restMs()).toBe(0);
  });

  it('is followed by longer rests after parts that waited for the disk, up to twelve times, and by shorter ones later', () => {
    const size = partSize('postgres');
    /** The rest of a short part behind so many of such a length. */
    const restAfter = (parts: number, ms: number): number => {
      for (let part = 0; part < parts; part += 1) {
        size.people(true);
        size.took(ms, 100);
      }
      size.people(true);
      size.took(1, 100);
      return size.restMs();
    };
    expect(restAfter(5, 100)).toBe(3);
    expect([restAfter(1, 101), restAfter(1, 101), restAfter(1, 101)]).toEqual([6, 12, 12]);
    expect([restAfter(198, 1), restAfter(198, 1), restAfter(199, 1), restAfter(400, 1)]).toEqual([6, 6, 3, 3]);
  });

  it('waited for the disk where it took longer than 10 ms on SQLite', () => {
    const size = partSize('sqlite');
    const restAfter = (ms: number): number => {
      for (const took of [ms, 1]) {
        size.people(true);
        size.took(took, 100);
      }
      return size.restMs();
    };
    expect([restAfter(10), restAfter(11), restAfter(11)]).toEqual([6, 12, 12]);
  });

  it('is long while nobody else writes, and says nothing of the disk then', () => {
    const size = partSize('sqlite');
    for (let part = 0; part < 5; part += 1) size.took(30, size.people(false));
    size.people(true);
    size.took(1, 100);
    expect(size.restMs()).toBe(6);
  });
});
