import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { virtualClock } from '../foundation/clock.ts';
import { databaseClock, skewInWords } from './database-clock.ts';

const START = '2026-03-01T12:00:00.000Z';

describe('databaseClock', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const open = async () => {
    const [host, database] = [virtualClock(START), virtualClock(START)];
    let monotonic = 0;
    const now = vi.fn(async () => database.now());
    const log = { warn: vi.fn(), info: vi.fn() };
    const clock = await databaseClock({ now }, log, { host, monotonicMs: () => monotonic });
    return {
      ...{ host, database, now, log, clock },
      pass: async (ms: number) => {
        for (let passed = 0; passed < ms; passed += 1_000) {
          monotonic += 1_000;
          host.advance(1_000);
          database.advance(1_000);
          await vi.advanceTimersByTimeAsync(1_000);
        }
      },
    };
  };

  it('the database clock runs one statement every 10 s, not one per use', async () => {
    const { now, clock, pass } = await open();
    const before = now.mock.calls.length;
    for (let use = 0; use < 1_000; use += 1) clock.now();
    expect(now).toHaveBeenCalledTimes(before);
    await pass(30_000);
    expect(now).toHaveBeenCalledTimes(before + 3);
    await clock.close();
    await pass(30_000);
    expect(now).toHaveBeenCalledTimes(before + 3);
  });

  it("the database clock ignores the host's clock and logs a skew once, and its end once", async () => {
    const { host, clock, log, database, pass } = await open();
    host.advance(7_200_000);
    expect(clock.now()).toEqual(database.now());
    expect(clock.hostAheadMs()).toBe(7_200_000);
    await pass(20_000);
    expect(log.warn.mock.calls).toEqual([
      [{ aheadMs: 7_200_000 }, "this host's clock is 2.0 h ahead of the database's; the database's time is used"],
    ]);
    host.advance(-7_200_000);
    await pass(20_000);
    expect(log.info).toHaveBeenCalledTimes(1);
    expect(log.warn).toHaveBeenCalledTimes(1);
    await clock.close();
  });

  it("the database clock follows the database within 10 s, and at once if the host's clock was set too", async () => {
    const { host, clock, database, pass } = await open();
    database.advance(3_600_000);
    await pass(10_000);
    expect(clock.now()).toEqual(database.now());
    for (const one of [host, database]) one.advance(-3_600_000);
    await pass(1_000);
    expect(clock.now()).toEqual(database.now());
    await clock.close();
  });

  it('the database clock keeps running while the database does not answer', async () => {
    const { now, clock, database, pass } = await open();
    now.mockRejectedValue(new Error('away'));
    await pass(60_000);
    expect(clock.now()).toEqual(database.now());
    now.mockImplementation(async () => database.now());
    await clock.close();
  });
});

describe('skewInWords', () => {
  it.each([
    [-119_949, '119.9 s behind'],
    [119_950, '2.0 min ahead of'],
    [7_196_999, '119.9 min ahead of'],
    [-7_199_900, '2.0 h behind'],
  ])('a skew of %d ms is written in a readable unit', (ms, words) => {
    expect(skewInWords(ms)).toBe(words);
  });
});
