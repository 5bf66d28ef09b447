import { EventEmitter } from 'node:events';
import type { Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { watchSilence } from './silent.ts';

describe('a connection that is lent and silent', () => {
  const given = (alive: () => readonly number[] | null | Error) => {
    const pool = new EventEmitter();
    const asked: (readonly number[])[] = [];
    const closed: number[] = [];
    // Safe: a pool is listened to and nothing else.
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

  it('is closed where the server is at nothing for it, and left alone where it is', async () => {
    const { asked, closed, lend } = given(() => [2]);
    lend(1);
    lend(2);
    await vi.advanceTimersByTimeAsync(3_000);
    expect([asked, closed]).toEqual([[], []]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect([asked, closed]).toEqual([[[1, 2]], [1]]);
  });

  it('is left alone where it said something, or was given back, in between', async () => {
    const { asked, closed, lend } = given(() => []);
    const talks = lend(1);
    lend(2).giveBack();
    for (let second = 0; second < 20; second += 1) {
      talks.stream.bytesRead += 1;
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect([asked, closed]).toEqual([[], []]);
  });

  it('is left alone where it is answered while the server is asked', async () => {
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

  it('is left alone while nobody can tell, and closed once somebody can', async () => {
    const answers = [null, new Error('no route'), []];
    const { closed, lend } = given(() => answers.shift() ?? null);
    lend(1);
    await vi.advanceTimersByTimeAsync(7_000);
    expect(closed).toEqual([]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(closed).toEqual([1]);
  });

  it('is watched no more once the pool is closed', async () => {
    const { pool, asked, lend, end } = given(() => []);
    lend(1);
    end();
    await vi.advanceTimersByTimeAsync(20_000);
    expect([asked, pool.eventNames()]).toEqual([[], []]);
  });
});
