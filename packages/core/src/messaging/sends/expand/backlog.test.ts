import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { messageBacklog } from './backlog.ts';

const QUEUE = { id: 'messages' } as const;
const never = new AbortController().signal;

type Waiting = { dueInMs: number | null; isOver: boolean; release: () => void };

describe('the message backlog', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A backlog whose next row is due in `dueInMs`, and whether waiting for it has ended. */
  const waiting = (dueInMs: number | null, inHand: number, signal = never) => {
    const state: Waiting = { dueInMs, isOver: false, release: () => undefined };
    // Safe: the fake never reads the table.
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

  it('expansion does not wait while messages are claimed in time or none is due', async () => {
    for (const dueInMs of [null, 5_000, 0, -200]) {
      const state = waiting(dueInMs, 10);
      await vi.advanceTimersByTimeAsync(0);
      expect(state.isOver).toBe(true);
    }
  });

  it('expansion waits while due messages are late, until they are claimed', async () => {
    const state = waiting(-300, 10);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(state.isOver).toBe(false);
    state.dueInMs = -100;
    await vi.advanceTimersByTimeAsync(50);
    expect(state.isOver).toBe(true);
  });

  it('expansion waits only while this process has messages in hand', async () => {
    const idle = waiting(-300, 0);
    const busy = waiting(-300, 1);
    await vi.advanceTimersByTimeAsync(100);
    expect([idle.isOver, busy.isOver]).toEqual([true, false]);
    busy.release();
    await vi.advanceTimersByTimeAsync(50);
    expect(busy.isOver).toBe(true);
  });

  it('a wait ends after five seconds, and at once when its signal aborts', async () => {
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
