import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { dueRun } from '../../test/support/jobs/due-run.ts';
import { rowId, rowName } from '../../test/support/row-ids.ts';
import { testScope } from '../../test/support/scopes.ts';
import type { RunStatus } from '../automation/runs/schema.ts';
import { runStatements } from '../automation/runs/statements.ts';
import type { RunRow } from '../automation/runs/store.ts';
import { write } from '../database/commit/write-set.ts';
import { StorageError } from '../database/errors.ts';
import { bulkUpdate } from '../database/statements/bulk.ts';
import { claimable } from '../database/statements/claim.ts';
import { virtualClock } from '../foundation/clock.ts';
import { LEASE_MS, MAX_THROWS, type Registration } from './registration.ts';
import { queue, worker } from './worker.ts';

const start = new Date('2026-03-01T10:00:00.000Z');
const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });

describe('worker', () => {
  let database: TestDatabase;
  let clock: ReturnType<typeof virtualClock>;
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  beforeEach(async () => {
    clock = virtualClock(start);
    database = await openTestDatabase({ clock });
  });
  afterEach(() => database.close());

  const add = async (ids: readonly string[]) => {
    const hot = runStatements(database.tables);
    const writes = ids.map((name) => write(hot.start, dueRun(scope, name, start)));
    await database.storage.commit({ writes, wakes: ['runs'] });
  };

  const registration = (change: Partial<Registration<RunRow, string>> = {}) => {
    const end = bulkUpdate('test.end', database.tables.runs, {
      where: ['scopeId', 'id'],
      set: { status: 'value', dueAt: 'null', leaseUntil: 'null' },
      rank: 0,
    });
    const finish = async (ids: readonly string[], status: RunStatus = 'completed') => {
      await database.storage.commit({ writes: ids.map((id) => write(end, { ...scope, id, status })) });
    };
    return {
      name: 'runs',
      claim: claimable('runs', database.tables.runs),
      maxInHand: 64,
      process: async (rows, done) => {
        for (const row of rows) done(row, row.id);
      },
      commit: (ids) => finish(ids),
      // Proof of the cast: the test's own reason takes the place of a status.
      deadLetter: (row, reason) => finish([row.id], reason as RunStatus),
      ...change,
    } satisfies Registration<RunRow, string>;
  };
  const make = (work: Registration<RunRow, string>, pollMs = 1_000) =>
    worker([queue({ storage: database.storage, log, pollMs }, work)]);
  const statuses = async () =>
    Object.fromEntries(
      (await database.storage.db.select().from(database.tables.runs)).map((row) => [rowName(row.id), row.status]),
    );

  it('a worker drains due work and leaves the rest', async () => {
    await add(['a', 'b']);
    clock.advance(-1);
    expect(await make(registration()).drain()).toBe(0);
    clock.advance(1);
    expect(await make(registration()).drain()).toBe(2);
    expect(await statuses()).toEqual({ a: 'completed', b: 'completed' });
  });

  it('a commit that makes work due wakes the worker', async () => {
    const completed = async () => Object.values(await statuses()).filter((status) => status === 'completed').length;
    await add(['first']);
    const one = make(registration(), 60_000);
    one.start();
    await vi.waitFor(async () => expect(await completed()).toBe(1));
    // PostgreSQL begins to listen at some time: one of several commits wakes the worker, long before it would poll.
    let commits = 0;
    await vi.waitFor(
      async () => {
        commits += 1;
        await add([`later${commits}`]);
        expect(await completed()).toBeGreaterThan(1);
      },
      { interval: 100 },
    );
    await one.stop();
  });

  it('a worker claims when work is due, not whenever a row has ended', async () => {
    let claims = 0;
    const counting = await openTestDatabase({
      clock,
      observer: {
        statement: (id) => {
          claims += id === 'runs.claim' ? 1 : 0;
        },
      },
    });
    await database.close();
    database = counting;
    await add(Array.from({ length: 20 }, (_, at) => `${at}`));
    const finished: number[] = [];
    const work = registration();
    const one = make(
      {
        ...work,
        process: async (rows, done) => {
          for (const [at, row] of rows.entries()) {
            done(row, row.id);
            await vi.waitFor(() => expect(finished).toHaveLength(at + 1), { interval: 1 });
          }
        },
        commit: async (ids) => {
          await work.commit(ids);
          finished.push(ids.length);
        },
      },
      60_000,
    );
    one.start();
    await vi.waitFor(() => expect(finished).toHaveLength(20));
    await one.stop();
    expect(claims).toBeLessThanOrEqual(2);
  });

  it('a worker dead-letters the row that always throws, and no other of its batch', async () => {
    await add(['a', 'bad', 'c']);
    const work = registration({
      process: async (rows, done) => {
        if (rows.some(({ id }) => id === rowId('bad'))) throw new Error('poison');
        for (const row of rows) done(row, row.id);
      },
    });
    const one = make(work);
    for (let round = 0; round < MAX_THROWS; round += 1) {
      await one.drain();
      expect(await statuses()).toEqual({
        a: 'completed',
        bad: round === MAX_THROWS - 1 ? 'threw' : 'running',
        c: 'completed',
      });
      clock.advance(60_000);
    }
    expect(await one.drain()).toBe(0);
  });

  it('a worker takes the work of a dead worker as soon as the lease has run out', async () => {
    await add(['a']);
    const { storage, tables } = database;
    await storage.claim(claimable('runs', tables.runs), 1, LEASE_MS);
    clock.advance(LEASE_MS - 1);
    expect(await make(registration()).drain()).toBe(0);
    clock.advance(1);
    expect(await make(registration()).drain()).toBe(1);
  });

  it('a worker finishes other rows while one row hangs', async () => {
    await add(['a', 'hangs', 'c']);
    const work = registration({
      process: async (rows, done, { signal }) => {
        for (const row of rows) if (row.id !== rowId('hangs')) done(row, row.id);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        for (const row of rows) if (row.id === rowId('hangs')) done(row, row.id);
      },
    });
    const one = make(work);
    one.start();
    await vi.waitFor(async () =>
      expect(await statuses()).toEqual({ a: 'completed', hangs: 'running', c: 'completed' }),
    );
    await one.stop({ timeoutMs: 10 });
  });

  it('a worker processes nothing twice after the database was unavailable for longer than a lease', async () => {
    await add(['a']);
    const { storage } = database;
    const away = new StorageError('57P03');
    let isAway = false;
    let claims = 0;
    const handled: string[] = [];
    const flaky: typeof storage = {
      ...storage,
      claim: async (...given) => {
        if (isAway) throw away;
        const rows = await storage.claim(...given);
        claims += 1;
        return rows;
      },
      renew: async (...given) => {
        if (isAway) throw away;
        return storage.renew(...given);
      },
    };
    const ready = registration();
    const work = registration({
      process: async (rows, done) => {
        isAway = true;
        clock.advance(LEASE_MS + 1);
        for (const row of rows) {
          handled.push(row.id);
          done(row, row.id);
        }
      },
      // The worker's claims reach the database again before its outcomes do.
      commit: async (ids) => {
        if (isAway || claims < 2) throw away;
        await ready.commit(ids);
      },
    });
    const one = worker([queue({ storage: flaky, log, pollMs: 10 }, work)]);
    one.start();
    await vi.waitFor(() => expect(log.error).toHaveBeenCalledWith(expect.anything(), 'claiming failed'));
    isAway = false;
    await vi.waitFor(async () => expect(await statuses()).toEqual({ a: 'completed' }));
    expect(handled).toEqual([rowId('a')]);
    await one.stop();
  });

  /** Work that hangs until released, and records its rows. */
  const hanging = (change: Partial<Registration<RunRow, string>> = {}) => {
    const gate = Promise.withResolvers<void>();
    const taken: string[] = [];
    const signals: AbortSignal[] = [];
    const work = registration({
      process: async (rows, done, { signal }) => {
        for (const { id } of rows) taken.push(rowName(id));
        signals.push(signal);
        await gate.promise;
        for (const row of rows) done(row, row.id);
      },
      ...change,
    });
    return { work, taken, signals, letGo: gate.resolve };
  };
  /** Waits long enough to show that something does not happen. */
  const pause = () => new Promise((resolve) => setTimeout(resolve, 50));

  it('a stopping worker waits for work in hand until its outcome is written', async () => {
    await add(['a']);
    const written = Promise.withResolvers<void>();
    const ready = registration();
    const { work, taken, signals, letGo } = hanging({
      commit: async (ids) => {
        await written.promise;
        await ready.commit(ids);
      },
    });
    const one = make(work);
    one.start();
    await vi.waitFor(() => expect(taken).toEqual(['a']));
    const ended = vi.fn();
    const stopped = one.stop().then(ended);
    await pause();
    expect([ended.mock.calls.length, signals[0]?.aborted]).toEqual([0, false]);
    letGo();
    await pause();
    expect(ended).not.toHaveBeenCalled();
    written.resolve();
    await stopped;
    expect(await statuses()).toEqual({ a: 'completed' });
  });

  it('a stopping worker aborts work in hand at the end of its time limit', async () => {
    await add(['a']);
    const { work, signals } = hanging();
    const one = make(work);
    one.start();
    await vi.waitFor(() => expect(signals).toHaveLength(1));
    await one.stop({ timeoutMs: 1 });
    expect(signals[0]?.aborted).toBe(true);
  });

  it('a stopping worker claims nothing more', async () => {
    await add(['a']);
    const { work, taken, letGo } = hanging();
    const one = make(work);
    one.start();
    await vi.waitFor(() => expect(taken).toEqual(['a']));
    const stopped = one.stop();
    await add(['b']);
    letGo();
    await stopped;
    await pause();
    expect(await statuses()).toEqual({ a: 'completed', b: 'running' });
  });

  it('a worker has no more rows in hand than allowed', async () => {
    await add(['a', 'b', 'c']);
    const { work, taken, letGo } = hanging({ maxInHand: 2 });
    const drained = make(work).drain();
    await vi.waitFor(() => expect(taken).toEqual(['a', 'b']));
    letGo();
    expect(await drained).toBe(3);
  });

  it('a worker runs one loop, however often it is started', async () => {
    let claims = 0;
    const { storage } = database;
    const counting: typeof storage = {
      ...storage,
      claim: (...given) => {
        claims += 1;
        return storage.claim(...given);
      },
    };
    const one = worker([queue({ storage: counting, log, pollMs: 60_000 }, registration())]);
    one.start();
    one.start();
    await vi.waitFor(() => expect(claims).toBeGreaterThan(0));
    await pause();
    expect(claims).toBe(1);
    await one.stop();
  });

  describe('with long work', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
    afterEach(() => void vi.useRealTimers());

    const leaseOf = async (id: string) =>
      (await database.storage.db.select().from(database.tables.runs)).find((row) => row.id === id)?.leaseUntil;
    /** Advances both clocks by ten seconds; a renewed lease lasts thirty more. */
    const pass = async (id: string) => {
      clock.advance(10_000);
      await vi.advanceTimersByTimeAsync(10_000);
      const kept = new Date(clock.now().getTime() + 30_000);
      await vi.waitFor(async () => expect(await leaseOf(id)).toEqual(kept));
    };
    const others = () => database.storage.claim(claimable('runs', database.tables.runs), 10, LEASE_MS);

    it('a worker renews the lease of long work, also while it stops', async () => {
      await add(['a']);
      const { work, taken, letGo } = hanging();
      const one = make(work);
      one.start();
      await vi.waitFor(() => expect(taken).toEqual(['a']));
      for (let at = 0; at < 4; at += 1) await pass(rowId('a'));
      expect(await others()).toEqual([]);
      const stopped = one.stop({ timeoutMs: 60_000 });
      for (let at = 0; at < 4; at += 1) await pass(rowId('a'));
      expect(await others()).toEqual([]);
      letGo();
      await stopped;
      expect(await statuses()).toEqual({ a: 'completed' });
      expect(vi.getTimerCount()).toBe(0);
    });

    it('a worker drops a row that another worker has, and takes the next one instead', async () => {
      await add(['a']);
      const { work, taken } = hanging({ maxInHand: 1 });
      const one = make(work, 20);
      one.start();
      await vi.waitFor(() => expect(taken).toEqual(['a']));
      clock.advance(LEASE_MS);
      expect(await others()).toMatchObject([{ id: rowId('a') }]);
      await add(['b']);
      await pause();
      expect(taken).toEqual(['a']);
      await vi.advanceTimersByTimeAsync(10_000);
      await vi.waitFor(() => expect(taken).toEqual(['a', 'b']));
      await one.stop({ timeoutMs: 1 });
      expect((await leaseOf(rowId('a')))?.getTime()).toBe(clock.now().getTime() + LEASE_MS);
    });
  });

  it('a worker ends the lease of work that it could not finish before it stopped', async () => {
    await add(['a']);
    const one = make(registration({ process: () => new Promise(() => undefined) }));
    one.start();
    const { storage, tables } = database;
    const lease = async () => (await storage.db.select().from(tables.runs))[0]?.leaseUntil?.getTime();
    await vi.waitFor(async () => expect(await lease()).toBe(start.getTime() + LEASE_MS));
    await one.stop({ timeoutMs: 1 });
    expect(await lease()).toBe(start.getTime());
    expect(await make(registration()).drain()).toBe(1);
  });

  it('work after a stop has its full time again, by a start or a drain', async () => {
    const aborted: boolean[] = [];
    const one = make(
      registration({
        process: async (rows, done, { signal }) => {
          aborted.push(signal.aborted);
          for (const row of rows) done(row, row.id);
        },
      }),
    );
    one.start();
    await one.stop();
    await add(['a']);
    one.start();
    await vi.waitFor(async () => expect(await statuses()).toEqual({ a: 'completed' }));
    await one.stop();
    await add(['b']);
    expect([await one.drain(), ...aborted]).toEqual([1, false, false]);
  });
});
