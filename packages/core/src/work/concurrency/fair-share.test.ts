import { describe, expect, it } from 'vitest';
import { type FairShare, fairShare } from './fair-share.ts';

type Row = { readonly org: string; readonly at: number; readonly request?: string };

const rows = (org: string, count: number, request?: string): Row[] =>
  Array.from({ length: count }, (_, at) => ({ org, at, ...(request === undefined ? {} : { request }) }));
const shared = (waiting: readonly Row[], most: number, turn = 0) => {
  const share: FairShare<Row> = {
    ...{ most, turn, ownerOf: ({ org }) => org },
    isOneWith: (before, { request }) => request !== undefined && request === before.request,
  };
  return fairShare(waiting, share);
};
const counted = (taken: readonly Row[] = []): Record<string, number> =>
  Object.fromEntries(
    Object.entries(Object.groupBy(taken, ({ org }) => org)).map(([org, of]) => [org, of?.length ?? 0]),
  );

describe('fairShare', () => {
  it('takes as many of each owner, and what one lacks of the others', () => {
    const few = [...rows('flood', 5_000), ...rows('calm', 3), ...rows('other', 800)];
    expect(counted(shared(few, 1_000)?.taken)).toEqual({ flood: 499, calm: 3, other: 498 });
    expect(counted(shared([...rows('a', 10), ...rows('b', 10)], 30)?.taken)).toEqual({ a: 10, b: 10 });
  });

  it('keeps the order of each owner, in what is taken and in what is left, and loses nothing', () => {
    const waiting = Array.from({ length: 900 }, (_, at): Row => ({ org: `org${(at * at) % 7}`, at }));
    const { taken = [], left = [] } = shared(waiting, 400, 3) ?? {};
    expect(taken).toHaveLength(400);
    expect([...taken, ...left].toSorted((a, b) => a.at - b.at)).toEqual(waiting);
    for (const part of [taken, left])
      for (const of of Object.values(Object.groupBy(part, ({ org }) => org)))
        expect(of).toEqual(of?.toSorted((a, b) => a.at - b.at));
    const firstLeft = new Map(left.toReversed().map(({ org, at }) => [org, at]));
    for (const { org, at } of taken) expect(at).toBeLessThan(firstLeft.get(org) ?? Number.POSITIVE_INFINITY);
  });

  it('leaves alone what is all of one owner', () => {
    expect(shared(rows('only', 5_000), 1_000)).toBe(null);
  });

  it('takes what goes together as a whole, and cuts what is longer than there is room for at all', () => {
    const waiting = [...rows('a', 60, 'a1'), ...rows('a', 60, 'a2'), ...rows('b', 50, 'b1'), ...rows('b', 50, 'b2')];
    expect(counted(shared(waiting, 120)?.taken)).toEqual({ a: 60, b: 50 });
    expect(counted(shared([...rows('a', 500, 'a1'), ...rows('b', 5)], 120)?.taken)).toEqual({ a: 120 });
  });

  it('gives nobody more than the others for what goes together', () => {
    const requests = [1, 2, 3, 4, 5].flatMap((at) => rows('a', 20, `a${at}`));
    const waiting = [...requests, ...rows('b', 33), ...rows('c', 33)];
    expect(counted(shared(waiting, 99)?.taken)).toEqual({ a: 20, b: 33, c: 33 });
  });

  it('takes what goes together and is longer than a share as a whole where it may be, before all others', () => {
    const waiting = [...rows('a', 60, 'a1'), ...rows('b', 5)];
    const share = {
      turn: 0,
      ownerOf: ({ org }: Row) => org,
      isOneWith: (before: Row, { request }: Row) => request !== undefined && request === before.request,
    };
    expect(counted(fairShare(waiting, { ...share, most: 10, longest: 100 })?.taken)).toEqual({ a: 60 });
    expect(counted(fairShare(waiting, { ...share, turn: 1, most: 10, longest: 100 })?.taken)).toEqual({ b: 5 });
  });

  it('comes to everybody, however long what goes together is', () => {
    const waiting = [...rows('a', 70, 'a1'), ...rows('a', 70, 'a2'), ...rows('b', 50, 'b1'), ...rows('c', 50, 'c1')];
    const served = new Set([0, 1, 2].flatMap((turn) => Object.keys(counted(shared(waiting, 100, turn)?.taken))));
    expect([...served].toSorted()).toEqual(['a', 'b', 'c']);
  });

  it('lets somebody who waits for two flushes at most pass a flood of any size', () => {
    let waiting = rows('flood', 20_000);
    for (let flush = 0; flush < 2; flush += 1) {
      if (flush === 0) waiting = [...waiting, ...rows('calm', 400)];
      const { taken = [], left = [] } = shared(waiting, 1_000, flush) ?? {};
      waiting = left;
      expect(counted(taken)['calm'] ?? 0).toBe(flush === 0 ? 400 : 0);
    }
  });
});
