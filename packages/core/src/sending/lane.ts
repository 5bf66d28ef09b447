// The places of one live transport, over every batch that this process has in hand. What has no place waits in line;
// what does not even fit in the line is put off by its caller, so that busy providers do not fill the worker.

import type { Room } from './room.ts';

/** Jobs in line at most, besides those in their places; ours: enough to keep any transport busy between two claims. */
const LINE = { least: 64, most: 256 };
/** Jobs that start together at most; ours: what one claim brings. */
const TOGETHER = 256;
/** How long a job that does not fit is put off, in milliseconds; ours. */
const OFF_MS = { least: 50, most: 60_000 };
/** Where no job ends, how much longer than that has lasted; ours: waits triple, four of them in the first second. */
const STUCK_FACTOR = 2;
/** Jobs that were put off come back together, at most this far apart, in milliseconds: each time costs a claim. Ours. */
const STEP_MS = 1_000;

const lineOf = (places: number): number => Math.min(Math.max(places, LINE.least), LINE.most);

export type Lane<Job> = {
  /** Takes as many of the jobs as fit, in their order, and answers the others. */
  add(jobs: readonly Job[]): readonly Job[];
  /** Moments, in milliseconds from now, at which that many jobs that do not fit may find room. */
  later(count: number, nowMs: number): number[];
};

/**
 * @param places jobs at once at this moment, 1 or more, and at most ever
 * @param room what all lanes of the worker may have in hand
 * @param start does jobs that have their places; calls `free` once per job, when its place is free again, with the
 * milliseconds that it took. Never rejects.
 */
export const lane = <Job>(
  places: { now(): number; readonly most: number },
  room: Room,
  start: (jobs: readonly Job[], free: (tookMs: number) => void) => void,
): Lane<Job> => {
  const line: Job[] = [];
  let taken = 0;
  let isCalled = false;
  /** A moving average, and the moment until which jobs that were put off would keep the places busy. */
  let averageMs = 0;
  let busyUntilMs = 0;
  /** Since when no place became free, as far as `later` was asked; null: one did after it was asked last. */
  let stuckSinceMs: number | null = null;

  const free = (tookMs: number): void => {
    taken -= 1;
    room.give();
    stuckSinceMs = null;
    averageMs += (tookMs - averageMs) / 16;
    call();
  };
  const pump = (): void => {
    isCalled = false;
    const jobs = line.splice(0, Math.min(Math.max(places.now() - taken, 0), TOGETHER));
    if (jobs.length === 0) return;
    taken += jobs.length;
    start(jobs, free);
    call();
  };
  // Places that become free in one turn of the event loop are filled by one hand-over.
  const call = (): void => {
    if (isCalled || line.length === 0 || taken >= places.now()) return;
    isCalled = true;
    setImmediate(pump);
  };

  return {
    add: (jobs) => {
      const held = taken + line.length;
      const fitting = room.take(held, Math.min(jobs.length, Math.max(places.now() + lineOf(places.now()) - held, 0)));
      line.push(...jobs.slice(0, fitting));
      call();
      return jobs.slice(fitting);
    },
    later: (count, nowMs) => {
      busyUntilMs = Math.max(busyUntilMs, nowMs);
      stuckSinceMs ??= nowMs;
      // Jobs that hang say nothing to the average until they end: the longer none has ended, the rarer is asked.
      const leastMs = Math.min(Math.max(STUCK_FACTOR * (nowMs - stuckSinceMs), OFF_MS.least), OFF_MS.most);
      // By the most places: who comes too early is put off again, who comes too late leaves places empty.
      const eachMs = averageMs / places.most;
      // Half a line at a time: the other half keeps the places busy until the next claim.
      const stepMs = Math.max(Math.min((lineOf(places.now()) / 2) * eachMs, STEP_MS), 1);
      return Array.from({ length: count }, () => {
        busyUntilMs = Math.min(busyUntilMs + eachMs, nowMs + OFF_MS.most);
        return Math.max(Math.ceil(busyUntilMs / stepMs) * stepMs - nowMs, leastMs);
      });
    },
  };
};
