import { statSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { commit, counter, tagged } from '../../../test/support/database/contract-database.ts';
import { openSample, sqlitePlace } from '../../../test/support/database/open-sample.ts';
import { checkpoints } from './checkpoint.ts';
import { type Connection, openConnection } from './connection.ts';
import { connectionMutex } from './mutex.ts';
import { sqliteStorage } from './open.ts';

describe('threaded log copy', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** A log of 5,000 pages with a given number left after each copy of the thread. */
  const given = (...left: readonly (number | Error)[]) => {
    const copies: string[] = [];
    const told: unknown[] = [];
    let now = 5_000;
    const pragma = (text: string): void => {
      if (text.startsWith('wal_checkpoint')) copies.push('here');
    };
    const prepare = () => ({ raw: () => ({ get: () => [0, 5_000, 5_000 - now] }) });
    // Safe: nothing else of a connection is used.
    const connection = { open: true, inTransaction: false, pragma, prepare } as unknown as Connection;
    const aside = async (): Promise<void> => {
      const next = left[copies.length] ?? now;
      copies.push('aside');
      if (next instanceof Error) throw next;
      now = next;
    };
    const log = checkpoints(connection, { onError: (error) => told.push(error), copyInThread: aside });
    const commitAfter = async (ms: number): Promise<readonly string[]> => {
      await vi.advanceTimersByTimeAsync(ms);
      log.committed();
      await vi.advanceTimersByTimeAsync(1);
      return copies;
    };
    return { log, told, commitAfter };
  };

  it('the writer copies the last pages of a log once they are few', async () => {
    const { log, told, commitAfter } = given(2_000, 600, 100);
    expect(await commitAfter(10)).toEqual(['aside', 'aside', 'aside', 'here']);
    expect(told).toEqual([]);
    log.stop();
  });

  it('a log with an active reader is retried after a second', async () => {
    const { log, commitAfter } = given();
    expect(await commitAfter(10)).toEqual(['aside']);
    expect(await commitAfter(400)).toHaveLength(1);
    expect(await commitAfter(400)).toHaveLength(1);
    expect(await commitAfter(400)).toEqual(['aside', 'aside']);
    log.stop();
  });

  it('a copy thread on a full disk reports its error, and the log is copied later', async () => {
    const full = new Error('database or disk is full');
    const { log, told, commitAfter } = given(full, 100);
    expect(await commitAfter(10)).toEqual(['aside']);
    expect(told).toEqual([full]);
    expect(await commitAfter(400)).toHaveLength(1);
    expect(await commitAfter(400)).toHaveLength(1);
    expect(await commitAfter(400)).toEqual(['aside', 'aside', 'here']);
    log.stop();
  });
});

describe('scrubbing during a log copy', () => {
  it('scrubbing waits for a running copy, so that no deleted data stays in the log', async () => {
    const place = sqlitePlace();
    const path = place.url.slice('sqlite:'.length);
    const made = await openSample(place.url);
    await made.close();
    const connection = openConnection(path, 'process');
    const copying = Promise.withResolvers<void>();
    let asked = 0;
    const copyLog = (): Promise<void> => {
      asked += 1;
      return copying.promise;
    };
    const storage = sqliteStorage(connection, connectionMutex(), {
      readers: { copyLog, read: async () => [], close: async () => undefined },
    });
    connection.exec('create table big as select zeroblob(17000000) as bytes');
    await commit(storage, tagged(made.hot.insertCounter, counter('a')));
    expect(asked).toBe(1);
    let isOver = false;
    const scrubbed = storage.scrub().then(() => {
      isOver = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect([isOver, statSync(`${path}-wal`).size > 0]).toEqual([false, true]);
    copying.resolve();
    await scrubbed;
    expect(statSync(`${path}-wal`).size).toBe(0);
    await storage.close();
    await place.remove();
  });
});
