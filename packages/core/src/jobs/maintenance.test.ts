import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { maintenance, type Upkeep } from './maintenance.ts';

const MINUTE_MS = 60_000;

describe('upkeep', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  /** One kind of upkeep with that many pieces to do. */
  const kind = (name: string, pieces = 0) => {
    let left = pieces;
    const run = vi.fn<Upkeep['run']>(async () => {
      left -= 1;
      return left > 0;
    });
    return { name, run };
  };
  const log = { warn: vi.fn(), error: vi.fn() };

  it('has one round a minute, however often it is started', async () => {
    const one = kind('one');
    const upkeep = maintenance([one], log);
    upkeep.start();
    upkeep.start();
    await vi.advanceTimersByTimeAsync(MINUTE_MS - 1);
    expect(one.run).not.toHaveBeenCalled();
    for (let round = 1; round <= 3; round += 1) {
      await vi.advanceTimersByTimeAsync(round === 1 ? 1 : MINUTE_MS);
      expect(one.run).toHaveBeenCalledTimes(round);
    }
    await upkeep.stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('has its round a minute after the first of several starts', async () => {
    const one = kind('one');
    const upkeep = maintenance([one], log);
    upkeep.start();
    await vi.advanceTimersByTimeAsync(MINUTE_MS - 1);
    upkeep.start();
    await vi.advanceTimersByTimeAsync(1);
    expect(one.run).toHaveBeenCalledTimes(1);
    await upkeep.stop();
  });

  it('has one timer when it is started again before the round is over that a stop waits for', async () => {
    const gate = Promise.withResolvers<boolean>();
    const slow = vi.fn(() => gate.promise);
    const upkeep = maintenance([{ name: 'slow', run: slow }], log);
    upkeep.start();
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    const stopped = upkeep.stop();
    upkeep.start();
    gate.resolve(false);
    await stopped;
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    expect(slow).toHaveBeenCalledTimes(2);
    await upkeep.stop();
  });

  it('does all pieces of a kind, and a hundred of one that has no end before the next has its turn', async () => {
    const [endless, few] = [kind('endless', Number.POSITIVE_INFINITY), kind('few', 7)];
    await maintenance([endless, few], log).run();
    expect([endless.run.mock.calls.length, few.run.mock.calls.length]).toEqual([100, 7]);
  });

  it('goes on with the next kind when one fails, and with the one that failed in the next round', async () => {
    const [broken, fine] = [kind('broken'), kind('fine')];
    const error = new Error('away');
    broken.run.mockRejectedValueOnce(error);
    const upkeep = maintenance([broken, fine], log);
    upkeep.start();
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    expect(log.error).toHaveBeenCalledExactlyOnceWith({ upkeep: 'broken', error }, 'upkeep failed');
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    expect([broken.run.mock.calls.length, fine.run.mock.calls.length]).toEqual([2, 2]);
    await upkeep.stop();
  });

  it('stops after the piece in hand, and waits for it', async () => {
    const gate = Promise.withResolvers<boolean>();
    const slow = { name: 'slow', run: vi.fn(() => gate.promise) };
    const next = kind('next');
    const upkeep = maintenance([slow, next], log);
    upkeep.start();
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    const ended = vi.fn();
    const stopped = upkeep.stop().then(ended);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    expect(ended).not.toHaveBeenCalled();
    gate.resolve(true);
    await stopped;
    expect([slow.run.mock.calls.length, next.run.mock.calls.length]).toEqual([1, 0]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does what it is asked for by itself after a stop', async () => {
    const one = kind('one', 3);
    const upkeep = maintenance([one], log);
    upkeep.start();
    await upkeep.stop();
    await upkeep.run();
    expect(one.run).toHaveBeenCalledTimes(3);
  });
});
