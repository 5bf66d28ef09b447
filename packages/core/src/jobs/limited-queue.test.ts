import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { processContext } from '../../test/support/jobs/process-context.ts';
import type { LeaseKey } from '../database/statements/claim.ts';
import { virtualClock } from '../foundation/clock.ts';
import type { CallLimiter } from './concurrency/calls/limiter.ts';
import { type LimitedJob, type LimitedQueueOptions, limitedQueue } from './limited-queue.ts';
import { MAX_CLAIM } from './registration.ts';

type Job = LimitedJob<LeaseKey, string>;
type Options = LimitedQueueOptions<LeaseKey, string, string, Job, Job>;

const NOW = new Date('2026-03-01T10:00:00.000Z');
const rowsOf = (count: number, from = 0): LeaseKey[] =>
  Array.from({ length: count }, (_, at) => ({ scopeId: 1, id: `${from + at}`, fence: 1 }));
const turn = async (): Promise<void> => {
  for (let at = 0; at < 6; at += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** A queue of two concurrent calls per target. Calls last until the test calls `end`. */
const opened = (over: Partial<Options> = {}) => {
  const limiters = new Map<string, CallLimiter<Job, Job>>();
  const begun: string[] = [];
  const calls = new Map<string, () => void>();
  const reported: string[] = [];
  const givenBack: string[] = [];
  const dueAt: Date[] = [];
  const stop = new AbortController();
  const calling = limitedQueue<LeaseKey, string, string, Job, Job>({
    clock: virtualClock(NOW),
    maxInHand: 1_000,
    limiters,
    limitsOf: () => ({ capacity: { now: () => 2, most: 2 }, isAhead: false }),
    prepare: async (_, jobs) => jobs,
    begin: async (target, jobs, free) => {
      for (const { row, batch } of jobs) {
        begun.push(`${target}/${row.id}`);
        calls.set(row.id, () => {
          batch.end(row, `called ${target}`);
          free(5);
        });
      }
    },
    putOff: (jobs, moments) => {
      dueAt.push(...moments);
      for (const { row, batch } of jobs) batch.end(row, 'put off');
    },
    giveBackReady: (_, jobs) => {
      for (const { row, batch } of jobs) batch.giveBack(row);
    },
    ...over,
  });
  const process = (groups: Readonly<Record<string, readonly LeaseKey[]>>): Promise<void> =>
    calling.process(
      Object.entries(groups).map(([target, rows]) => ({ target, rows, jobOf: (row, batch) => ({ row, batch }) })),
      (row, outcome) => reported.push(`${row.id} ${outcome}`),
      processContext({
        draining: stop.signal,
        giveBack: (rows) => givenBack.push(...rows.map(({ id }) => id)),
      }),
    );
  const end = async (...ids: readonly string[]): Promise<void> => {
    for (const id of ids) calls.get(id)?.();
    await turn();
  };
  return { calling, limiters, begun, reported, givenBack, dueAt, stop, process, end };
};

describe('limitedQueue', () => {
  it('a limited queue calls each target within its own capacity, and a slow target delays no other', async () => {
    const { begun, reported, process, end } = opened();
    const done = process({ a: rowsOf(3), b: rowsOf(1, 10) });
    await turn();
    expect(begun).toEqual(['a/0', 'a/1', 'b/10']);
    await end('10');
    expect(reported).toEqual(['10 called b']);
    await end('0');
    expect(begun.at(-1)).toBe('a/2');
    await end('1', '2');
    await done;
    expect(reported).toHaveLength(4);
  });

  it('a limited queue keeps the limiter of a target from one batch to the next', async () => {
    const { begun, limiters, process, end } = opened();
    const first = process({ a: rowsOf(2) });
    const second = process({ a: rowsOf(1, 5) });
    await turn();
    expect([begun, limiters.size]).toEqual([['a/0', 'a/1'], 1]);
    await end('0', '1');
    await end('5');
    await Promise.all([first, second]);
  });

  it('a limited queue defers rows that do not fit, each to a later time', async () => {
    const { reported, dueAt, process } = opened();
    void process({ a: rowsOf(100) });
    await turn();
    expect(reported).toEqual(rowsOf(34, 66).map(({ id }) => `${id} put off`));
    expect(dueAt).toHaveLength(34);
    expect(dueAt.every((at) => at > NOW)).toBe(true);
  });

  it('a limited queue leaves a whole claim of its rows in hand to other targets', async () => {
    const { begun, reported, process } = opened({ maxInHand: MAX_CLAIM + 6 });
    void process({ a: rowsOf(100) });
    await turn();
    // Two thirds of the six that are not reserved.
    expect(reported).toHaveLength(96);
    void process({ b: rowsOf(1, 200) });
    await turn();
    expect(begun).toContain('b/200');
  });

  it('a batch with a failed row throws once all of its rows have ended', async () => {
    const { process, end } = opened({
      prepare: async (_, jobs) => {
        const [first, ...others] = jobs;
        if (first?.row.id !== '0') return jobs;
        first.batch.fail(first.row, new Error('no connection'));
        return others;
      },
    });
    let isOver = false;
    const done = process({ a: rowsOf(2) }).finally(() => {
      isOver = true;
    });
    await turn();
    expect(isOver).toBe(false);
    const failed = expect(done).rejects.toThrow('no connection');
    await end('1');
    await failed;
  });

  it('rows that cannot be deferred fail, and rows that fit are called', async () => {
    const { reported, process, end } = opened({ putOff: () => Promise.reject(new Error('database away')) });
    const failed = expect(process({ a: rowsOf(67) })).rejects.toThrow('database away');
    for (let at = 0; at < 66; at += 1) {
      await turn();
      await end(`${at}`);
    }
    await failed;
    expect(reported).toHaveLength(66);
  });

  it('a refused target is not called', async () => {
    const { begun, reported, process } = opened({
      refuse: (target, jobs) => {
        if (target !== 'a') return null;
        for (const { row, batch } of jobs) batch.end(row, 'refused');
        return Promise.resolve();
      },
    });
    void process({ a: rowsOf(2), b: rowsOf(1, 10) });
    await turn();
    expect([begun, reported]).toEqual([['b/10'], ['0 refused', '1 refused']]);
  });

  it('all rows of a refused target fail if the refusal cannot be written', async () => {
    const { begun, process } = opened({ refuse: () => Promise.reject(new Error('database away')) });
    await expect(process({ a: rowsOf(2) })).rejects.toThrow('database away');
    expect(begun).toEqual([]);
  });

  describe('when the worker stops', () => {
    it('a stopping worker gives back queued and prepared rows and lets calls end', async () => {
      const { reported, givenBack, stop, process, end } = opened();
      const done = process({ a: rowsOf(4) });
      await turn();
      stop.abort();
      expect(givenBack).toEqual(['2', '3']);
      await end('0', '1');
      await done;
      expect(reported).toEqual(['0 called a', '1 called a']);
    });

    it('a stopping worker gives back prepared jobs through its caller', async () => {
      let now = 2;
      const returned: string[] = [];
      const { stop, process, end } = opened({
        limitsOf: () => ({ capacity: { now: () => now, most: 2 }, isAhead: false }),
        prepare: async (_, jobs) => {
          // The prepared jobs find less capacity than when they were prepared.
          now = 1;
          return jobs;
        },
        giveBackReady: (target, jobs) => {
          for (const { row, batch } of jobs) {
            returned.push(`${target}/${row.id}`);
            batch.giveBack(row);
          }
        },
      });
      const done = process({ a: rowsOf(2) });
      await turn();
      stop.abort();
      expect(returned).toEqual(['a/1']);
      await end('0');
      await done;
    });

    it('a stopping worker gives back everything that it receives afterwards', async () => {
      const { begun, givenBack, stop, process } = opened();
      stop.abort();
      await process({ a: rowsOf(2) });
      expect([begun, givenBack]).toEqual([[], ['0', '1']]);
    });
  });

  describe('with several owners', () => {
    // The throttle uses monotonic time, which stands still here.
    beforeEach(() => void vi.spyOn(performance, 'now').mockReturnValue(1_000));
    afterEach(() => vi.restoreAllMocks());

    /** A queue of 400 concurrent calls after two full claims of which 16 rows did not fit. */
    const crowded = async (over: Partial<Options> = { hasOtherOwnersDue: async () => false }) => {
      const queue = opened({
        limitsOf: () => ({ capacity: { now: () => 400, most: 400 }, isAhead: false }),
        ...over,
      });
      for (const from of [0, MAX_CLAIM]) {
        expect(queue.calling.claimLimit(MAX_CLAIM)).toBe(MAX_CLAIM);
        queue.calling.claimed(Array.from({ length: MAX_CLAIM }, () => 'a'));
        void queue.process({ a: rowsOf(MAX_CLAIM, from) });
      }
      await turn();
      expect([queue.dueAt.length, queue.begun.length]).toEqual([16, 400]);
      return queue;
    };
    const ids = (count: number): string[] => rowsOf(count).map(({ id }) => id);

    it('a queue with a full limiter claims as many rows as ended', async () => {
      const { calling, end } = await crowded();
      expect(calling.claimLimit(MAX_CLAIM)).toBe(0);
      await end(...ids(330));
      expect(calling.claimLimit(MAX_CLAIM)).toBe(74);
    });

    it('a queue counts rows that it gave back as ended', async () => {
      const { calling, end, stop, givenBack } = await crowded();
      stop.abort();
      expect(givenBack).toHaveLength(96);
      await end(...ids(330 - 96));
      expect(calling.claimLimit(MAX_CLAIM)).toBe(74);
    });

    it('a queue without a check for other owners always claims everything', async () => {
      const { calling } = await crowded({});
      expect(calling.claimLimit(MAX_CLAIM)).toBe(MAX_CLAIM);
    });
  });
});
