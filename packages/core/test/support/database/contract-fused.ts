import { describe, expect, it } from 'vitest';
import { commit, counter, type OpenContractDatabase, readCounters, tagged } from './contract-database.ts';

const AT = new Date('2026-03-01T00:00:00.000Z');
const LATER = new Date('2026-03-02T00:00:00.000Z');
/** Far more rows than SQLite needs to fuse them. */
const MANY = 20;
const IDS = Array.from({ length: MANY }, (_, at) => `c${String(at).padStart(2, '0')}`);
const failed = (...tags: string[]): { ok: false; failed: Set<string> } => ({ ok: false, failed: new Set(tags) });

/** Many similar rows of a statement change as single rows would. */
export const fusedContract = (openContract: OpenContractDatabase): void => {
  describe('similar rows', () => {
    const filled = async () => {
      const database = await openContract();
      const { storage, hot } = database;
      await commit(storage, ...IDS.map((id) => tagged(hot.insertCounter, counter(id, { value: 1 }))));
      const rows = async () =>
        [...(await readCounters(database, ...IDS)).values()].sort((a, b) => (a.id < b.id ? -1 : 1));
      return { storage, hot, rows };
    };

    it('similar rows change once each, and no other row does', async () => {
      const { storage, hot, rows } = await filled();
      const some = IDS.slice(0, MANY / 2);
      const writes = some.map((id) => tagged(hot.changeAlike, { id, version: 1, value: 2, seenAt: AT }));
      expect(await commit(storage, ...writes)).toEqual({ ok: true });
      expect(await rows()).toStrictEqual(
        IDS.map((id) => counter(id, some.includes(id) ? { value: 3, seenAt: AT } : { value: 1 })),
      );
    });

    it('similar rows each get their own value, with any characters', async () => {
      const { storage, hot, rows } = await filled();
      const labels = ['', `it's "so"\\`, 'né \u{1f600}', null, '{"a":1}', 'true', '1'];
      const labelOf = (at: number): string | null => labels[at % labels.length] ?? null;
      const writes = IDS.map((id, at) => tagged(hot.labelAlike, { id, version: 1, label: labelOf(at), seenAt: AT }));
      expect(await commit(storage, ...writes)).toEqual({ ok: true });
      expect(await rows()).toStrictEqual(
        IDS.map((id, at) => counter(id, { value: 2, label: labelOf(at), seenAt: AT })),
      );
    });

    it('similar rows may be mixed with other groups and single rows', async () => {
      const { storage, hot, rows } = await filled();
      const addedTo = (at: number): number => (at === 7 ? 3 : at % 2);
      const momentOf = (at: number): Date => (at % 2 === 0 ? AT : LATER);
      const writes = IDS.map((id, at) =>
        tagged(hot.changeAlike, { id, version: 1, value: addedTo(at), seenAt: momentOf(at) }),
      );
      expect(await commit(storage, ...writes)).toEqual({ ok: true });
      expect(await rows()).toStrictEqual(
        IDS.map((id, at) => counter(id, { value: 1 + addedTo(at), seenAt: momentOf(at) })),
      );
    });

    it.each(['changeAlike', 'labelAlike'] as const)(
      'similar rows without effect are reported, and then none of the rows is stored: %s',
      async (name) => {
        const { storage, hot, rows } = await filled();
        const before = await rows();
        // Two of another group, and one within a fused statement.
        const writes = [...IDS, 'gone'].map((id, at) => {
          const version = at === 3 || at === 17 ? 2 : 1;
          return tagged(hot[name], { id, version, value: 1, label: 'x', seenAt: AT });
        });
        const others = [tagged(hot.add, { id: 'c00', value: 1 })];
        expect(await commit(storage, ...writes, ...others)).toEqual(failed('c03', 'c17', 'gone'));
        expect(await rows()).toStrictEqual(before);
      },
    );

    it('a failed guard among similar rows is reported, also with other commits in the transaction', async () => {
      const { storage, hot, rows } = await filled();
      const writes = IDS.map((id, at) => tagged(hot.labelAlike, { id, version: at === 3 ? 2 : 1, label: 'x' }));
      const [first, second] = await Promise.all([
        commit(storage, ...writes),
        commit(storage, tagged(hot.add, { id: 'c05', value: 1 })),
      ]);
      expect(first).toEqual(failed('c03'));
      expect(second).toEqual({ ok: true });
      expect(await rows()).toStrictEqual(IDS.map((id) => counter(id, { value: id === 'c05' ? 2 : 1 })));
    });
  });

  describe('new rows with unique keys', () => {
    /** One within a full statement, and one after it. */
    const AGAIN = [3, MANY - 1].flatMap((at) => IDS[at] ?? []);
    const beside = async () => {
      const database = await openContract();
      const { storage, hot } = database;
      await commit(storage, ...AGAIN.map((id) => tagged(hot.insertCounter, counter(id, { value: 7 }))));
      const values = async () =>
        [...(await readCounters(database, ...IDS)).values()].map(({ id, value }) => `${id} ${value}`).sort();
      return { storage, hot, values };
    };

    it('many new rows are inserted at once', async () => {
      const { storage, hot, values } = await beside();
      const others = IDS.filter((id) => !AGAIN.includes(id));
      const writes = others.map((id) => tagged(hot.insertOnce, counter(id, { value: 1 })));
      expect(await commit(storage, ...writes)).toEqual({ ok: true });
      expect(await values()).toEqual(IDS.map((id) => `${id} ${AGAIN.includes(id) ? 7 : 1}`));
    });

    it('one existing row among many new ones is reported, and none of them is stored', async () => {
      const { storage, hot, values } = await beside();
      const writes = IDS.map((id) => tagged(hot.insertOnce, counter(id, { value: 1 })));
      expect(await commit(storage, ...writes)).toEqual(failed(...AGAIN));
      expect(await values()).toEqual(AGAIN.map((id) => `${id} 7`));
    });

    it('two new rows of one commit with the same key fail', async () => {
      const { storage, hot, values } = await beside();
      const writes = Array.from({ length: MANY }, (_, at) =>
        tagged(hot.insertOnce, counter(at < 2 ? 'same' : `n${at}`)),
      );
      expect(await commit(storage, ...writes)).toEqual(failed('same'));
      expect(await values()).toEqual(AGAIN.map((id) => `${id} 7`));
    });

    it('unguarded inserts skip existing rows', async () => {
      const { storage, hot, values } = await beside();
      const writes = IDS.map((id) => tagged(hot.insertIfNew, counter(id, { value: 1 })));
      expect(await commit(storage, ...writes)).toEqual({ ok: true });
      expect(await values()).toEqual(IDS.map((id) => `${id} ${AGAIN.includes(id) ? 7 : 1}`));
    });
  });
};
