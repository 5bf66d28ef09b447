import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ContractDatabase, commit, tagged } from '../../../test/support/database/contract-database.ts';
import { openSample, type Place, sqlitePlace } from '../../../test/support/database/open-sample.ts';
import { sampleQueue } from '../../../test/support/database/sample.ts';
import type { Storage } from '../storage.ts';
import { openConnection } from './connection.ts';
import { fileMutex } from './mutex.ts';
import { sqliteStorage } from './open.ts';

const LEASE_MS = 30_000;
const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 2, 1, 12);

/** The clocks of one host. */
const host = () => {
  let [wall, monotonic] = [START_MS, 1_000];
  return {
    wallMs: () => wall,
    monotonicMs: () => monotonic,
    pass: (ms: number) => {
      wall += ms;
      monotonic += ms;
    },
    set: (byMs: number) => {
      wall += byMs;
    },
  };
};

describe('clock steps on SQLite', () => {
  let place: Place;
  let made: ContractDatabase;
  let clocks: ReturnType<typeof host>;
  const opened: Storage[] = [];
  const open = (): Storage => {
    const path = place.url.slice('sqlite:'.length);
    const storage = sqliteStorage(openConnection(path, 'full'), fileMutex(path), { hostClocks: clocks });
    opened.push(storage);
    return storage;
  };
  beforeEach(async () => {
    place = sqlitePlace();
    made = await openSample(place.url);
    clocks = host();
  });
  afterEach(async () => {
    for (const storage of opened.splice(0)) await storage.close();
    await made.close();
    await place.remove();
  });

  const add = (storage: Storage, id: string, inMs = 0): Promise<unknown> => {
    const dueAt = new Date(clocks.wallMs() + inMs);
    const row = { scopeId: 1, id, note: null, dueAt, leaseUntil: null, fence: 0 };
    return commit(storage, tagged(made.hot.insertJob, row));
  };
  const claim = async (storage: Storage): Promise<string[]> =>
    (await storage.claim(sampleQueue(made.tables), 100, LEASE_MS)).map(({ id }) => id).sort();

  for (const hours of [2, -2])
    it(`a row in hand is not claimed again while the clock is set by ${hours} h, and is claimed once its lease has lasted 30 s`, async () => {
      const storage = open();
      await add(storage, 'in hand');
      expect(await claim(storage)).toEqual(['in hand']);
      clocks.pass(10_000);
      clocks.set(hours * HOUR_MS);
      await add(storage, 'new');
      expect(await claim(storage)).toEqual(['new']);
      clocks.pass(19_999);
      expect(await claim(storage)).toEqual([]);
      clocks.pass(1);
      expect(await claim(storage)).toEqual(['in hand']);
    });

  for (const hours of [2, -2]) {
    it(`leases of another process move too, and once, while the clock is set by ${hours} h`, async () => {
      const [one, other] = [open(), open()];
      await add(one, 'in hand');
      expect(await claim(one)).toEqual(['in hand']);
      expect(await claim(other)).toEqual([]);
      clocks.set(hours * HOUR_MS);
      expect(await claim(other)).toEqual([]);
      expect(await claim(one)).toEqual([]);
      clocks.pass(LEASE_MS);
      expect(await claim(one)).toEqual(['in hand']);
    });

    it(`a lease renewed after the clock was set by ${hours} h is kept and ends in time`, async () => {
      const storage = open();
      const queue = sampleQueue(made.tables);
      await add(storage, 'in hand');
      const [row] = await storage.claim(queue, 1, LEASE_MS);
      clocks.set(hours * HOUR_MS);
      clocks.pass(10_000);
      const lease = { scopeId: 1, id: 'in hand', fence: row?.fence ?? 0 };
      expect(await storage.renew(queue, [lease], LEASE_MS)).toEqual([lease]);
      clocks.pass(LEASE_MS - 1);
      expect(await claim(storage)).toEqual([]);
      clocks.pass(1);
      expect(await claim(storage)).toEqual(['in hand']);
    });
  }

  for (const hours of [2, -2])
    it(`a row in hand is not claimed again if the clock is set by ${hours} h while a claim waits`, async () => {
      const storage = open();
      await add(storage, 'in hand');
      expect(await claim(storage)).toEqual(['in hand']);
      const waiting = [add(storage, 'first'), claim(storage)] as const;
      clocks.set(hours * HOUR_MS);
      // This call detects the step and is queued after the claim.
      await add(storage, 'last');
      expect(await waiting[1]).not.toContain('in hand');
    });

  it('work due before a step back is claimed, and later work waits', async () => {
    const storage = open();
    expect(await claim(storage)).toEqual([]);
    await add(storage, 'due');
    await add(storage, 'in an hour', HOUR_MS);
    clocks.set(-2 * HOUR_MS);
    expect(await storage.nextDueInMs(sampleQueue(made.tables))).toBe(0);
    expect(await claim(storage)).toEqual(['due']);
    expect(await storage.nextDueInMs(sampleQueue(made.tables))).toBeGreaterThan(LEASE_MS - 1);
    clocks.pass(3 * HOUR_MS);
    expect(await claim(storage)).toEqual(['due', 'in an hour']);
  });

  it('work written after a step back with a time from before it is claimed', async () => {
    const storage = open();
    expect(await claim(storage)).toEqual([]);
    clocks.set(-2 * HOUR_MS);
    expect(await claim(storage)).toEqual([]);
    await add(storage, 'late', 2 * HOUR_MS - 50);
    await add(storage, 'in an hour', HOUR_MS);
    expect(await storage.nextDueInMs(sampleQueue(made.tables))).toBe(0);
    expect(await claim(storage)).toEqual(['late']);
  });

  it('such work is claimed also if the clock was set again before a check', async () => {
    const storage = open();
    expect(await claim(storage)).toEqual([]);
    clocks.set(-2 * HOUR_MS);
    expect(await claim(storage)).toEqual([]);
    await add(storage, 'of the first time', 2 * HOUR_MS - 50);
    clocks.set(-2 * HOUR_MS);
    expect(await claim(storage)).toEqual([]);
    await add(storage, 'of the second time', 2 * HOUR_MS - 50);
    expect(await storage.nextDueInMs(sampleQueue(made.tables))).toBe(0);
    expect(await claim(storage)).toEqual(['of the first time', 'of the second time']);
  });

  it('work that becomes due by a step forward is claimed at once', async () => {
    const storage = open();
    expect(await claim(storage)).toEqual([]);
    await add(storage, 'in an hour', HOUR_MS);
    clocks.set(2 * HOUR_MS);
    expect(await claim(storage)).toEqual(['in an hour']);
  });

  it('two steps in a row, forward and back, are both followed', async () => {
    const storage = open();
    await add(storage, 'in hand');
    expect(await claim(storage)).toEqual(['in hand']);
    for (const hours of [2, -2, -2, 2]) {
      clocks.set(hours * HOUR_MS);
      expect(await claim(storage)).toEqual([]);
    }
    clocks.pass(LEASE_MS);
    expect(await claim(storage)).toEqual(['in hand']);
  });

  it('drift of the two clocks moves nothing', async () => {
    const storage = open();
    await add(storage, 'in hand');
    expect(await claim(storage)).toEqual(['in hand']);
    for (let second = 0; second < 20; second += 1) {
      clocks.set(500);
      clocks.pass(500);
      expect(await claim(storage)).toEqual([]);
    }
    clocks.pass(10_000);
    expect(await claim(storage)).toEqual(['in hand']);
  });
});
