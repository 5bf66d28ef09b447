import { describe, expect, it } from 'vitest';
import { decide, type Rate } from './gcra.ts';

const START_US = 1_772_366_400_000_000;
const PER_MINUTE: Rate = { periodUs: 1_000_000, burst: 60 };

/** Decisions about requests at these times, in microseconds after the start. */
const run = (rate: Rate, moments: readonly number[]): (true | number)[] => {
  let tatUs = 0;
  return moments.map((at) => {
    const result = decide(tatUs, START_US + at, rate);
    if (!result.isAllowed) return result.waitUs;
    tatUs = result.tatUs;
    return true;
  });
};
const at = (us: number, count: number): number[] => Array<number>(count).fill(us);

describe('a bucket', () => {
  it('a bucket allows a burst and then one request per period, to the microsecond', () => {
    const burst = run(PER_MINUTE, at(0, 61));
    expect(burst.slice(0, 60).every((one) => one === true)).toBe(true);
    expect(burst[60]).toBe(1_000_000);
    expect(run(PER_MINUTE, [...at(0, 60), 999_999, 1_000_000, 1_000_001]).slice(60)).toEqual([1, true, 999_999]);
  });

  it('a rejected request takes nothing', () => {
    const polled = run(PER_MINUTE, [...at(0, 60), ...Array.from({ length: 1_000 }, (_, ms) => ms * 1_000), 1_000_000]);
    expect(polled.at(-1)).toBe(true);
  });

  it('no window edge of a bucket lets twice as much pass', () => {
    const rate: Rate = { periodUs: 300_000, burst: 200 };
    const passed = run(rate, [...at(59_900_000, 200), ...at(60_100_000, 200)]).slice(200);
    expect(passed.filter((one) => one === true).length).toBeLessThanOrEqual(1);
  });
});
