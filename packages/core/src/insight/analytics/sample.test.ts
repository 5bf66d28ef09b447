import { describe, expect, it } from 'vitest';
import { digest48 } from '../../foundation/hash.ts';
import { digestOf, isIn, readEntries, sampleOf, withoutDigests, writeSample } from './sample.ts';

const digestsOf = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, n) => digestOf(digest48(`u:user-${from + n}`, 7)));

describe('sampleOf', () => {
  it('a sample that is not full contains each user once with all flags', () => {
    const sample = sampleOf(5_000);
    const people = digestsOf(0, 3_000);
    for (const digest of people) sample.add(digest, 1);
    for (const digest of people.slice(0, 100)) sample.add(digest, 4);
    const found = new Map<number, number>();
    sample.each((digest, flags) => found.set(digest, flags));
    expect([sample.size, sample.level]).toEqual([3_000, 0]);
    expect(found).toEqual(new Map(people.map((digest, at) => [digest, at < 100 ? 5 : 1])));
  });

  it('a sample keeps its bound and estimates within some per cent', () => {
    const sample = sampleOf(4_096);
    for (const digest of digestsOf(0, 200_000)) sample.add(digest, 1);
    expect(sample.size).toBeLessThanOrEqual(4_096);
    expect(Math.abs((sample.size * 2 ** sample.level) / 200_000 - 1)).toBeLessThan(0.08);
  });

  it('a sample is independent of the order of additions, and of uniting parts', () => {
    const people = digestsOf(0, 20_000);
    const [one, other] = [sampleOf(1_000), sampleOf(1_000)];
    for (const digest of people) one.add(digest, 1);
    const part = sampleOf(1_000);
    for (const digest of people.slice(10_000)) part.add(digest, 1);
    for (const digest of people.slice(0, 10_000)) other.add(digest, 1);
    other.raise(part.level);
    part.each(other.add);
    const membersOf = (sample: typeof one): number[] => {
      const members: number[] = [];
      sample.each((digest) => members.push(digest));
      return members.sort((a, b) => a - b);
    };
    expect(other.level).toBe(one.level);
    expect(membersOf(other)).toEqual(membersOf(one));
    expect(membersOf(one).every((digest) => isIn(digest, one.level))).toBe(true);
  });

  it('a serialized sample can be read again, without removed digests', () => {
    const sample = sampleOf(1_000);
    const edges = [0, 1, 16_383, 16_384, 2 ** 31, 2 ** 32 - 1];
    edges.forEach((digest, at) => {
      sample.add(digest, 1 + (at % 15));
    });
    const text = writeSample(sample);
    const found = new Map<number, number>();
    readEntries(text, (digest, flags) => found.set(digest, flags));
    expect([...found].sort(([a], [b]) => a - b)).toEqual(edges.map((digest, at) => [digest, 1 + (at % 15)]));
    expect(withoutDigests(text, new Set([5]))).toBe(text);
    const left: number[] = [];
    readEntries(withoutDigests(text, new Set([0, 2 ** 31])), (digest) => left.push(digest));
    expect(left.sort((a, b) => a - b)).toEqual([1, 16_383, 16_384, 2 ** 32 - 1]);
  });
});
