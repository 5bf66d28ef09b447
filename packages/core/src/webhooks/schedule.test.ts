import { describe, expect, it } from 'vitest';
import { virtualClock } from '../foundation/clock.ts';
import { nextAttemptAt } from './schedule.ts';

const start = new Date('2026-03-01T10:00:00.000Z');

/** Seconds from the first attempt at which attempts begin that fail after `tookMs`. */
const attempts = (tookMs: number): number[] => {
  const clock = virtualClock(start);
  const seconds: number[] = [];
  for (let attempt = 1; ; attempt += 1) {
    seconds.push((clock.now().getTime() - start.getTime()) / 1_000);
    clock.advance(tookMs);
    const next = nextAttemptAt(attempt, clock.now());
    if (next === null) return seconds;
    clock.set(next);
  }
};

describe('the schedule', () => {
  it('attempts follow after 30 s, 2 min, 10 min, 1 h and 6 h, six in all', () => {
    expect(attempts(0)).toEqual([0, 30, 150, 750, 4_350, 25_950]);
  });

  it('the pause starts at the end of the failed attempt', () => {
    expect(attempts(10_000)).toEqual([0, 40, 170, 780, 4_390, 26_000]);
  });
});
