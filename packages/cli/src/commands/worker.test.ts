import { describe, expect, it, vi } from 'vitest';
import { cli } from '../testing/cli.ts';

describe('worker', () => {
  it('works until SIGTERM, then stops and exits 0', async () => {
    const { run, io, state } = cli();
    const exit = run('worker');
    await vi.waitFor(() => expect(io.out()).toContain('worker running'));
    io.signal('SIGTERM');
    expect(await exit).toBe(0);
    expect(state.calls).toEqual(['worker start', 'worker stop', 'close']);
    io.remove();
  });

  it('does what is due once with --once', async () => {
    const { run, io, state, envelope } = cli();
    state.due = [3, 2];
    expect(await run('worker', '--once', '--json')).toBe(0);
    expect(envelope()).toEqual({ success: true, data: { handled: 3 } });
    expect(state.calls).toEqual(['drain', 'worker stop', 'close']);
    io.remove();
  });

  it('goes on until nothing is due with --drain', async () => {
    const { run, io, state, envelope } = cli();
    state.due = [3, 2];
    expect(await run('worker', '--drain', '--json')).toBe(0);
    expect(envelope()).toEqual({ success: true, data: { handled: 5 } });
    io.remove();
  });
});
