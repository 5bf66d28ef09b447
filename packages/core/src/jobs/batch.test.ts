import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StorageError } from '../database/errors.ts';
import type { Claimed, LeaseKey } from '../database/statements/claim.ts';
import type { Storage } from '../database/storage.ts';
import { nextTurn } from '../foundation/contained.ts';
import { batches } from './batch.ts';
import { MAX_CLAIM, MAX_CLAIMS, MAX_THROWS, type Registration } from './registration.ts';

type Row = LeaseKey;

const row = (id: string, fence = 1): Claimed<Row> => ({ scopeId: 1, id, fence });
const numbered = (count: number): Claimed<Row>[] => Array.from({ length: count }, (_, at) => row(`r${at}`));
const signals = { signal: new AbortController().signal, draining: new AbortController().signal };

/** A batch on a database that confirms every renewal, with a handler that throws for some rows. */
const given = ({
  throwsFor = () => undefined,
  refuses = () => undefined,
  commit = async () => undefined,
  onEnding,
  gatherMs,
}: {
  throwsFor?: (id: string) => Error | undefined;
  refuses?: (ids: readonly string[]) => Error | undefined;
  commit?: () => Promise<void>;
  onEnding?: () => void;
  gatherMs?: number;
} = {}) => {
  const calls: number[] = [];
  const finished: string[] = [];
  const givenUp: string[] = [];
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const renew = vi.fn<Storage['renew']>(async (_, leases) => [...leases]);
  const work: Registration<Row, string> = {
    name: 'rows',
    // Safe: the batch passes it to the storage above.
    claim: { id: 'rows' } as Registration<Row, string>['claim'],
    maxInHand: 1_000,
    ...(gatherMs === undefined ? {} : { gatherMs }),
    process: async (rows, done) => {
      calls.push(rows.length);
      for (const { id } of rows) {
        const error = throwsFor(id);
        if (error) throw error;
      }
      for (const one of rows) done(one, one.id);
    },
    commit: async (ids) => {
      const error = refuses(ids);
      if (error) throw error;
      await commit();
      finished.push(...ids);
    },
    deadLetter: async ({ id }) => void givenUp.push(id),
  };
  // Safe: a batch uses nothing else of its storage.
  const wake = { signal: vi.fn(), subscribe: () => () => undefined };
  const batch = batches({ renew, wake } as Partial<Storage> as Storage, work, log, () => undefined, onEnding);
  const take = async (rows: readonly Claimed<Row>[]): Promise<void> => {
    await batch.take(rows, signals);
    await batch.settled();
  };
  return { batch, take, calls, finished, givenUp, log, renew, wake, work };
};

describe('a batch', () => {
  it('a batch finds the one row that throws among many in few tries and finishes the others', async () => {
    const { batch, take, calls, finished } = given({
      throwsFor: (id) => (id === 'r77' ? new Error('poison') : undefined),
    });
    await take(numbered(MAX_CLAIM));
    expect(finished).toHaveLength(MAX_CLAIM - 1);
    expect(finished).not.toContain('r77');
    expect(calls.length).toBeLessThanOrEqual(1 + 2 * Math.log2(MAX_CLAIM));
    expect(batch.size()).toBe(0);
  });

  it('a batch drops a row whose lease was lost, also if the same row was claimed again meanwhile', async () => {
    const forever = Promise.withResolvers<void>();
    const { batch, renew, work } = given();
    work.process = () => forever.promise;
    const [lost, anew] = [row('one', 1), row('one', 2)];
    const taken = [batch.take([lost, row('two')], signals), batch.take([anew], signals)];
    expect(batch.size()).toBe(3);
    renew.mockImplementation(async (_, leases) => leases.filter(({ fence }) => fence === 2));
    await batch.renew();
    expect(batch.size()).toBe(1);
    await batch.renew();
    expect(renew.mock.calls.at(-1)?.[1]).toEqual([anew]);
    forever.reject(new StorageError('08006'));
    await Promise.all(taken);
    expect(batch.size()).toBe(0);
  });

  it('a batch has capacity as soon as outcomes are being written, and keeps their leases until then', async () => {
    const written = Promise.withResolvers<void>();
    const sizes: number[] = [];
    const { batch, take, renew } = given({
      commit: async () => {
        sizes.push(batch.size());
        await written.promise;
      },
      onEnding: () => sizes.push(batch.size()),
    });
    const taken = take(numbered(3));
    await vi.waitFor(() => expect(sizes).toEqual([0, 0]));
    await batch.renew();
    expect(renew.mock.lastCall?.[1]).toHaveLength(3);
    written.resolve();
    await taken;
    await batch.renew();
    expect(renew).toHaveBeenCalledTimes(1);
    expect(batch.size()).toBe(0);
  });

  it.each([
    { others: 62, more: 1, says: 'although no more are in hand where they are few' },
    { others: 100, more: 0, says: 'as long as others are in hand' },
  ])('a batch gathers outcomes $says', async ({ others, more }) => {
    const { batch, take, finished, work } = given({ gatherMs: 60_000 });
    await take([row('first')]);
    const { promise, resolve } = Promise.withResolvers<void>();
    const hanging = row('hangs');
    const { process } = work;
    Object.assign(work, {
      process: async (...[rows, done, context]: Parameters<typeof process>) => {
        if (rows[0] === hanging) await promise;
        return process(rows, done, context);
      },
    });
    const taken = batch.take([hanging], signals);
    await batch.take(numbered(others), signals);
    if (more > 0) resolve();
    if (more > 0) await taken;
    await nextTurn();
    expect(finished).toEqual(['first']);
    resolve();
    await taken;
    if (more > 0) await batch.take([row('last')], signals);
    await vi.waitFor(() => expect(finished).toHaveLength(2 + others + more));
  });

  it('a batch blames and keeps no row if the database was unavailable', async () => {
    const { batch, take, calls, givenUp, renew } = given({ throwsFor: () => new StorageError('08006') });
    for (let round = 0; round <= MAX_THROWS; round += 1) await take(numbered(10));
    expect(calls).toEqual(Array.from({ length: MAX_THROWS + 1 }, () => 10));
    expect(givenUp).toEqual([]);
    expect(renew).not.toHaveBeenCalled();
    await batch.renew();
    expect(renew).not.toHaveBeenCalled();
    expect(batch.size()).toBe(0);
  });

  it('a batch drops a row that it could neither put back nor dead-letter', async () => {
    const { batch, take, renew, givenUp } = given({ throwsFor: () => new Error('poison') });
    renew.mockRejectedValue(new StorageError('08006'));
    await take([row('a'), row('worn', MAX_CLAIMS + 1)]);
    expect(batch.size()).toBe(0);
    expect(givenUp).toEqual(['worn']);
  });

  describe('finishing', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
    afterEach(() => void vi.useRealTimers());
    const MINUTE = 60_000;

    it('outcomes and the leases of their rows are kept while the database is unavailable', async () => {
      let isAway = true;
      const { batch, take, finished, renew } = given({
        refuses: () => (isAway ? new StorageError('57P03') : undefined),
      });
      const taken = take(numbered(3));
      await vi.advanceTimersByTimeAsync(10 * MINUTE);
      await batch.renew();
      expect(renew.mock.lastCall?.[1]).toHaveLength(3);
      isAway = false;
      await vi.advanceTimersByTimeAsync(MINUTE);
      await taken;
      expect([finished, batch.size()]).toEqual([['r0', 'r1', 'r2'], 0]);
    });

    it('the one outcome that the database rejects is dropped, and the others are written', async () => {
      const { batch, take, finished } = given({
        refuses: (ids) => (ids.includes('r5') ? new StorageError('22P05') : undefined),
      });
      const taken = take(numbered(8));
      await vi.advanceTimersByTimeAsync(MINUTE);
      await taken;
      expect(finished.sort()).toEqual(['r0', 'r1', 'r2', 'r3', 'r4', 'r6', 'r7']);
      expect(batch.size()).toBe(0);
    });

    it('writing outcomes is not retried after a stop', async () => {
      const { batch, take, log } = given({ refuses: () => new StorageError('CLOSED') });
      const taken = take([row('a')]);
      await vi.advanceTimersByTimeAsync(MINUTE);
      await batch.release();
      await vi.advanceTimersByTimeAsync(MINUTE);
      await taken;
      const tries = log.error.mock.calls.length;
      await vi.advanceTimersByTimeAsync(10 * MINUTE);
      expect(log.error.mock.calls).toHaveLength(tries);
    });
  });

  it('a row that throws is put back for longer each time', async () => {
    const { take, renew, work } = given({ throwsFor: () => new Error('poison') });
    for (let round = 1; round < 5; round += 1) await take([row('a', round)]);
    expect(renew.mock.calls.map(([claim, rows, leaseMs]) => [claim, rows.map(({ id }) => id), leaseMs])).toEqual(
      [2_000, 4_000, 8_000, 16_000].map((ms) => [work.claim, ['a'], ms]),
    );
  });

  it('a finished row resets its count of throws', async () => {
    let isBroken = true;
    const { take, givenUp, finished } = given({ throwsFor: () => (isBroken ? new Error('poison') : undefined) });
    for (let round = 1; round < MAX_THROWS; round += 1) await take([row('a', round)]);
    isBroken = false;
    await take([row('a', MAX_THROWS)]);
    isBroken = true;
    for (let round = 1; round < MAX_THROWS; round += 1) await take([row('a', MAX_THROWS + round)]);
    expect([finished, givenUp]).toEqual([['a'], []]);
  });

  it('a row claimed more than a thousand times is dead-lettered without a try', async () => {
    const { take, givenUp, finished, calls } = given();
    await take([row('worn', 1_001), row('last', 1_000)]);
    expect([givenUp, finished, calls]).toEqual([['worn'], ['last'], [1]]);
  });

  it('a row that its handler neither reports nor throws for is put back', async () => {
    const { take, renew, work, finished } = given();
    work.process = async (rows, done) => {
      for (const one of rows) if (one.id !== 'forgotten') done(one, one.id);
    };
    await take([row('a'), row('forgotten')]);
    expect(finished).toEqual(['a']);
    expect(renew.mock.calls.map(([, rows]) => rows.map(({ id }) => id))).toEqual([['forgotten']]);
  });

  it('releasing a batch ends the leases of rows in hand', async () => {
    const { batch, renew, work } = given();
    work.process = () => new Promise(() => undefined);
    void batch.take([row('a'), row('b')], signals);
    await batch.release();
    expect(renew.mock.lastCall?.slice(1)).toEqual([[row('a'), row('b')], 0]);
    expect(batch.size()).toBe(0);
  });

  it('a row is dead-lettered at its last permitted throw', async () => {
    const { take, givenUp } = given({ throwsFor: () => new Error('poison') });
    for (let round = 1; round < MAX_THROWS; round += 1) await take([row('a', round)]);
    expect(givenUp).toEqual([]);
    await take([row('a', MAX_THROWS)]);
    expect(givenUp).toEqual(['a']);
  });
});
