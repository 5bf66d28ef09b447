import { describe, expect, it, vi } from 'vitest';
import { virtualClock } from '../../foundation/clock.ts';
import type { CallBucket } from './api.ts';
import { callLimits } from './calls.ts';
import { allowance, exchange, type SyncBuckets } from './exchange.ts';
import { decideUpTo } from './gcra.ts';

/** What a process may have taken without a sync: one allowance while it syncs the other. */
const ALLOWANCES = 2;

const BUCKET: CallBucket = { key: 'b', periodUs: 300_000, burst: 200 };
const INGEST: CallBucket = { key: 'i', periodUs: 1_000, burst: 5_000 };

/** Shared rows as the database stores them, and processes that use them. */
const shared = () => {
  const clock = virtualClock('2026-03-01T12:00:00.000Z');
  const rows = new Map<string, number>();
  const told: string[] = [];
  const state = { isDown: false };
  const swap: SyncBuckets = async (tellings) => {
    await Promise.resolve();
    if (state.isDown) throw new Error('out of reach');
    const nowUs = clock.now().getTime() * 1_000;
    return tellings.map(({ key, unsynced, requested, ...rate }) => {
      told.push(key);
      const base = Math.max(rows.get(key) ?? 0, nowUs) + unsynced * rate.periodUs;
      const { count, tatUs } = decideUpTo(base, nowUs, rate, requested);
      rows.set(key, count > 0 ? tatUs : base);
      return { key, granted: count, backlogUs: Math.max((rows.get(key) ?? 0) - nowUs, 0) };
    });
  };
  const process = () =>
    callLimits({ clock, rateOfOrg: async () => undefined, shared: (nowUs) => exchange({ sync: swap, nowUs }) });
  return { clock, told, state, process };
};

const passes = async (calls: ReturnType<ReturnType<typeof shared>['process']>, bucket: CallBucket, cost = 1) => {
  try {
    await calls.take(bucket, cost);
    return true;
  } catch {
    return false;
  }
};
const count = (results: readonly boolean[]): number => results.filter(Boolean).length;

describe('shared buckets', () => {
  it('processes together exceed the limit at most by their unsynced allowances', async () => {
    const { process } = shared();
    const processes = [process(), process(), process(), process()];
    const all = processes.flatMap((one) => Array.from({ length: 300 }, () => passes(one, BUCKET)));
    const passed = count(await Promise.all(all));
    expect(passed).toBeGreaterThanOrEqual(200);
    expect(passed).toBeLessThanOrEqual(200 + 3 * ALLOWANCES * allowance(BUCKET));
    for (const one of processes) one.close();
  });

  it('a single process can take a whole burst', async () => {
    const { process } = shared();
    const [here, there] = [process(), process()];
    expect(count(await Promise.all(Array.from({ length: 201 }, () => passes(here, BUCKET))))).toBe(200);
    here.close();
    there.close();
  });

  it('a batch is taken from all processes or not at all', async () => {
    const { process } = shared();
    const processes = [process(), process(), process()];
    const asked = processes.flatMap((one) => [passes(one, INGEST, 2_000), passes(one, INGEST, 2_000)]);
    expect(count(await Promise.all(asked))).toBe(2);
    // Cost granted for a batch that did not fit is available to others.
    expect(await passes(processes[1] ?? process(), INGEST, 1_000)).toBe(true);
    for (const one of processes) one.close();
  });

  it('a process does not sync for cost within the allowance, or for rarely used buckets', async () => {
    vi.useFakeTimers();
    try {
      const { process, told } = shared();
      const here = process();
      for (let at = 0; at < allowance(INGEST); at += 1) expect(here.take(INGEST)).toBeUndefined();
      expect(here.take({ ...BUCKET, key: 'seldom' })).toBeUndefined();
      expect(told).toEqual([]);
      await vi.advanceTimersByTimeAsync(100);
      expect(told).toEqual(['i']);
      here.close();
    } finally {
      vi.useRealTimers();
    }
  });

  it('a process knows what others took after a tenth of a second', async () => {
    vi.useFakeTimers();
    try {
      const { process } = shared();
      const [here, there] = [process(), process()];
      for (let at = 0; at < 4; at += 1) await here.take(BUCKET);
      for (let at = 0; at < 4; at += 1) await there.take(BUCKET);
      await vi.advanceTimersByTimeAsync(200);
      for (let at = 0; at < 3; at += 1) await here.take(BUCKET);
      await vi.advanceTimersByTimeAsync(200);
      expect([here.left(BUCKET), there.left(BUCKET)]).toEqual([189, 192]);
      here.close();
      there.close();
    } finally {
      vi.useRealTimers();
    }
  });

  it('processes continue alone while the database is out of reach, and sync when it is back', async () => {
    const { process, state } = shared();
    const [here, there] = [process(), process()];
    state.isDown = true;
    expect(count(await Promise.all(Array.from({ length: 250 }, () => passes(here, BUCKET))))).toBe(200);
    state.isDown = false;
    here.giveBack(BUCKET);
    expect(await passes(here, BUCKET)).toBe(true);
    expect(count(await Promise.all(Array.from({ length: 50 }, () => passes(there, BUCKET))))).toBeLessThanOrEqual(
      ALLOWANCES * allowance(BUCKET),
    );
    here.close();
    there.close();
  });

  it('cost taken during a failed sync is synced later', async () => {
    vi.useFakeTimers();
    try {
      const { process, state } = shared();
      const [here, there] = [process(), process()];
      state.isDown = true;
      for (let at = 0; at < 4; at += 1) await here.take(BUCKET);
      await vi.advanceTimersByTimeAsync(100);
      state.isDown = false;
      const asked = [here, there, there, there, there, there].map((one) => passes(one, BUCKET));
      await vi.advanceTimersByTimeAsync(10);
      expect(count(await Promise.all(asked))).toBe(6);
      expect(Math.min(here.left(BUCKET), there.left(BUCKET))).toBe(190);
      here.close();
      there.close();
    } finally {
      vi.useRealTimers();
    }
  });

  it('closing releases every waiting call', async () => {
    const { process } = shared();
    const here = process();
    const asked = Array.from({ length: 50 }, () => passes(here, BUCKET));
    here.close();
    expect(count(await Promise.all(asked))).toBe(50);
  });
});
