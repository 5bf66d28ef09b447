import { describe, expect, it } from 'vitest';
import type { Storage } from '../../../src/database/storage.ts';
import { virtualClock } from '../../../src/foundation/clock.ts';
import { rowId } from '../row-ids.ts';
import { type ContractDatabase, commit, type OpenContractDatabase, tagged } from './contract-database.ts';

const START = '2026-03-01T12:00:00.000Z';
const HOUR = 3_600_000;
const RACERS = 8;
const ROUNDS = 5;

/** Takes one of two slots of a pool for an hour; the tag is the holder's name. */
const take = ({ hot }: Pick<ContractDatabase, 'hot'>, holder: string, pool = 'p', most = 2, times = 1) =>
  tagged(hot.take, { scopeId: 1, pool, holder: rowId(holder), times, most, lastsMs: HOUR }, holder);
const failed = (...tags: string[]) => ({ ok: false, failed: new Set(tags) });

const reservedSlots = async ({ storage, hot }: ContractDatabase, holder: string, pool = 'p') => {
  const [row] = await storage.select(hot.taken, [[1, pool, rowId(holder)]]);
  return row ? [row.reserved, row.isHeld] : null;
};
const rows = async ({ storage, tables: { slots } }: ContractDatabase) =>
  (await storage.db.select().from(slots)).map(({ holder, times, until }) => [holder, times, until.toISOString()]);

/** Slots are held until their expiry, and never more than exist. */
export const slotsContract = (openContract: OpenContractDatabase): void => {
  describe('slots', () => {
    it('a slot is held until its expiry and not a millisecond longer', async () => {
      const clock = virtualClock(START);
      const database = await openContract({ clock });
      const { storage } = database;
      expect(await commit(storage, take(database, 'ann'))).toEqual({ ok: true });
      clock.advance(HOUR / 2);
      expect(await commit(storage, take(database, 'ben'))).toEqual({ ok: true });
      clock.advance(HOUR / 2 - 1);
      expect(await commit(storage, take(database, 'cid'))).toEqual(failed('cid'));
      expect(await reservedSlots(database, 'ann')).toEqual([2, true]);
      clock.advance(1);
      expect(await reservedSlots(database, 'ann')).toEqual([1, false]);
      expect(await commit(storage, take(database, 'cid'))).toEqual({ ok: true });
      expect(await commit(storage, take(database, 'dee'))).toEqual(failed('dee'));
    });

    it('a holder that returns keeps its slot, also if all are taken', async () => {
      const clock = virtualClock(START);
      const database = await openContract({ clock });
      const { storage } = database;
      await commit(storage, take(database, 'ann'), take(database, 'ben'));
      clock.advance(1_000);
      expect(await commit(storage, take(database, 'ann', 'p', 1, 2))).toEqual({ ok: true });
      const until = new Date(Date.parse(START) + HOUR).toISOString();
      expect(await rows(database)).toEqual(
        expect.arrayContaining([
          [rowId('ann'), 3, until],
          [rowId('ben'), 1, until],
        ]),
      );
      clock.advance(HOUR);
      expect(await commit(storage, take(database, 'ann'))).toEqual({ ok: true });
      expect(await rows(database)).toContainEqual([
        rowId('ann'),
        1,
        new Date(Date.parse(START) + 2 * HOUR + 1_000).toISOString(),
      ]);
    });

    it('in one commit, slots go to the first new holders, and current holders take none', async () => {
      const database = await openContract({ clock: virtualClock(START) });
      const { storage } = database;
      await commit(storage, take(database, 'ann'));
      const requests = ['ann', 'ben', 'cid', 'dee'].map((holder) => take(database, holder));
      expect(await commit(storage, ...requests, take(database, 'eve', 'other'))).toEqual(failed('cid', 'dee'));
      expect(await rows(database)).toHaveLength(1);
      expect(await commit(storage, ...requests.slice(0, 2), take(database, 'eve', 'other'))).toEqual({ ok: true });
      expect(await reservedSlots(database, 'eve', 'other')).toEqual([1, true]);
    });

    it('one holder can take a slot several times in one commit', async () => {
      const database = await openContract({ clock: virtualClock(START) });
      expect(
        await commit(database.storage, take(database, 'ann'), take(database, 'ann'), take(database, 'ben')),
      ).toEqual({ ok: true });
      expect((await rows(database)).map(([, times]) => times).sort()).toEqual([1, 2]);
    });

    it('held slots are counted by holder', async () => {
      const database = await openContract({ clock: virtualClock(START) });
      const { storage, hot } = database;
      expect(await reservedSlots(database, 'ann')).toBeNull();
      await commit(storage, take(database, 'ann'), take(database, 'ben'), take(database, 'ann', 'other'));
      const keys = [
        [1, 'p', rowId('ann')],
        [1, 'p', rowId('cid')],
        [1, 'other', rowId('ben')],
        [2, 'p', rowId('ann')],
      ];
      const counted = (await storage.select(hot.taken, keys)).map((row) => [
        row.pool,
        row.holder,
        row.reserved,
        row.isHeld,
      ]);
      expect(counted.sort()).toEqual(
        [
          ['other', rowId('ben'), 1, false],
          ['p', rowId('ann'), 2, true],
          ['p', rowId('cid'), 2, false],
        ].sort(),
      );
    });

    it('concurrent takes behind a lock never exceed the number of slots', async () => {
      const database = await openContract();
      const racers: readonly Storage[] = await database.connect(RACERS);
      for (let round = 0; round < ROUNDS; round += 1) {
        const pools = ['a', 'b', 'c'].map((name) => `${name} ${round}`);
        const results = await Promise.all(
          racers.map(async (storage, racer) => {
            const mine = racer % 2 === 0 ? pools : pools.toReversed();
            const locks = mine.map((id) => tagged(database.hot.lock, { id, value: racer, version: 1 }));
            const taking = mine.map((pool) => take(database, `${racer}`, pool, 3));
            return storage.commit({ writes: [...taking, ...locks] });
          }),
        );
        expect(results.filter(({ ok }) => ok)).toHaveLength(3);
        for (const pool of pools) expect(await reservedSlots(database, '0', pool)).toEqual([3, expect.any(Boolean)]);
      }
    });

    it('a precondition fails unless the number of held slots per key is as read', async () => {
      const database = await openContract({ clock: virtualClock(START) });
      const { storage, hot } = database;
      const precondition = (pool: string, count: number) =>
        tagged(hot.still, { scopeId: 1, pool, count }, `${pool}${count}`);
      expect(await commit(storage, precondition('p', 0))).toEqual({ ok: true });
      await commit(storage, take(database, 'ann', 'p', 2, 2), take(database, 'ben', 'p', 2, 1));
      await commit(storage, take(database, 'ann', 'other', 2, 2));
      expect(await commit(storage, precondition('p', 1), precondition('other', 1), precondition('none', 0))).toEqual({
        ok: true,
      });
      expect(await commit(storage, precondition('p', 2), precondition('other', 1), precondition('none', 1))).toEqual(
        failed('p2', 'none1'),
      );
      const cid = take(database, 'cid', 'third');
      expect(await commit(storage, cid, precondition('p', 0))).toEqual(failed('p0'));
      expect(await reservedSlots(database, 'cid', 'third')).toBeNull();
    });
  });
};
