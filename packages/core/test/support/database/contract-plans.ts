import { describe, expect, it } from 'vitest';
import { StorageError } from '../../../src/database/errors.ts';
import { commit, counter, type OpenContractDatabase, outcomeOf, readCounters, tagged } from './contract-database.ts';

const FIRST = new Date('2026-03-01T00:00:00.000Z');
const SECOND = new Date('2026-03-02T00:00:00.000Z');
const failed = (...tags: string[]): { ok: false; failed: Set<string> } => ({ ok: false, failed: new Set(tags) });

/** Effects of a plan's statements; a failed guard leaves no trace. */
export const plansContract = (openContract: OpenContractDatabase): void => {
  describe('hot writes', () => {
    it('a hot write changes each column by its own verb', async () => {
      const database = await openContract();
      const { storage, hot } = database;
      const old = { value: 1, total: 10, version: 3 };
      await commit(
        storage,
        ...[
          counter('full', { ...old, label: 'kept', seenAt: SECOND }),
          counter('null', { ...old, label: null, seenAt: null }),
          counter('older', { ...old, label: 'kept', seenAt: FIRST }),
          counter('untouched', old),
        ].map((row) => tagged(hot.insertCounter, row)),
      );
      const inserted = { value: 5, total: 2, label: 'given' };
      await commit(
        storage,
        tagged(hot.change, { id: 'full', ...inserted, seenAt: FIRST }),
        tagged(hot.change, { id: 'null', ...inserted, seenAt: FIRST }),
        tagged(hot.change, { id: 'older', ...inserted, seenAt: SECOND }),
        tagged(hot.change, { id: 'missing', ...inserted, seenAt: SECOND }),
      );
      const changed = { value: 5, total: 12, version: 4 };
      const rows = await readCounters(database, 'full', 'null', 'older', 'untouched', 'missing');
      expect([...rows.values()].sort((a, b) => a.id.localeCompare(b.id))).toStrictEqual([
        counter('full', { ...changed, label: 'kept', seenAt: SECOND }),
        counter('null', { ...changed, label: 'given', seenAt: FIRST }),
        counter('older', { ...changed, label: 'kept', seenAt: SECOND }),
        counter('untouched', old),
      ]);
    });

    it('a hot write keeps the greatest value, and sets null without a value', async () => {
      const database = await openContract();
      const { storage, hot } = database;
      await commit(storage, tagged(hot.insertCounter, counter('a', { total: 1, label: 'x', seenAt: FIRST })));
      await commit(storage, tagged(hot.change, { id: 'a', value: 1, total: 0, label: null, seenAt: null }));
      expect((await readCounters(database, 'a')).get('a')).toMatchObject({ label: 'x', seenAt: FIRST });
      await commit(storage, tagged(hot.clear, { id: 'a' }));
      expect((await readCounters(database, 'a')).get('a')).toMatchObject({ label: null, seenAt: null });
    });

    it('a compared column takes its new value from its new key', async () => {
      const database = await openContract();
      const { storage, hot } = database;
      await commit(storage, tagged(hot.insertCounter, counter('a', { label: 'old' })));
      expect(await commit(storage, tagged(hot.rename, { id: 'a', label: 'old', newLabel: 'new' }))).toEqual({
        ok: true,
      });
      expect(await commit(storage, tagged(hot.rename, { id: 'a', label: 'old', newLabel: 'x' }))).toEqual(failed('a'));
      expect((await readCounters(database, 'a')).get('a')?.label).toBe('new');
    });

    it('an insert skips an existing row, or replaces it while its condition holds', async () => {
      const database = await openContract();
      const { storage, hot } = database;
      await commit(storage, tagged(hot.insertCounter, counter('a', { value: 1, version: 5 })));
      expect(await commit(storage, tagged(hot.insertIfNew, counter('a', { value: 2 })))).toEqual({ ok: true });
      expect((await readCounters(database, 'a')).get('a')?.value).toBe(1);
      const replace = (version: number): ReturnType<typeof commit> =>
        commit(storage, tagged(hot.replaceOlder, { id: 'a', value: version, version }));
      expect(await replace(5)).toEqual(failed('a'));
      expect(await replace(6)).toEqual({ ok: true });
      expect((await readCounters(database, 'a')).get('a')).toMatchObject({ value: 6, version: 6 });
    });

    it('the statements of a plan run in the order of ranks, whatever the order of the writes', async () => {
      const statements: string[] = [];
      const database = await openContract({ observer: { statement: (id) => statements.push(id) } });
      const { storage, hot } = database;
      const writes = [
        tagged(hot.rename, { id: 'a', label: 'old', newLabel: 'new' }),
        tagged(hot.add, { id: 'a', value: 1 }),
        tagged(hot.insertOnce, counter('a', { label: 'old' })),
        tagged(hot.add, { id: 'b', value: 1 }),
        tagged(hot.insertCounter, counter('b')),
      ];
      for (const [at, shuffled] of [writes, writes.toReversed()].entries()) {
        await commit(storage, ...['a', 'b'].map((id) => tagged(hot.remove, { id, version: 1 })));
        statements.length = 0;
        expect([at, await storage.commit({ writes: shuffled })]).toEqual([at, { ok: true }]);
        expect(statements).toEqual([
          'contract.insert_once',
          'contract.insert_counter',
          'contract.add',
          'contract.rename',
        ]);
        const rows = await readCounters(database, 'a', 'b');
        expect([rows.get('a'), rows.get('b')]).toMatchObject([
          { value: 1, label: 'new' },
          { value: 1, label: null },
        ]);
      }
    });

    it('several writes of one plan with the same target all take effect', async () => {
      const database = await openContract();
      const { storage, hot } = database;
      await commit(storage, tagged(hot.insertCounter, counter('a')), tagged(hot.insertCounter, counter('b')));
      const adds = [1, 2, 4, 8].map((value) => tagged(hot.add, { id: 'a', value }));
      await commit(storage, ...adds, tagged(hot.add, { id: 'b', value: 3 }));
      await commit(
        storage,
        ...[1, 2, 3].map((version) => tagged(hot.replaceAny, { id: 'c', value: version * 10, version })),
      );
      const rows = await readCounters(database, 'a', 'b', 'c');
      expect(Object.fromEntries([...rows].map(([id, { value }]) => [id, value]))).toEqual({ a: 15, b: 3, c: 30 });
    });

    it('a plan with 200 rows runs as many statements as a plan with one', async () => {
      const statements: string[] = [];
      const { storage, hot } = await openContract({ observer: { statement: (id) => statements.push(id) } });
      const plan = async (prefix: string, count: number): Promise<string[]> => {
        const rows = Array.from({ length: count }, (_, at) => `${prefix}${at}`);
        statements.length = 0;
        await commit(
          storage,
          ...rows.map((id) => tagged(hot.insertOnce, counter(id))),
          ...rows.map((id) => tagged(hot.add, { id, value: 1 })),
        );
        return [...statements];
      };
      const one = await plan('one', 1);
      expect(one).toEqual(['contract.insert_once', 'contract.add']);
      expect(await plan('many', 200)).toEqual(one);
    });

    it('hot writes and hot reads build no SQL', async () => {
      let builds = 0;
      const database = await openContract({ observer: { built: () => (builds += 1) } });
      const { storage, hot, tables } = database;
      await commit(storage, tagged(hot.insertCounter, counter('a')));
      await readCounters(database, 'a');
      expect(builds).toBe(0);
      await storage.db.select().from(tables.counters);
      expect(builds).toBe(1);
      await storage.transaction((db) => db.select().from(tables.counters));
      expect(builds).toBe(2);
    });

    it('an empty plan runs no statement', async () => {
      const { storage } = await openContract();
      expect(await storage.commit({ writes: [] })).toEqual({ ok: true });
    });
  });

  describe('guards', () => {
    it('a guarded insert reports existing rows and leaves no trace', async () => {
      const database = await openContract();
      const { storage, hot } = database;
      await commit(storage, tagged(hot.insertCounter, counter('b')), tagged(hot.insertCounter, counter('d')));
      const result = await commit(
        storage,
        ...['a', 'b', 'c', 'd'].map((id) => tagged(hot.insertOnce, counter(id, { value: 9 }), `tag of ${id}`)),
        tagged(hot.insertCounter, counter('e')),
        tagged(hot.add, { id: 'b', value: 1 }),
      );
      expect(result).toEqual(failed('tag of b', 'tag of d'));
      const rows = await readCounters(database, 'a', 'b', 'c', 'd', 'e');
      expect([...rows.values()].map(({ id, value }) => [id, value]).sort()).toEqual([
        ['b', 0],
        ['d', 0],
      ]);
    });

    it('a guarded update reports rows with another version and leaves no trace', async () => {
      const database = await openContract();
      const { storage, hot } = database;
      const rows = ['a', 'b', 'c'].map((id, at) => counter(id, { version: at }));
      await commit(storage, ...rows.map((row) => tagged(hot.insertCounter, row)));
      const change = (version: (at: number) => number): ReturnType<typeof commit> =>
        commit(
          storage,
          ...rows.map(({ id }, at) =>
            tagged(hot.changeVersion, { id, version: version(at), value: 7 }, `tag of ${id}`),
          ),
        );
      expect(await change(() => 1)).toEqual(failed('tag of a', 'tag of c'));
      expect([...(await readCounters(database, 'a', 'b', 'c')).values()].map(({ value }) => value)).toEqual([0, 0, 0]);
      expect(await change((at) => at)).toEqual({ ok: true });
      expect([...(await readCounters(database, 'a', 'b', 'c')).values()].map(({ value }) => value)).toEqual([7, 7, 7]);
    });

    it('a guarded delete reports missing rows and leaves no trace', async () => {
      const database = await openContract();
      const { storage, hot } = database;
      await commit(storage, tagged(hot.insertCounter, counter('a')), tagged(hot.insertCounter, counter('b')));
      const remove = (...rows: [string, number][]): ReturnType<typeof commit> =>
        commit(storage, ...rows.map(([id, version]) => tagged(hot.remove, { id, version })));
      expect(await remove(['a', 1], ['b', 2])).toEqual(failed('b'));
      expect([...(await readCounters(database, 'a', 'b')).keys()].sort()).toEqual(['a', 'b']);
      expect(await remove(['a', 1], ['b', 1])).toEqual({ ok: true });
      expect(await readCounters(database, 'a', 'b')).toEqual(new Map());
    });

    it('a guard counts a row that changes several as one, and misses one that changes none', async () => {
      const { storage, hot } = await openContract();
      await commit(storage, ...['a', 'b'].map((id) => tagged(hot.insertCounter, counter(id, { label: 'two' }))));
      const writes = ['two', 'none'].map((label) => tagged(hot.addByLabel, { label, value: 1 }, label));
      expect(await commit(storage, ...writes)).toEqual(failed('none'));
    });

    it('a guard fails the second of two rows of one plan with the same key', async () => {
      const { storage, hot } = await openContract();
      const rows = ['first', 'second', 'other'].map((tag) =>
        tagged(hot.insertOnce, counter(tag === 'other' ? 'b' : 'a'), tag),
      );
      expect(await commit(storage, ...rows)).toEqual(failed('second'));
    });

    it('guards of several statements are all reported at once', async () => {
      const { storage, hot } = await openContract();
      await commit(storage, tagged(hot.insertCounter, counter('a')));
      const result = await commit(
        storage,
        tagged(hot.insertOnce, counter('a'), 'insert'),
        tagged(hot.changeVersion, { id: 'a', version: 99, value: 1 }, 'update'),
      );
      expect(result).toEqual(failed('insert', 'update'));
    });

    it('a failed guard is reported before the error of a statement that relied on it', async () => {
      const { storage, hot } = await openContract();
      await commit(storage, tagged(hot.insertCounter, counter('a')), tagged(hot.insertCounter, counter('b')));
      const result = await commit(
        storage,
        tagged(hot.insertOnce, counter('a'), 'known'),
        tagged(hot.insertCounter, counter('b')),
      );
      expect(result).toEqual(failed('known'));
    });
  });

  describe('counters', () => {
    it('a counter reaches 20 by 20 parallel additions', async () => {
      const database = await openContract();
      const { hot } = database;
      await commit(database.storage, tagged(hot.insertCounter, counter('a')));
      const writers = await database.connect(4);
      await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          commit(writers[at % 4] ?? database.storage, tagged(hot.add, { id: 'a', value: 1 })),
        ),
      );
      expect((await readCounters(database, 'a')).get('a')?.value).toBe(20);
    });

    it('of 20 parallel inserts of one row exactly one wins', async () => {
      const database = await openContract();
      const writers = await database.connect(4);
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          commit(writers[at % 4] ?? database.storage, tagged(database.hot.insertOnce, counter('a', { value: at }))),
        ),
      );
      expect(results.filter(({ ok }) => ok)).toHaveLength(1);
      expect((await readCounters(database, 'a')).get('a')?.value).toBe(results.findIndex(({ ok }) => ok));
    });

    it('a counter never exceeds the cap of a reservation', async () => {
      const database = await openContract();
      const { hot } = database;
      await commit(database.storage, tagged(hot.insertCounter, counter('a')));
      const writers = await database.connect(4);
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          commit(writers[at % 4] ?? database.storage, tagged(hot.reserve, { id: 'a' })),
        ),
      );
      expect(results.filter(({ ok }) => ok)).toHaveLength(5);
      expect((await readCounters(database, 'a')).get('a')?.value).toBe(5);
    });

    it('counters of two rows locked in order never exceed their caps, whatever the order of writes', async () => {
      const database = await openContract();
      const { hot } = database;
      await commit(database.storage, ...['a', 'b'].map((id) => tagged(hot.insertCounter, counter(id))));
      const writers = await database.connect(4);
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          commit(
            writers[at % 4] ?? database.storage,
            ...(at % 2 === 0 ? ['a', 'b'] : ['b', 'a']).map((id) => tagged(hot.reserveInOrder, { id })),
          ),
        ),
      );
      expect(results.filter(({ ok }) => ok)).toHaveLength(5);
      expect(results.filter((result) => !result.ok && [...result.failed].toSorted().join() === 'a,b')).toHaveLength(15);
      const rows = await readCounters(database, 'a', 'b');
      expect([rows.get('a')?.value, rows.get('b')?.value]).toEqual([5, 5]);
    });
  });

  describe('uniqueness', () => {
    it('a violated unique key is recognised, and no other error is', async () => {
      const { storage, hot, tables } = await openContract();
      await commit(storage, tagged(hot.insertCounter, counter('a')));
      const { isUniqueViolation } = storage.dialect;
      const built = await outcomeOf(storage.db.insert(tables.counters).values(counter('a')).returning());
      const written = await outcomeOf(commit(storage, tagged(hot.insertCounter, counter('a'))));
      const missing = await outcomeOf(
        commit(storage, tagged<Record<string, unknown>>(hot.insertCounter, { id: 'b', version: 1 })),
      );
      expect('error' in built && isUniqueViolation(built.error)).toBe(true);
      expect('error' in written && isUniqueViolation(written.error)).toBe(true);
      expect('error' in missing && missing.error).toBeInstanceOf(StorageError);
      expect('error' in missing && isUniqueViolation(missing.error)).toBe(false);
      expect(isUniqueViolation(new Error('another', { cause: 'not an error' }))).toBe(false);
    });
  });
};
