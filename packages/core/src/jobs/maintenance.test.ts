import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type MaintenanceTask, maintenance } from './maintenance.ts';

const MINUTE_MS = 60_000;

describe('maintenance', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  /** One kind of maintenance with that many pieces. */
  const kind = (name: string, pieces = 0) => {
    let left = pieces;
    const run = vi.fn<MaintenanceTask['run']>(async () => {
      left -= 1;
      return left > 0;
    });
    return { name, run };
  };
  const log = { warn: vi.fn(), error: vi.fn() };

  it('maintenance runs one round a minute, however often it is started', async () => {
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

  it('maintenance runs its round a minute after the first of several starts', async () => {
    const one = kind('one');
    const upkeep = maintenance([one], log);
    upkeep.start();
    await vi.advanceTimersByTimeAsync(MINUTE_MS - 1);
    upkeep.start();
    await vi.advanceTimersByTimeAsync(1);
    expect(one.run).toHaveBeenCalledTimes(1);
    await upkeep.stop();
  });

  it('maintenance has one timer if it is started again before a stopped round has ended', async () => {
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

  it('maintenance does all pieces of a kind, and at most a hundred before the next kind', async () => {
    const [endless, few] = [kind('endless', Number.POSITIVE_INFINITY), kind('few', 7)];
    await maintenance([endless, few], log).run();
    expect([endless.run.mock.calls.length, few.run.mock.calls.length]).toEqual([100, 7]);
  });

  it('maintenance continues with the next kind if one fails, which is tried again in the next round', async () => {
    const [broken, fine] = [kind('broken'), kind('fine')];
    const error = new Error('away');
    broken.run.mockRejectedValueOnce(error);
    const upkeep = maintenance([broken, fine], log);
    upkeep.start();
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    expect(log.error).toHaveBeenCalledExactlyOnceWith({ task: 'broken', error }, 'a maintenance task failed');
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    expect([broken.run.mock.calls.length, fine.run.mock.calls.length]).toEqual([2, 2]);
    await upkeep.stop();
  });

  it('stopping maintenance waits for the current piece and starts no other', async () => {
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

  it('maintenance can be run directly after a stop', async () => {
    const one = kind('one', 3);
    const upkeep = maintenance([one], log);
    upkeep.start();
    await upkeep.stop();
    await upkeep.run();
    expect(one.run).toHaveBeenCalledTimes(3);
  });
});
