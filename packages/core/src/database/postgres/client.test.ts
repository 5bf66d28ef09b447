import { EventEmitter } from 'node:events';
import type { Pool, PoolClient } from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { outcomeOf } from '../../../test/support/database/given.ts';
import { commitError, isOutcomeUnknown, StorageError, timeoutOf } from '../errors.ts';
import { withClient } from './client.ts';
import { type Timed, timed } from './in-time.ts';

const never = new Promise<never>(() => undefined);

describe('a connection of a pool', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  /** A pool of one connection that answers everything but what a pattern says. */
  const given = (silentAt = /^$/) => {
    const released: unknown[] = [];
    const client = Object.assign(new EventEmitter(), {
      query: async (text: string) => (silentAt.test(text) ? never : { rows: [], command: text }),
      release: (error: unknown) => released.push(error),
    });
    // Safe: nothing else of a pool and of a connection is used here.
    const pool = { connect: async () => client as unknown as PoolClient } as unknown as Pool;
    const lend = <T>(work: (limited: Timed) => Promise<T>): ReturnType<typeof outcomeOf<T>> => {
      const untilMs = performance.now() + 1_000;
      return outcomeOf(withClient(pool, (_, lent) => work(timed(lent, untilMs)), untilMs));
    };
    return { released, lend };
  };
  const later = async <T>(ms: number, call: Promise<T>): Promise<T | 'open'> => {
    await vi.advanceTimersByTimeAsync(ms);
    return Promise.race([call, Promise.resolve('open' as const)]);
  };
  const timeoutIn = (outcome: unknown): unknown =>
    typeof outcome === 'object' && outcome && 'error' in outcome ? timeoutOf(outcome.error) : outcome;

  it('is given up where its server does not even say that a deadline has passed', async () => {
    for (const [silentAt, ask] of [
      [/^begin/, (limited: Timed) => limited.begin('begin')],
      [/^update/, (limited: Timed) => limited.begin('begin').then(() => limited.query('update'))],
    ] as const) {
      const { released, lend } = given(silentAt);
      const outcome = lend(ask);
      expect(await later(1_400, outcome)).toBe('open');
      expect(timeoutIn(await later(200, outcome))).toBe('DEADLINE_EXCEEDED');
      expect(released).toEqual([expect.any(StorageError)]);
    }
  });

  it('is given up later where it does not answer a commit, of which nobody knows then whether it was done', async () => {
    const { released, lend } = given(/commit/);
    const outcome = lend((limited) => limited.begin('begin').then(limited.commit));
    expect(await later(2_900, outcome)).toBe('open');
    const ended = await later(200, outcome);
    const error = typeof ended === 'object' && 'error' in ended ? commitError(ended.error) : ended;
    expect(isOutcomeUnknown(error)).toBe(true);
    expect(released).toEqual([expect.any(StorageError)]);
  });

  it('takes statements in the order in which they are asked, also where the server is told first how little time is left', async () => {
    for (const pipeline of [true, false]) {
      const asked: unknown[] = [];
      const query = async (text: unknown) => {
        asked.push(text);
        return { rows: [] };
      };
      // Safe: nothing else of a connection is used here.
      const client = { pipeline, query } as unknown as PoolClient;
      const limited = timed({ client, giveUp: () => undefined }, performance.now() + 1_000);
      await limited.begin('begin');
      await vi.advanceTimersByTimeAsync(300);
      const first = limited.query('first');
      if (!pipeline) await first;
      await Promise.all([first, limited.query('second')]);
      expect(asked.slice(1)).toEqual([expect.stringMatching(/^set local lock_timeout/), 'first', 'second']);
    }
  });

  it('is closed where it does not answer a rollback, for which nobody waits', async () => {
    const { released, lend } = given(/rollback/);
    const outcome = lend(async () => {
      throw new Error('mine');
    });
    expect(await later(900, outcome)).toBe('open');
    expect(await later(200, outcome)).toMatchObject({ error: { message: 'mine' } });
    expect(released).toEqual([expect.any(StorageError)]);
  });

  it('is closed where its server takes no writes, and lent again after any other refusal', async () => {
    const { released, lend } = given();
    for (const code of ['25006', '23505']) {
      await lend(async () => {
        throw new StorageError(code);
      });
    }
    expect(released).toEqual([expect.any(StorageError), undefined]);
  });
});
