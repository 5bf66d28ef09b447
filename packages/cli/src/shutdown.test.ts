import { describe, expect, it } from 'vitest';
import { fakeIo } from '../test/support/fake-io.ts';
import { drainLimitMs, hearSignals } from './shutdown.ts';

describe('hearSignals', () => {
  it('asks to drain on the first signal', async () => {
    const io = fakeIo();
    const shutdown = hearSignals(io, 20_000);
    io.signal('SIGTERM');
    await expect(shutdown.requested).resolves.toBe('SIGTERM');
    expect(io.exits).toEqual([]);
    io.remove();
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('ends at once when a second signal is %s', (second, code) => {
    const io = fakeIo();
    hearSignals(io, 20_000);
    io.signal('SIGTERM');
    io.pass(100);
    io.signal(second);
    expect(io.exits).toEqual([code]);
    io.remove();
  });

  it('takes the same signal within 100 ms for the same key press', () => {
    const io = fakeIo();
    hearSignals(io, 20_000);
    io.signal('SIGINT');
    io.pass(99);
    io.signal('SIGINT');
    expect(io.exits).toEqual([]);
    io.remove();
  });

  it('ends with 143 when draining takes too long', async () => {
    const io = fakeIo();
    const drain = Promise.withResolvers<void>();
    const finished = hearSignals(io, 20_000).finish(() => drain.promise);
    io.pass(19_999);
    expect(io.exits).toEqual([]);
    io.pass(1);
    expect(io.exits).toEqual([143]);
    drain.resolve();
    await finished;
    io.remove();
  });

  it('counts the time limit from the signal, not from the moment at which draining begins', async () => {
    const io = fakeIo();
    const drain = Promise.withResolvers<void>();
    const shutdown = hearSignals(io, 20_000);
    io.signal('SIGTERM');
    io.pass(5_000);
    const limits: number[] = [];
    const finished = shutdown.finish((limitMs) => {
      limits.push(limitMs);
      return drain.promise;
    });
    expect(limits).toEqual([12_000]);
    io.pass(14_999);
    expect(io.exits).toEqual([]);
    io.pass(1);
    expect(io.exits).toEqual([143]);
    drain.resolve();
    await finished;
    io.remove();
  });

  it.each([
    [20_000, 17_000],
    [6_000, 3_000],
    [4_000, 2_000],
    [100, 50],
    [0, 0],
  ])('lets work finish for less than the %i ms after which the process ends: %i ms', (timeoutMs, limitMs) => {
    expect(drainLimitMs(timeoutMs)).toBe(limitMs);
  });

  it('does not end a process that drained in time', async () => {
    const io = fakeIo();
    await hearSignals(io, 20_000).finish(async () => undefined);
    io.pass(60_000);
    expect(io.exits).toEqual([]);
    io.remove();
  });

  it('hears nothing once disposed', () => {
    const io = fakeIo();
    const shutdown = hearSignals(io, 20_000);
    shutdown.dispose();
    io.signal('SIGTERM');
    io.pass(100);
    io.signal('SIGTERM');
    expect(io.exits).toEqual([]);
    io.remove();
  });
});
