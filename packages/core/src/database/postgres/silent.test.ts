import { EventEmitter } from 'node:events';
import type { Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { watchSilence } from './silent.ts';

describe('watchSilence', () => {
  const given = (alive: () => readonly number[] | null | Error) => {
    const pool = new EventEmitter();
    const asked: (readonly number[])[] = [];
    const closed: number[] = [];
    // Safe: only the events of a pool are used.
    const end = watchSilence(pool as unknown as Pool, async (pids) => {
      asked.push(pids);
      const answer = alive();
      if (answer instanceof Error) throw answer;
      return answer && new Set(answer);
    });
    const lend = (pid: number) => {
      const stream = { bytesRead: 0, destroy: () => closed.push(pid) };
      const client = { processID: pid, connection: { stream } };
      pool.emit('acquire', client);
      return { stream, giveBack: () => pool.emit('release', undefined, client) };
    };
    return { pool, asked, closed, lend, end };
  };
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('a silent connection is closed if the server does no work for it, and kept otherwise', async () => {
    const { asked, closed, lend } = given(() => [2]);
    lend(1);
    lend(2);
    await vi.advanceTimersByTimeAsync(3_000);
    expect([asked, closed]).toEqual([[], []]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect([asked, closed]).toEqual([[[1, 2]], [1]]);
  });

  it('a silent connection is kept if it received data or was returned in between', async () => {
    const { asked, closed, lend } = given(() => []);
    const talks = lend(1);
    lend(2).giveBack();
    for (let second = 0; second < 20; second += 1) {
      talks.stream.bytesRead += 1;
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect([asked, closed]).toEqual([[], []]);
  });

  it('a silent connection is kept if it is answered during the check', async () => {
    const mine = { answer: (): void => undefined };
    const { closed, lend } = given(() => {
      mine.answer();
      return [];
    });
    const { stream } = lend(1);
    mine.answer = () => {
      stream.bytesRead += 1;
    };
    await vi.advanceTimersByTimeAsync(5_000);
    expect(closed).toEqual([]);
  });

  it('a silent connection is kept while the server state is unknown, and closed afterwards', async () => {
    const answers = [null, new Error('no route'), []];
    const { closed, lend } = given(() => answers.shift() ?? null);
    lend(1);
    await vi.advanceTimersByTimeAsync(7_000);
    expect(closed).toEqual([]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(closed).toEqual([1]);
  });

  it('a connection is not watched after the pool was closed', async () => {
    const { pool, asked, lend, end } = given(() => []);
    lend(1);
    end();
    await vi.advanceTimersByTimeAsync(20_000);
    expect([asked, pool.eventNames()]).toEqual([[], []]);
  });
});
