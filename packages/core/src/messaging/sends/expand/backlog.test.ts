import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { messageBacklog } from './backlog.ts';

const QUEUE = { id: 'messages' } as const;
const never = new AbortController().signal;

type Waiting = { dueInMs: number | null; isOver: boolean; release: () => void };

describe('the backlog of messages', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A queue whose next row is due in so many milliseconds, and whether waiting for it has ended. */
  const waiting = (dueInMs: number | null, inHand: number, signal = never) => {
    const state: Waiting = { dueInMs, isOver: false, release: () => undefined };
    // Safe: the fake never looks at the table.
    const backlog = messageBacklog({ nextDueInMs: async () => state.dueInMs }, QUEUE as never);
    void backlog.during(
      inHand,
      () =>
        new Promise<void>((resolve) => {
          state.release = resolve;
        }),
    );
    void backlog.cleared(signal).then(() => {
      state.isOver = true;
    });
    return state;
  };

  it('keeps nobody waiting while messages are claimed in time, or none is due', async () => {
    for (const dueInMs of [null, 5_000, 0, -200]) {
      const state = waiting(dueInMs, 10);
      await vi.advanceTimersByTimeAsync(0);
      expect(state.isOver).toBe(true);
    }
  });

  it('keeps waiting while messages are due for longer, until they are claimed', async () => {
    const state = waiting(-300, 10);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(state.isOver).toBe(false);
    state.dueInMs = -100;
    await vi.advanceTimersByTimeAsync(50);
    expect(state.isOver).toBe(true);
  });

  it('keeps nobody waiting where nothing is in hand, and no longer than until then', async () => {
    const idle = waiting(-300, 0);
    const busy = waiting(-300, 1);
    await vi.advanceTimersByTimeAsync(100);
    expect([idle.isOver, busy.isOver]).toEqual([true, false]);
    busy.release();
    await vi.advanceTimersByTimeAsync(50);
    expect(busy.isOver).toBe(true);
  });

  it('ends the wait after five seconds, and at once for whoever is told to stop', async () => {
    const long = waiting(-300, 10);
    const stopping = new AbortController();
    const stopped = waiting(-300, 10, stopping.signal);
    stopping.abort();
    await vi.advanceTimersByTimeAsync(50);
    expect([long.isOver, stopped.isOver]).toEqual([false, true]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(long.isOver).toBe(true);
  });
});
