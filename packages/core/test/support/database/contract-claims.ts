import { describe, expect, it } from 'vitest';
import type { Claimed, LeaseKey } from '../../../src/database/statements/claim.ts';
import type { Storage } from '../../../src/database/storage.ts';
import { virtualClock } from '../../../src/foundation/clock.ts';
import { type ContractDatabase, commit, type OpenContractDatabase, tagged } from './contract-database.ts';
import { briefQueue, SAMPLE_LEASE_MS, type SampleTables, sampleErrands, sampleQueue } from './sample.ts';

type Job = SampleTables['jobs']['$inferSelect'];

const NOW = new Date('2026-03-01T12:00:00.000Z');
const LEASE_MS = 30_000;
const inMs = (ms: number): Date => new Date(NOW.getTime() + ms);
const job = (id: string, more: Partial<Job> = {}): Job => ({
  scopeId: 1,
  id,
  note: null,
  dueAt: NOW,
  leaseUntil: null,
  fence: 0,
  ...more,
});
const insert = ({ storage, hot }: ContractDatabase, jobs: readonly Job[]): Promise<unknown> =>
  commit(storage, ...jobs.map((row) => tagged(hot.insertJob, row)));
const many = (count: number): Job[] => Array.from({ length: count }, (_, at) => job(String(at).padStart(4, '0')));
const ids = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id).sort();
const read = async ({ storage, hot }: ContractDatabase, id: string): Promise<Job | undefined> =>
  (await storage.select(hot.readJobs, [[1, id]]))[0];

/** Claims everything that is due, in batches of `limit`, as one worker does. */
const drain = async (storage: Storage, database: ContractDatabase, limit: number): Promise<Claimed<Job>[][]> => {
  const batches: Claimed<Job>[][] = [];
  for (;;) {
    const batch = await storage.claim(sampleQueue(database.tables), limit, LEASE_MS);
    if (batch.length === 0) return batches;
    batches.push(batch);
  }
};

/** Leases and fences: a row has one worker at a time, and a worker that lost its lease learns so when finishing. */
export const claimsContract = (openContract: OpenContractDatabase): void => {
  describe('claims', () => {
    it('8 claimers on separate connections get 40 distinct rows of 40, never more than the limit at once', async () => {
      const database = await openContract();
      await insert(database, many(40));
      const workers = await database.connect(8);
      const batches = (await Promise.all(workers.map((storage) => drain(storage, database, 5)))).flat();
      expect(Math.max(...batches.map((batch) => batch.length))).toBeLessThanOrEqual(5);
      const rows = batches.flat();
      expect(rows).toHaveLength(40);
      expect(new Set(ids(rows)).size).toBe(40);
    });

    it('a claim takes the earliest rows first and leaves what is beyond the limit, not due or never due', async () => {
      const database = await openContract({ clock: virtualClock(NOW) });
      const queue = sampleQueue(database.tables);
      await insert(database, [
        job('a third', { dueAt: inMs(-1) }),
        job('first', { dueAt: inMs(-3) }),
        job('second', { dueAt: inMs(-2) }),
        job('later', { dueAt: inMs(1) }),
        job('never', { dueAt: null }),
      ]);
      expect(ids(await database.storage.claim(queue, 2, LEASE_MS))).toEqual(['first', 'second']);
      expect(ids(await database.storage.claim(queue, 2, LEASE_MS))).toEqual(['a third']);
      expect(await database.storage.claim(queue, 2, LEASE_MS)).toEqual([]);
    });

    it('a claim with a limit of 0 takes nothing', async () => {
      const database = await openContract();
      await insert(database, [job('one')]);
      for (const limit of [0, -1])
        expect(await database.storage.claim(sampleQueue(database.tables), limit, LEASE_MS)).toEqual([]);
    });

    it('a claim returns the whole row with its new lease and fence, which are stored', async () => {
      const database = await openContract({ clock: virtualClock(NOW) });
      await insert(database, [job('one', { note: 'n', fence: 7 })]);
      const leased = job('one', { note: 'n', fence: 8, leaseUntil: inMs(LEASE_MS), dueAt: inMs(LEASE_MS) });
      expect(await database.storage.claim(sampleQueue(database.tables), 5, LEASE_MS)).toStrictEqual([leased]);
      expect(await read(database, 'one')).toStrictEqual(leased);
    });

    it('a claim leaves out the columns that the workers of a queue do not read', async () => {
      const database = await openContract({ clock: virtualClock(NOW) });
      await insert(database, [job('one', { note: 'n' })]);
      const rows = await database.storage.claim(briefQueue(database.tables), 5, LEASE_MS);
      expect(rows).toStrictEqual([{ scopeId: 1, id: 'one', leaseUntil: inMs(LEASE_MS), fence: 1 }]);
    });

    it('a claim leaves a leased row alone until its lease has expired', async () => {
      const clock = virtualClock(NOW);
      const database = await openContract({ clock });
      const queue = sampleQueue(database.tables);
      await insert(database, [job('one')]);
      await database.storage.claim(queue, 5, LEASE_MS);
      clock.advance(LEASE_MS - 1);
      expect(await database.storage.claim(queue, 5, LEASE_MS)).toEqual([]);
      clock.advance(1);
      expect(await database.storage.claim(queue, 5, LEASE_MS)).toMatchObject([{ id: 'one', fence: 2 }]);
    });

    it("claims use the database's own clock without an injected one", async () => {
      const database = await openContract();
      const queue = sampleQueue(database.tables);
      const now = await database.storage.now();
      await insert(database, [
        job('due', { dueAt: new Date(now.getTime() - 1) }),
        job('later', { dueAt: new Date(now.getTime() + 60_000) }),
      ]);
      expect(ids(await database.storage.claim(queue, 5, 40))).toEqual(['due']);
      expect(await database.storage.claim(queue, 5, 40)).toEqual([]);
      await new Promise((resolve) => setTimeout(resolve, 60));
      expect(ids(await database.storage.claim(queue, 5, 40))).toEqual(['due']);
    });

    it.each([1, 21])(
      'claims leave %i rows that were created with a lease alone until it has expired',
      async (count) => {
        const clock = virtualClock(NOW);
        const database = await openContract({ clock });
        const queue = sampleQueue(database.tables);
        const { hot, storage } = database;
        await insert(database, [job('there')]);
        const names = many(count).map(({ id }) => id);
        const leased = [...names, 'there'].map((id) =>
          tagged(hot.insertLeased, { scopeId: 1, id, note: 'n', fence: 1 }),
        );
        await commit(storage, ...leased);
        const end = inMs(SAMPLE_LEASE_MS);
        for (const id of names)
          expect(await read(database, id)).toStrictEqual(job(id, { note: 'n', fence: 1, dueAt: end, leaseUntil: end }));
        expect(await storage.claim(queue, 99, LEASE_MS)).toMatchObject([{ id: 'there', note: null, fence: 1 }]);
        clock.advance(SAMPLE_LEASE_MS - 1);
        expect(await storage.claim(queue, 99, LEASE_MS)).toEqual([]);
        clock.advance(1);
        const claimed = await storage.claim(queue, 99, LEASE_MS);
        expect(ids(claimed)).toEqual(names);
        expect(new Set(claimed.map(({ fence }) => fence))).toEqual(new Set([2]));
      },
    );

    it("rows created with a lease use the database's own clock without an injected one", async () => {
      const database = await openContract();
      const { hot, storage } = database;
      const before = (await storage.now()).getTime();
      await commit(storage, tagged(hot.insertLeased, { scopeId: 1, id: 'one', note: null, fence: 1 }));
      const after = (await storage.now()).getTime();
      const end = (await read(database, 'one'))?.leaseUntil?.getTime() ?? 0;
      expect(end).toBeGreaterThanOrEqual(before + SAMPLE_LEASE_MS);
      expect(end).toBeLessThanOrEqual(after + SAMPLE_LEASE_MS);
    });

    it('a claim takes rows of every scope', async () => {
      const database = await openContract();
      await insert(
        database,
        [1, 2, 3, 2_147_483_647].map((scopeId) => job('same id', { scopeId })),
      );
      expect(await database.storage.claim(sampleQueue(database.tables), 10, LEASE_MS)).toHaveLength(4);
    });

    it('a claim of 256 rows is one statement', async () => {
      const statements: string[] = [];
      const database = await openContract({ observer: { statement: (id) => statements.push(id) } });
      await insert(database, many(300));
      statements.length = 0;
      expect(await database.storage.claim(sampleQueue(database.tables), 256, LEASE_MS)).toHaveLength(256);
      expect(statements).toEqual(['contract.jobs.claim']);
    });
  });

  describe('fences', () => {
    const finish = ({ storage, hot }: ContractDatabase, row: Claimed<Job>, note: string): ReturnType<typeof commit> =>
      commit(storage, tagged(hot.finishJob, { ...row, note, dueAt: null }));

    it('the holder of a fence can finish its row', async () => {
      const database = await openContract({ clock: virtualClock(NOW) });
      await insert(database, [job('one')]);
      const [row] = await database.storage.claim(sampleQueue(database.tables), 1, LEASE_MS);
      expect(row && (await finish(database, row, 'done'))).toEqual({ ok: true });
      expect(await read(database, 'one')).toEqual(job('one', { note: 'done', dueAt: null, fence: 1 }));
    });

    it('a stale holder of a fence can finish nothing', async () => {
      const clock = virtualClock(NOW);
      const database = await openContract({ clock });
      const queue = sampleQueue(database.tables);
      await insert(database, [job('one')]);
      const [stale] = await database.storage.claim(queue, 1, LEASE_MS);
      clock.advance(LEASE_MS);
      const [holder] = await database.storage.claim(queue, 1, LEASE_MS);
      expect(stale && (await finish(database, stale, 'stale'))).toEqual({ ok: false, failed: new Set(['one']) });
      expect(holder && (await finish(database, holder, 'holder'))).toEqual({ ok: true });
      expect((await read(database, 'one'))?.note).toBe('holder');
    });
  });

  describe('renewal', () => {
    const leaseOf = ({ scopeId, id, fence }: LeaseKey): LeaseKey => ({ scopeId, id, fence });

    it('a renewal extends the leases that are still held and returns only those', async () => {
      const clock = virtualClock(NOW);
      const database = await openContract({ clock });
      const { storage } = database;
      const queue = sampleQueue(database.tables);
      await insert(database, [job('ours'), job('theirs'), job('ours too')]);
      const leases = (await storage.claim(queue, 3, LEASE_MS)).map(leaseOf);
      const stale = leases.map((lease) => (lease.id === 'theirs' ? { ...lease, fence: lease.fence - 1 } : lease));
      clock.advance(10_000);
      const unknown = { ...leaseOf(job('unknown')), fence: 1 };
      const foreign = { ...leaseOf(job('ours')), scopeId: 2, fence: 1 };
      const kept = await storage.renew(queue, [...stale, unknown, foreign], LEASE_MS);
      expect(ids(kept)).toEqual(['ours', 'ours too']);
      expect(kept.find(({ id }) => id === 'ours')).toStrictEqual(leases.find(({ id }) => id === 'ours'));
      expect((await read(database, 'ours'))?.leaseUntil).toEqual(inMs(10_000 + LEASE_MS));
      expect((await read(database, 'theirs'))?.leaseUntil).toEqual(inMs(LEASE_MS));
      for (const none of [[], [foreign]]) expect(await storage.renew(queue, none, LEASE_MS)).toEqual([]);
    });

    it('a renewal does not lease a row again that was finished meanwhile', async () => {
      const database = await openContract({ clock: virtualClock(NOW) });
      const { storage, hot } = database;
      const queue = sampleQueue(database.tables);
      await insert(database, [job('one')]);
      const [row] = await storage.claim(queue, 1, LEASE_MS);
      if (!row) throw new Error('nothing claimed');
      await commit(storage, tagged(hot.finishJob, { ...row, dueAt: inMs(5) }));
      expect(await storage.renew(queue, [leaseOf(row)], LEASE_MS)).toEqual([]);
      expect((await read(database, 'one'))?.leaseUntil).toBeNull();
    });

    it('a renewal keeps the lease of a row that is no longer due, and does not make it due', async () => {
      const database = await openContract({ clock: virtualClock(NOW) });
      const { storage } = database;
      const cancelled = job('one', { dueAt: null, leaseUntil: inMs(5), fence: 1 });
      await insert(database, [cancelled]);
      expect(ids(await storage.renew(sampleQueue(database.tables), [leaseOf(cancelled)], LEASE_MS))).toEqual(['one']);
      expect(await read(database, 'one')).toEqual({ ...cancelled, leaseUntil: inMs(LEASE_MS) });
    });
  });

  describe('work with generated ids', () => {
    const id = '0197a000-0000-7000-8000-00000000000a';

    it('work with generated ids is claimed, renewed and finished by id', async () => {
      const database = await openContract({ clock: virtualClock(NOW) });
      const { storage, hot } = database;
      const queue = sampleErrands(database.tables);
      await commit(storage, tagged(hot.insertErrand, { scopeId: 1, id, dueAt: NOW, fence: 0 }));
      const [row] = await storage.claim(queue, 1, LEASE_MS);
      const lease = { scopeId: 1, id, fence: 1 };
      expect(row).toMatchObject(lease);
      const leases = [lease, { ...lease, id: 'no id at all' }, { ...lease, id: id.toUpperCase() }];
      expect(await storage.renew(queue, leases, LEASE_MS)).toStrictEqual([lease]);
      expect(await commit(storage, tagged(hot.finishErrand, { ...lease, id: 'no id at all' }, 'x'))).toMatchObject({
        ok: false,
      });
      expect(await commit(storage, tagged(hot.finishErrand, lease))).toEqual({ ok: true });
    });
  });

  describe('next due time', () => {
    /** @param leasedMs leases of these milliseconds on one row each, created before the jobs */
    const nextDue = async (jobs: readonly Job[], leasedMs: readonly number[] = []): Promise<number | null> => {
      const database = await openContract({ clock: virtualClock(NOW) });
      const queue = sampleQueue(database.tables);
      for (const ms of leasedMs) {
        await insert(database, [job(`leased for ${ms}`, { dueAt: inMs(-10) })]);
        await database.storage.claim(queue, 1, ms);
      }
      await insert(database, jobs);
      return database.storage.nextDueInMs(queue);
    };

    it('the next due time is null if nothing waits', async () => {
      expect(await nextDue([])).toBeNull();
      expect(await nextDue([job('never', { dueAt: null })])).toBeNull();
    });

    it('the next due time is negative for overdue work', async () => {
      expect(await nextDue([job('late', { dueAt: inMs(-1_500) }), job('later', { dueAt: inMs(5) })])).toBe(-1_500);
    });

    it('the next due time is the time until work is due', async () => {
      expect(await nextDue([job('soon', { dueAt: inMs(250) }), job('later', { dueAt: inMs(900) })])).toBe(250);
    });

    it('the next due time is the end of a lease that ends before other work is due', async () => {
      expect(await nextDue([job('later', { dueAt: inMs(45) })], [50, 40])).toBe(40);
      expect(await nextDue([job('sooner', { dueAt: inMs(30) })], [50, 40])).toBe(30);
    });

    it('the next due time is that of a free row behind leased ones', async () => {
      expect(await nextDue([job('free', { dueAt: inMs(-2) })], [40])).toBe(-2);
    });

    it('the next due time ignores a row that became due again while leased', async () => {
      const held = job('held', { dueAt: inMs(-1), leaseUntil: inMs(40), fence: 1 });
      expect(await nextDue([held, job('later', { dueAt: inMs(45) })])).toBe(45);
    });
  });
};
