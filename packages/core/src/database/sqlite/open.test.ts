import fs, { chmodSync, existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { commit, counter, outcomeOf, tagged } from '../../../test/support/database/contract-database.ts';
import { openSample, type Place, sqlitePlace } from '../../../test/support/database/open-sample.ts';
import { runProcess } from '../../../test/support/database/run-process.ts';
import { sampleQueue } from '../../../test/support/database/sample.ts';
import { turnsUntil } from '../../delivery/transports/testing/turns.ts';
import { withDeadline } from '../../foundation/deadline.ts';
import { isUnavailable, timeoutOf } from '../errors.ts';
import type { StorageObserver } from '../observer.ts';
import { openDatabase } from '../open.ts';
import { checkpoints } from './checkpoint.ts';
import { type Connection, openConnection } from './connection.ts';
import { connectionMutex } from './mutex.ts';
import { sqliteStorage } from './open.ts';

let place: Place;
const path = (): string => place.url.slice('sqlite:'.length);
beforeEach(() => {
  place = sqlitePlace();
  return () => place.remove();
});

describe('a SQLite connection', () => {
  const pragmas = (durability: 'full' | 'process'): Record<string, unknown> => {
    const connection = openConnection(path(), durability);
    const read = (name: string): unknown => connection.pragma(name, { simple: true });
    const found = {
      synchronous: read('synchronous'),
      journal_mode: read('journal_mode'),
      foreign_keys: read('foreign_keys'),
      busy_timeout: read('busy_timeout'),
    };
    connection.close();
    return found;
  };

  it('a SQLite connection survives a power loss by default', () => {
    expect(pragmas('full')).toEqual({ synchronous: 2, journal_mode: 'wal', foreign_keys: 1, busy_timeout: 5_000 });
  });

  it('a SQLite connection with process durability survives the death of its process', () => {
    expect(pragmas('process')).toMatchObject({ synchronous: 1, journal_mode: 'wal' });
  });
});

describe('a SQLite file', () => {
  it('transactions of two connections of one process wait for each other on a SQLite file', async () => {
    const [one, other] = [await openSample(place.url), await openSample(place.url)];
    const outcomes = [one, other].map(({ storage, hot }, at) =>
      storage.transaction(async (db) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        await db.insert(hot.insertCounter.table).values(counter(`of ${at}`));
      }),
    );
    await Promise.all([...outcomes, commit(other.storage, tagged(other.hot.insertCounter, counter('beside')))]);
    await Promise.all([one.close(), other.close()]);
  });

  it('a SQLite file counts its own commits and those of another program', async () => {
    const [one, other] = [await openSample(place.url), await openSample(place.url)];
    const before = one.storage.commits();
    await commit(one.storage, tagged(one.hot.insertCounter, counter('a')));
    expect(one.storage.commits()).toBe(before + 1);
    await commit(other.storage, tagged(other.hot.insertCounter, counter('b')));
    expect(one.storage.commits()).toBeGreaterThan(before + 1);
    await Promise.all([one.close(), other.close()]);
  });

  const mode = (suffix = ''): string => (statSync(`${path()}${suffix}`).mode & 0o777).toString(8);

  it('a SQLite file and the files next to it are readable by their owner only', async () => {
    const { storage, hot, close } = await openSample(place.url);
    await commit(storage, tagged(hot.insertCounter, counter('a')));
    expect([mode(), mode('-wal'), mode('-shm')]).toEqual(['600', '600', '600']);
    await close();
  });

  it('a SQLite file that is a symbolic link is rejected and left alone, unless the path is trusted', async () => {
    const target = `${path()}.elsewhere`;
    writeFileSync(target, '');
    chmodSync(target, 0o644);
    symlinkSync(target, path());
    await expect(openDatabase({ url: place.url })).rejects.toMatchObject({ name: 'UnsafeDatabase' });
    expect(statSync(target).mode & 0o777).toBe(0o644);
    const { storage } = await openDatabase({ url: place.url, trustPath: true });
    await storage.close();
    expect(mode()).toBe('600');
  });

  it('a SQLite file with a link in place of its log is rejected', async () => {
    for (const suffix of ['-wal', '-shm', '-journal']) {
      symlinkSync('/nowhere', `${path()}${suffix}`);
      const opened = openDatabase({ url: place.url });
      await expect(opened).rejects.toThrow(`${suffix} is a symbolic link`);
      rmSync(`${path()}${suffix}`);
    }
    const { storage } = await openDatabase({ url: place.url });
    await storage.close();
  });

  it('a SQLite file in a folder that others may write into is rejected, unless the path is trusted', async () => {
    const folder = dirname(path());
    for (const open of [0o777, 0o770, 0o722]) {
      chmodSync(folder, open);
      await expect(openDatabase({ url: place.url })).rejects.toThrow(/chmod go-w/);
    }
    const { storage } = await openDatabase({ url: place.url, trustPath: true });
    await storage.close();
  });

  it('a SQLite file of another user is rejected with a sentence, unless the path is trusted', async () => {
    const given = fs.fchmodSync;
    const change = (to: typeof given): void => {
      fs.fchmodSync = to;
      syncBuiltinESMExports();
    };
    // Only root could create such a file, and root may change its mode.
    change(() => {
      throw Object.assign(new Error('EPERM: operation not permitted, fchmod'), { code: 'EPERM' });
    });
    try {
      const refused = openDatabase({ url: place.url });
      await expect(refused).rejects.toMatchObject({ name: 'UnsafeDatabase' });
      await expect(refused).rejects.toThrow(/belongs to another user.*chown .*trustPath/);
      const { storage } = await openDatabase({ url: place.url, trustPath: true });
      await storage.close();
    } finally {
      change(given);
    }
  });

  it('a SQLite file in a folder with the sticky bit is accepted', async () => {
    chmodSync(dirname(path()), 0o1777);
    const { storage } = await openDatabase({ url: place.url });
    await storage.close();
  });

  it('a SQLite file that others could read is restricted to its owner', async () => {
    writeFileSync(path(), '');
    chmodSync(path(), 0o644);
    const { storage } = await openDatabase({ url: place.url });
    expect(mode()).toBe('600');
    await storage.close();
  });

  it('a file that is no database is rejected and left unchanged', async () => {
    const text = 'not a database, but somebody may still want it '.repeat(50);
    writeFileSync(path(), text);
    await expect(openDatabase({ url: place.url })).rejects.toMatchObject({ code: 'SQLITE_NOTADB' });
    expect(readFileSync(path(), 'utf8')).toBe(text);
  });

  it('a closed SQLite file leaves no log behind', async () => {
    const { storage, hot, close } = await openSample(place.url);
    await commit(storage, tagged(hot.insertCounter, counter('a')));
    await close();
    expect(existsSync(`${path()}-wal`)).toBe(false);
  });

  it('a SQLite file accepts concurrent commits of several processes without loss or rejection', async () => {
    const { storage, hot, tables, close } = await openSample(place.url);
    await commit(storage, tagged(hot.insertCounter, counter('shared')));
    const names = ['first', 'second', 'third'];
    const results = await Promise.all(names.map((name) => runProcess('commit', place.url, '200', name)));
    expect(results).toEqual(names.map(() => ({ committed: 200 })));
    expect(await storage.db.select({ id: tables.counters.id }).from(tables.counters)).toHaveLength(601);
    expect(await storage.select(hot.readCounters, [['shared']])).toMatchObject([{ value: 600 }]);
    await close();
  });
});

describe('SQLite storage', () => {
  it('SQLite storage writes 1,000 plans of one moment in fewer than 100 transactions', async () => {
    let commits = 0;
    const { storage, hot, close } = await openSample(place.url, { observer: { committed: () => (commits += 1) } });
    await Promise.all(
      Array.from({ length: 1_000 }, (_, at) => commit(storage, tagged(hot.insertCounter, counter(String(at))))),
    );
    expect(commits).toBeLessThan(100);
    await close();
  });

  describe('a plan that wakes a queue', () => {
    const job = (id: string) => ({
      ...{ scopeId: 1, id, note: null },
      ...{ dueAt: new Date(0), leaseUntil: null, fence: 0 },
    });
    /** A database whose worker claims when it is woken; returns the claimed rows. */
    const withWorker = async (observer: StorageObserver = {}) => {
      const database = await openSample('sqlite::memory:', { observer });
      const claims: Promise<string[]>[] = [];
      const claim = async (): Promise<string[]> => {
        await Promise.resolve();
        return (await database.storage.claim(sampleQueue(database.tables), 5, 1_000)).map(({ id }) => id);
      };
      database.storage.wake.subscribe(() => claims.push(claim()));
      return { ...database, claimed: () => Promise.all(claims) };
    };

    it('a plan and the claim that it wakes share one transaction', async () => {
      let commits = 0;
      const { storage, hot, claimed, close } = await withWorker({ committed: () => (commits += 1) });
      await storage.commit({ writes: [tagged(hot.insertJob, job('one'))], wakes: ['jobs'] });
      expect(await claimed()).toEqual([['one']]);
      expect(commits).toBe(1);
      await close();
    });

    it('a failed plan leaves nothing to claim', async () => {
      const { storage, hot, claimed, close } = await withWorker();
      await commit(storage, tagged(hot.insertOnce, counter('taken')));
      const writes = [tagged(hot.insertJob, job('one')), tagged(hot.insertOnce, counter('taken'))];
      const { ok } = await storage.commit({ writes, wakes: ['jobs'] });
      expect(ok).toBe(false);
      expect((await claimed()).flat()).toEqual([]);
      await close();
    });
  });

  it("SQLite storage rejects joining a host's transaction and says what to do instead", async () => {
    const { storage, close } = await openSample('sqlite::memory:');
    const client = { query: async () => ({ rows: [] }) };
    await expect(storage.join(client, async () => undefined)).rejects.toThrow(/on SQLite make the call after/);
    await close();
  });

  it('SQLite storage is unavailable while another process locks the file, and keeps nothing of that', async () => {
    const made = await openSample(place.url);
    await made.close();
    const other = openConnection(path(), 'full');
    const connection = openConnection(path(), 'full');
    connection.pragma('busy_timeout = 20');
    const storage = sqliteStorage(connection, connectionMutex(), {});
    const write = (id: string): ReturnType<typeof commit> =>
      commit(storage, tagged(made.hot.insertCounter, counter(id)));
    other.exec('begin immediate');
    const results = await Promise.all([
      outcomeOf(write('a')),
      outcomeOf(write('b')),
      outcomeOf(storage.transaction(async () => undefined)),
    ]);
    for (const result of results) expect('error' in result && isUnavailable(result.error)).toBe(true);
    other.exec('rollback');
    other.close();
    await write('c');
    const { counters } = made.tables;
    expect(await storage.db.select({ id: counters.id }).from(counters)).toEqual([{ id: 'c' }]);
    await storage.close();
  });
});

describe('log copy', () => {
  const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  afterEach(() => void vi.useRealTimers());

  it('an idle log copy on a full disk reports its error, and the next commit starts the next copy', () => {
    vi.useFakeTimers();
    const told: unknown[] = [];
    const pragmas: string[] = [];
    let isFull = true;
    const pragma = (text: string): void => {
      pragmas.push(text);
      if (isFull && text.startsWith('wal_checkpoint')) throw full;
    };
    // Safe: nothing else of a connection is used.
    const connection = { open: true, inTransaction: false, pragma } as unknown as Connection;
    const log = checkpoints(connection, { onError: (error) => told.push(error) });
    log.committed();
    vi.advanceTimersByTime(600);
    expect(told).toMatchObject([{ name: 'StorageError', code: 'SQLITE_FULL' }]);
    isFull = false;
    log.committed();
    vi.advanceTimersByTime(600);
    expect(told).toHaveLength(1);
    expect(pragmas.filter((text) => text.startsWith('wal_checkpoint'))).toHaveLength(2);
    log.stop();
  });

  it('a wait for another process ends at the deadline and delays no caller with more time', async () => {
    const made = await openSample(place.url);
    await made.close();
    const other = openConnection(path(), 'full');
    const connection = openConnection(path(), 'full');
    const storage = sqliteStorage(connection, connectionMutex(), {});
    const write = (id: string): ReturnType<typeof commit> =>
      commit(storage, tagged(made.hot.insertCounter, counter(id)));
    other.exec('begin immediate');
    const single = await outcomeOf(withDeadline(300, () => storage.transaction(async () => undefined)));
    const both = [withDeadline(400, () => write('a')), withDeadline(900, () => write('b'))].map(outcomeOf);
    // One after the other, they would take 1,300.
    expect(await turnsUntil(Promise.all(both))).toBeLessThan(1_200);
    const outcomes = await Promise.all(both);
    for (const one of [single, ...outcomes]) expect('error' in one && timeoutOf(one.error)).toBe('LOCK_TIMEOUT');
    other.exec('rollback');
    other.close();
    await write('c');
    expect(connection.pragma('busy_timeout', { simple: true })).toBe(5_000);
    const { counters } = made.tables;
    expect(await storage.db.select({ id: counters.id }).from(counters)).toEqual([{ id: 'c' }]);
    await storage.close();
  });

  it('every caller whose deadline passes during a wait for another process gets a lock timeout', async () => {
    const made = await openSample(place.url);
    await made.close();
    const other = openConnection(path(), 'full');
    const storage = sqliteStorage(openConnection(path(), 'full'), connectionMutex(), {});
    const write = (id: string): ReturnType<typeof commit> =>
      commit(storage, tagged(made.hot.insertCounter, counter(id)));
    other.exec('begin immediate');
    const first = outcomeOf(withDeadline(700, () => write('a')));
    // The first one waits, so these are past their deadline at their turn.
    await new Promise((resolve) => setImmediate(resolve));
    const behind = [
      outcomeOf(withDeadline(300, () => write('b'))),
      outcomeOf(withDeadline(300, () => storage.transaction(async () => undefined))),
      outcomeOf(withDeadline(300, async () => storage.db.select().from(made.tables.counters))),
    ];
    // The read needs no lock: whether its own deadline passed depends on how long the process was busy.
    const codes = (await Promise.all([first, ...behind.slice(0, 2)])).map((one) =>
      'error' in one ? timeoutOf(one.error) : 'none',
    );
    await Promise.all(behind);
    other.exec('rollback');
    other.close();
    expect(codes).toEqual(['LOCK_TIMEOUT', 'LOCK_TIMEOUT', 'LOCK_TIMEOUT']);
    await storage.close();
  });
});
