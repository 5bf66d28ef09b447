import { describe, expect, it } from 'vitest';
import { lane } from './lane.ts';
import { sharedRoom } from './room.ts';

type Free = (tookMs: number) => void;

/** A lane of two places, with the jobs that it started and the way to end one of them. */
const openLane = (now = () => 2, most = 2) => {
  const started: number[] = [];
  let free: Free | undefined;
  const own = lane<number>({ now, most }, sharedRoom(1_000), (jobs, end) => {
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

  it('starts as many as there are places at that moment, when they become more and when they become fewer', async () => {
    let places = 2;
    const { own, started, end } = openLane(() => places, 10);
    own.add(jobs(20));
    await turn();
    places = 10;
    end(5);
    await turn();
    expect(started).toHaveLength(11);
    places = 1;
    for (let ended = 0; ended < 9; ended += 1) end(5);
    await turn();
    expect(started).toHaveLength(11);
    end(5);
    await turn();
    expect(started).toHaveLength(12);
  });

  it('puts jobs off by the time that its places need for those before them, and lets some come back together', async () => {
    const { own, end } = openLane();
    own.add(jobs(66));
    await turn();
    for (let at = 0; at < 64; at += 1) {
      end(1_000);
      await turn();
    }
    // Each of two places takes a job a second.
    expect(own.later(5, 0)).toEqual([1_000, 1_000, 2_000, 2_000, 3_000]);
  });

  it('puts jobs off for longer and longer while no place becomes free', async () => {
    const { own, end } = openLane();
    own.add(jobs(66));
    await turn();
    const asked: number[] = [];
    for (let nowMs = 0; nowMs < 10_000; nowMs += own.later(1, nowMs)[0] ?? 0) asked.push(nowMs);
    expect(asked.length).toBeLessThanOrEqual(6);
    end(1);
    expect(own.later(1, 10_000)).toEqual([50]);
  });
});
