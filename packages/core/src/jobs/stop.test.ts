import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LeaseKey } from '../database/statements/claim.ts';
import type { Storage } from '../database/storage.ts';
import { nextTurn } from '../foundation/contained.ts';
import type { Registration } from './registration.ts';
import { RENEW_MS } from './registration.ts';
import { queue, worker } from './worker.ts';

const LIMIT_MS = 17_000;
/** How long a stop may take after its limit. Source: api, WorkerApi. */
const AFTER_LIMIT_MS = 2_000;
const numbered = (count: number): (LeaseKey & { fence: number })[] =>
  Array.from({ length: count }, (_, at) => ({ scopeId: 1, id: `r${at}`, fence: 1 }));

describe('stopping a queue', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }));
  afterEach(() => void vi.useRealTimers());
  const turns = async (): Promise<void> => {
    for (let at = 0; at < 20; at += 1) await nextTurn();
  };

  /** A queue of due rows on a database that answers at once. */
  const open = ({
    work = {},
    storage = {},
    rows = numbered(3),
  }: {
    work?: Partial<Registration<LeaseKey, string>>;
    storage?: Partial<Storage>;
    rows?: (LeaseKey & { fence: number })[];
  } = {}) => {
    const due = [...rows];
    const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
    const renewals: [string[], number][] = [];
    const woken: string[] = [];
    const renew: Storage['renew'] = async (_, leases, ms) => {
      renewals.push([leases.map(({ id }) => id), ms]);
      return [...leases];
    };
    const signals: AbortSignal[] = [];
    const handled: string[] = [];
    const registration: Registration<LeaseKey, string> = {
      name: 'rows',
      // Safe: the queue passes it to the storage below.
      claim: { id: 'rows' } as Registration<LeaseKey, string>['claim'],
      maxInHand: 64,
      process: (given, _, { signal }) => {
        signals.push(signal);
        handled.push(...given.map(({ id }) => id));
        return new Promise(() => undefined);
      },
      commit: async () => undefined,
      deadLetter: async () => undefined,
      ...work,
    };
    const used: Partial<Storage> = {
      claim: async (_: unknown, limit: number) => due.splice(0, limit) as never,
      nextDueInMs: async () => (due.length > 0 ? 0 : null),
      renew,
      wake: { signal: (topics) => void woken.push(...topics), subscribe: () => () => undefined },
      ...storage,
    };
    // Safe: a queue uses nothing else of its storage.
    const one = worker([queue({ storage: used as Storage, log, pollMs: 1_000 }, registration)]);
    /** Stops it and returns when it ended, in milliseconds after the start. */
    const stop = async () => {
      const began = Date.now();
      let endedMs: number | undefined;
      const stopped = one.stop({ timeoutMs: LIMIT_MS }).then(() => {
        endedMs = now;
      });
      let now = 0;
      /** Advances time in small steps. */
      const pass = async (ms: number): Promise<void> => {
        for (const until = now + ms; now < until; ) {
          const bit = Math.min(50, until - now);
          now += bit;
          await vi.advanceTimersByTimeAsync(bit);
          await nextTurn();
        }
      };
      await turns();
      return { began, stopped, pass, ended: () => endedMs };
    };
    return { one, log, renewals, woken, signals, handled, stop, due };
  };

  it('a stop ends at its limit and ends the leases although a handler hangs and ignores its signal', async () => {
    const { one, renewals, signals, log, stop } = open();
    one.start();
    await turns();
    const { pass, ended } = await stop();
    await pass(LIMIT_MS - 50);
    expect([ended(), signals[0]?.aborted]).toEqual([undefined, false]);
    await pass(50);
    expect(signals[0]?.aborted).toBe(true);
    await pass(AFTER_LIMIT_MS);
    expect(ended()).toBeLessThanOrEqual(LIMIT_MS + AFTER_LIMIT_MS);
    expect(renewals.at(-1)).toEqual([['r0', 'r1', 'r2'], 0]);
    expect(log.warn.mock.calls).toEqual([[{ work: 'rows', rows: 3 }, expect.stringContaining('cut off')]]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    ['its claim', { claim: () => new Promise<never>(() => undefined) }],
    ['the end of its leases', { renew: () => new Promise<never>(() => undefined) }],
  ])('a stop ends soon after its limit although the database hangs in %s', async (_, storage) => {
    const { one, stop } = open({ storage });
    one.start();
    await turns();
    const { pass, ended } = await stop();
    await pass(LIMIT_MS + AFTER_LIMIT_MS);
    expect(ended()).toBeLessThanOrEqual(LIMIT_MS + AFTER_LIMIT_MS);
  });

  it('a stop keeps the leases of hanging provider calls', async () => {
    const { one, renewals, log, stop } = open({ work: { callsProviders: true } });
    one.start();
    await turns();
    const { pass, ended } = await stop();
    await pass(LIMIT_MS + AFTER_LIMIT_MS);
    expect(ended()).toBeDefined();
    expect(renewals.filter(([, ms]) => ms === 0)).toEqual([]);
    expect(log.warn.mock.calls).toEqual([[{ work: 'rows', rows: 3 }, expect.stringContaining('run out')]]);
  });

  it('rows of a claim that was running when the stop began are given back', async () => {
    const claimed = Promise.withResolvers<void>();
    const rows = numbered(2);
    const { one, handled, renewals, woken, stop } = open({
      storage: { claim: () => claimed.promise.then(() => rows.splice(0) as never) },
    });
    one.start();
    await turns();
    const { stopped, ended } = await stop();
    expect(ended()).toBeUndefined();
    claimed.resolve();
    await stopped;
    expect([handled, renewals, woken]).toEqual([[], [[['r0', 'r1'], 0]], ['rows']]);
  });

  it('long work that ends at its next safe point is given back at once, and no throw is counted', async () => {
    const { one, renewals, log, stop } = open({
      work: {
        process: async (_, __, { draining }) => {
          await new Promise((resolve) => draining.addEventListener('abort', resolve));
          draining.throwIfAborted();
        },
      },
    });
    one.start();
    await turns();
    const { stopped, ended } = await stop();
    await stopped;
    expect(ended()).toBe(0);
    expect(renewals).toEqual([[['r0', 'r1', 'r2'], 0]]);
    expect([log.info.mock.calls.length, log.error.mock.calls]).toEqual([1, []]);
  });

  it('leases are ended after a running renewal, which would skip them', async () => {
    const renewed = Promise.withResolvers<void>();
    const order: number[] = [];
    const { one, stop } = open({
      work: {
        process: async (rows, _, { draining, giveBack }) => {
          await new Promise((resolve) => draining.addEventListener('abort', resolve));
          giveBack(rows);
        },
      },
      storage: {
        renew: async (_, leases, ms) => {
          if (ms > 0) await renewed.promise;
          order.push(ms);
          return [...leases];
        },
      },
    });
    one.start();
    await turns();
    await vi.advanceTimersByTimeAsync(RENEW_MS);
    const { stopped } = await stop();
    expect(order).toEqual([]);
    renewed.resolve();
    await stopped;
    expect(order).toEqual([30_000, 0]);
  });

  it('a stop ends a drain, also if its handler hangs', async () => {
    const { one, stop, due } = open({ work: { maxInHand: 2 } });
    let handled: number | undefined;
    void one.drain().then((rows) => {
      handled = rows;
    });
    await turns();
    const { pass } = await stop();
    expect(handled).toBeUndefined();
    await pass(LIMIT_MS + AFTER_LIMIT_MS);
    expect([handled, due.length]).toEqual([2, 1]);
  });
});
