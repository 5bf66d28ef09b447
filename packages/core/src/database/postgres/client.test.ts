import { EventEmitter } from 'node:events';
import type { Pool, PoolClient } from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { outcomeOf } from '../../../test/support/database/contract-database.ts';
import { commitError, isOutcomeUnknown, StorageError, timeoutOf } from '../errors.ts';
import { withClient } from './client.ts';
import { type Timed, timed } from './deadlines.ts';

const never = new Promise<never>(() => undefined);

describe('pool connections', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  /** A pool of one connection that answers everything except statements that match a pattern. */
  const given = (silentAt = /^$/) => {
    const released: unknown[] = [];
    const client = Object.assign(new EventEmitter(), {
      query: async (text: string) => (silentAt.test(text) ? never : { rows: [], command: text }),
      release: (error: unknown) => released.push(error),
    });
    // Safe: nothing else of a pool and of a connection is used.
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

  it('a connection is closed if its server does not report that a deadline passed', async () => {
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

  it('a connection is closed later if it does not answer a commit, whose outcome is then unknown', async () => {
    const { released, lend } = given(/commit/);
    const outcome = lend((limited) => limited.begin('begin').then(limited.commit));
    expect(await later(2_900, outcome)).toBe('open');
    const ended = await later(200, outcome);
    const error = typeof ended === 'object' && 'error' in ended ? commitError(ended.error) : ended;
    expect(isOutcomeUnknown(error)).toBe(true);
    expect(released).toEqual([expect.any(StorageError)]);
  });

  it('a connection runs statements in order, also if the limits of the deadline are sent first', async () => {
    for (const pipeline of [true, false]) {
      const asked: unknown[] = [];
      const query = async (text: unknown) => {
        asked.push(text);
        return { rows: [] };
      };
      // Safe: nothing else of a connection is used.
      const client = { pipeline, query } as unknown as PoolClient;
      const limited = timed({ client, discard: () => undefined }, performance.now() + 1_000);
      await limited.begin('begin');
      await vi.advanceTimersByTimeAsync(300);
      const first = limited.query('first');
      if (!pipeline) await first;
      await Promise.all([first, limited.query('second')]);
      expect(asked.slice(1)).toEqual([expect.stringMatching(/^set local lock_timeout/), 'first', 'second']);
    }
  });

  it('a connection that does not answer a rollback is closed without a wait', async () => {
    const { released, lend } = given(/rollback/);
    const outcome = lend(async () => {
      throw new Error('mine');
    });
    expect(await later(900, outcome)).toBe('open');
    expect(await later(200, outcome)).toMatchObject({ error: { message: 'mine' } });
    expect(released).toEqual([expect.any(StorageError)]);
  });

  it('a connection is closed if its server accepts no writes, and reused after any other error', async () => {
    const { released, lend } = given();
    for (const code of ['25006', '23505']) {
      await lend(async () => {
        throw new StorageError(code);
      });
    }
    expect(released).toEqual([expect.any(StorageError), undefined]);
  });
});
