import { describe, expect, it } from 'vitest';
import { fairQueues } from './fair-queues.ts';

type Row = { readonly org: string; readonly at: number; readonly request?: string };

const rows = (org: string, count: number, request?: string): Row[] =>
  Array.from({ length: count }, (_, at) => ({ org, at, ...(request === undefined ? {} : { request }) }));
const linesOf = (waiting: readonly Row[], longest: number) => {
  const isOneWith = (before: Row, { request }: Row): boolean => request !== undefined && request === before.request;
  const lines = fairQueues<Row>({ longest, ownerOf: ({ org }) => org, isOneWith });
  for (const row of waiting) lines.push(row);
  return lines;
};
const shared = (waiting: readonly Row[], most: number, longest = most) => linesOf(waiting, longest).take(most);
const counted = (taken: readonly Row[]): Record<string, number> =>
  Object.fromEntries(
    Object.entries(Object.groupBy(taken, ({ org }) => org)).map(([org, of]) => [org, of?.length ?? 0]),
  );

describe('fairLines', () => {
  it('fair queues take equally many items of each owner, and fill up with others', () => {
    const few = [...rows('flood', 5_000), ...rows('calm', 3), ...rows('other', 800)];
    expect(counted(shared(few, 1_000))).toEqual({ flood: 498, calm: 3, other: 499 });
  });

  it('fair queues take everything if it fits, and are then empty', () => {
    const lines = linesOf([...rows('a', 10), ...rows('b', 10)], 30);
    expect(counted(lines.take(20))).toEqual({ a: 10, b: 10 });
    expect([lines.size(), lines.take(20)]).toEqual([0, []]);
  });

  it('fair queues keep the order of each owner and lose nothing', () => {
    const waiting = Array.from({ length: 900 }, (_, at): Row => ({ org: `org${(at * at) % 7}`, at }));
    const lines = linesOf(waiting, 400);
    const taken = lines.take(400);
    expect([taken.length, lines.size()]).toEqual([400, 500]);
    const left = lines.take(500);
    expect([...taken, ...left].toSorted((a, b) => a.at - b.at)).toEqual(waiting);
    for (const part of [taken, left])
      for (const of of Object.values(Object.groupBy(part, ({ org }) => org)))
        expect(of).toEqual(of?.toSorted((a, b) => a.at - b.at));
    const firstLeft = new Map(left.toReversed().map(({ org, at }) => [org, at]));
    for (const { org, at } of taken) expect(at).toBeLessThan(firstLeft.get(org) ?? Number.POSITIVE_INFINITY);
  });

  it('a single owner gets its first items', () => {
    expect(shared(rows('only', 5_000), 1_000)).toEqual(rows('only', 1_000));
    const requests = [...rows('only', 60, '1'), ...rows('only', 60, '2'), ...rows('only', 60, '3')];
    expect(shared(requests, 130)).toHaveLength(120);
  });

  it('fair queues take a group as a whole, and split one that is longer than a take', () => {
    const waiting = [...rows('b', 50, 'b1'), ...rows('b', 50, 'b2'), ...rows('a', 60, 'a1'), ...rows('a', 60, 'a2')];
    expect(counted(shared(waiting, 120))).toEqual({ a: 60, b: 50 });
    expect(counted(shared([...rows('b', 5), ...rows('a', 500, 'a1')], 120))).toEqual({ a: 120 });
  });

  it('groups give no owner more than the others', () => {
    const requests = [1, 2, 3, 4, 5].flatMap((at) => rows('a', 20, `a${at}`));
    expect(counted(shared([...rows('b', 33), ...requests, ...rows('c', 33)], 99))).toEqual({ a: 20, b: 33, c: 33 });
  });

  it('a group longer than a share is taken whole, before all others', () => {
    const lines = linesOf([...rows('a', 60, 'a1'), ...rows('b', 15)], 100);
    expect(counted(lines.take(10))).toEqual({ b: 10 });
    expect(counted(lines.take(10))).toEqual({ a: 60 });
    expect(counted(lines.take(10))).toEqual({ b: 5 });
  });

  it('every owner is served, however long its groups are', () => {
    const waiting = ['a', 'b', 'c'].flatMap((org) => [...rows(org, 70, `${org}1`), ...rows(org, 70, `${org}2`)]);
    const lines = linesOf(waiting, 100);
    const served = new Set([0, 1, 2].flatMap(() => Object.keys(counted(lines.take(100)))));
    expect([...served].toSorted()).toEqual(['a', 'b', 'c']);
  });

  it('an item waits for at most two flushes, under any flood', () => {
    const lines = linesOf([...rows('flood', 20_000), ...rows('calm', 400)], 1_000);
    expect(counted(lines.take(1_000))['calm']).toBe(400);
    for (const row of rows('calm', 3)) lines.push(row);
    expect(counted(lines.take(1_000))['calm']).toBe(3);
  });
});
