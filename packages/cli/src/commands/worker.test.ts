import { describe, expect, it, vi } from 'vitest';
import { cli } from '../../test/support/cli.ts';

describe('worker', () => {
  it('worker runs until SIGTERM, then stops and exits 0', async () => {
    const { run, io, state } = cli();
    const exit = run('worker');
    await vi.waitFor(() => expect(io.out()).toContain('worker running'));
    io.signal('SIGTERM');
    expect(await exit).toBe(0);
    expect(state.calls).toEqual(['worker start', 'worker stop', 'close']);
    io.remove();
  });

  it('`worker --once` runs due work once', async () => {
    const { run, io, state, envelope } = cli();
    state.due = [3, 2];
    expect(await run('worker', '--once', '--json')).toBe(0);
    expect(envelope()).toEqual({ success: true, data: { handled: 3 } });
    expect(state.calls).toEqual(['drain', 'worker stop', 'close']);
    io.remove();
  });

  it('worker aborts work 3 s before the time limit', async () => {
    const { run, io, state } = cli();
    const exit = run('worker');
    await vi.waitFor(() => expect(io.out()).toContain('worker running'));
    io.signal('SIGTERM');
    expect([await exit, state.limitsMs]).toEqual([0, [17_000]]);
    io.remove();
  });

  it.each(['--once', '--drain'])(
    'stops the worker on a signal during %s, and exits 0 with what was handled',
    async (flag) => {
      const { run, io, state, envelope } = cli();
      const stopping = Promise.withResolvers<void>();
      state.stopping = stopping.promise;
      state.due = [3, 2, 7];
      state.draining = async () => {
        if (state.due.length > 1) return;
        io.signal('SIGTERM');
        await vi.waitFor(() => expect(state.limitsMs).toEqual([17_000]));
      };
      if (flag === '--once') state.due = [2, 7];
      const exit = run('worker', flag, '--json');
      await vi.waitFor(() => expect(state.limitsMs.length).toBeGreaterThan(0));
      stopping.resolve();
      expect(await exit).toBe(0);
      expect(envelope()).toEqual({ success: true, data: { handled: flag === '--once' ? 2 : 5 } });
      expect(state.due).toEqual([7]);
      io.remove();
    },
  );

  it('`worker --drain` runs until nothing is due', async () => {
    const { run, io, state, envelope } = cli();
    state.due = [3, 2];
    expect(await run('worker', '--drain', '--json')).toBe(0);
    expect(envelope()).toEqual({ success: true, data: { handled: 5 } });
    io.remove();
  });
});
