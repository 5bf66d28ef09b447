import { describe, expect, it } from 'vitest';
import { lane } from './lane.ts';
import { sharedRoom } from './room.ts';

type Free = (tookMs: number) => void;

/** A lane of two places, with the jobs that it started and the way to end one of them. */
const openLane = () => {
  const started: number[] = [];
  let free: Free | undefined;
  const own = lane<number>(2, sharedRoom(1_000), (jobs, end) => {
    started.push(...jobs);
    free = end;
  });
  return { own, started, end: (tookMs: number) => free?.(tookMs) };
};
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const jobs = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

describe('lane', () => {
  it('starts as many jobs as it has places, lets some wait in their order and answers the others', async () => {
    const { own, started, end } = openLane();
    const outside = own.add(jobs(100));
    expect(outside).toEqual(jobs(100).slice(2 + 64));
    await turn();
    expect(started).toEqual([0, 1]);
    end(5);
    await turn();
    expect(started).toEqual([0, 1, 2]);
  });

  it('puts jobs off by the time that its places need for those before them', async () => {
    const { own, end } = openLane();
    own.add(jobs(66));
    await turn();
    for (let at = 0; at < 64; at += 1) {
      end(1_000);
      await turn();
    }
    const [first = 0, second = 0] = own.later(2, 0);
    expect(first).toBeGreaterThan(400);
    expect(second).toBeCloseTo(2 * first, 5);
  });

  it('puts jobs off for longer and longer while no place becomes free', async () => {
    const { own, end } = openLane();
    own.add(jobs(66));
    await turn();
    const asked: number[] = [];
    for (let nowMs = 0; nowMs < 10_000; nowMs += own.later(1, nowMs)[0] ?? 0) asked.push(nowMs);
    expect(asked.length).toBeLessThanOrEqual(10);
    end(1);
    expect(own.later(1, 10_000)).toEqual([50]);
  });
});
