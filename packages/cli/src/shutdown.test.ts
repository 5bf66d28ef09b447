import { describe, expect, it } from 'vitest';
import { fakeIo } from '../test/support/fake-io.ts';
import { drainLimitMs, listenForSignals } from './shutdown.ts';

describe('hearSignals', () => {
  it('the first signal requests a shutdown', async () => {
    const io = fakeIo();
    const shutdown = listenForSignals(io, 20_000);
    io.signal('SIGTERM');
    await expect(shutdown.requested).resolves.toBe('SIGTERM');
    expect(io.exits).toEqual([]);
    io.remove();
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('a second signal %s ends the process at once', (second, code) => {
    const io = fakeIo();
    listenForSignals(io, 20_000);
    io.signal('SIGTERM');
    io.pass(100);
    io.signal(second);
    expect(io.exits).toEqual([code]);
    io.remove();
  });

  it('the same signal within 100 ms is ignored', () => {
    const io = fakeIo();
    listenForSignals(io, 20_000);
    io.signal('SIGINT');
    io.pass(99);
    io.signal('SIGINT');
    expect(io.exits).toEqual([]);
    io.remove();
  });

  it('the process exits 143 if draining takes too long', async () => {
    const io = fakeIo();
    const drain = Promise.withResolvers<void>();
    const finished = listenForSignals(io, 20_000).finish(() => drain.promise);
    io.pass(19_999);
    expect(io.exits).toEqual([]);
    io.pass(1);
    expect(io.exits).toEqual([143]);
    drain.resolve();
    await finished;
    io.remove();
  });

  it('the time limit starts with the signal, not with draining', async () => {
    const io = fakeIo();
    const drain = Promise.withResolvers<void>();
    const shutdown = listenForSignals(io, 20_000);
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
  ])('with a time limit of %i ms, running work may take %i ms', (timeoutMs, limitMs) => {
    expect(drainLimitMs(timeoutMs)).toBe(limitMs);
  });

  it('a process that drained in time is not ended', async () => {
    const io = fakeIo();
    await listenForSignals(io, 20_000).finish(async () => undefined);
    io.pass(60_000);
    expect(io.exits).toEqual([]);
    io.remove();
  });

  it('signals are ignored after dispose', () => {
    const io = fakeIo();
    const shutdown = listenForSignals(io, 20_000);
    shutdown.dispose();
    io.signal('SIGTERM');
    io.pass(100);
    io.signal('SIGTERM');
    expect(io.exits).toEqual([]);
    io.remove();
  });
});
