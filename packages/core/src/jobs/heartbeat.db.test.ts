import { setTimeout as later } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import type { Storage } from '../database/storage.ts';
import { type VirtualClock, virtualClock } from '../foundation/clock.ts';
import { uuidV7Ids } from '../foundation/ids.ts';
import { heartbeat, timeZonesOfWorkers, workforce } from './heartbeat.ts';

describe('heartbeats', () => {
  let clock: VirtualClock;
  let database: TestDatabase;
  let warned: unknown[] = [];
  const started: { stop(): Promise<void> }[] = [];
  beforeEach(async () => {
    clock = virtualClock('2026-03-01T10:00:00.000Z');
    database = await openTestDatabase({ clock });
    warned = [];
  });
  afterEach(async () => {
    for (const one of started.splice(0)) await one.stop();
    await database.close();
  });

  const quiet = (): void => undefined;
  const log = { info: quiet, warn: (fields: unknown) => void warned.push(fields), error: quiet };
  const worker = (storage: Pick<Storage, 'db' | 'now' | 'nextDueInMs'> = database.storage, judgesBy = '2026c') => {
    const made = heartbeat({ storage, tables: database.tables, ids: uuidV7Ids(clock), log, timeZoneVersion: judgesBy });
    started.push(made);
    return made;
  };
  // The first heartbeat is being written when `start` returns.
  const beaten = async (rows: number): Promise<void> => {
    await vi.waitFor(async () => expect(await seen()).toHaveLength(rows));
  };
  const seen = () => database.storage.db.select().from(database.tables.workers);
  /** Queues whose oldest rows have been due for this long; null: nothing is due. */
  const look = (waitedMs: Record<string, number | null> = {}) => {
    // Safe: valid queue names; the fake below reads nothing else.
    const queues = Object.keys(waitedMs).map((name) => ({ name, claim: { id: name } as never }));
    const nextDueInMs: Storage['nextDueInMs'] = async ({ id }) => {
      const waited = waitedMs[id] ?? null;
      return waited === null ? null : -waited;
    };
    const { storage, tables } = database;
    return workforce({ storage: { ...storage, db: storage.db, nextDueInMs }, tables }, queues);
  };

  it('heartbeats tell another process that a worker runs, however long work has waited', async () => {
    worker().start();
    await beaten(1);
    expect(await look({ messages: 3_600_000 })).toEqual({ ok: true, detail: 'in another process' });
    clock.advance(35_000);
    expect((await look({ messages: 3_600_000 })).ok).toBe(true);
  });

  it('a dead worker counts as alive for 35 s', async () => {
    worker().start();
    await beaten(1);
    clock.advance(35_001);
    expect(await look({ messages: 60_001 })).toEqual({
      ok: false,
      detail: 'nobody works, and messages have waited for 60 s: start a worker',
    });
  });

  it('a missing worker is reported only if work has waited for more than a minute', async () => {
    expect(await look()).toEqual({ ok: true, detail: 'nobody works, and nothing waits' });
    expect((await look({ messages: 60_000, runs: null, sends: -5_000 })).ok).toBe(true);
    expect(await look({ messages: 70_000, runs: 90_000, sends: null })).toEqual({
      ok: false,
      detail: 'nobody works, and runs have waited for 90 s: start a worker',
    });
  });

  it('a heartbeat ends with its worker, and those of others continue', async () => {
    const [one, other] = [worker(), worker()];
    one.start();
    one.start();
    other.start();
    await beaten(2);
    await one.stop();
    await one.stop();
    expect(await seen()).toHaveLength(1);
    await other.stop();
    expect(await seen()).toEqual([]);
    one.start();
    await beaten(1);
  });

  it("heartbeats report each worker's time-zone data while it counts as alive", async () => {
    expect(await timeZonesOfWorkers(database)).toEqual([]);
    for (const version of ['2026c', '2025b', '2026c']) worker(database.storage, version).start();
    await beaten(3);
    expect(await timeZonesOfWorkers(database)).toEqual(['2025b', '2026c']);
    clock.advance(35_000);
    expect(await timeZonesOfWorkers(database)).toEqual(['2025b', '2026c']);
    clock.advance(1);
    expect(await timeZonesOfWorkers(database)).toEqual([]);
  });

  it('heartbeats of dead workers are deleted after an hour', async () => {
    const dead = { id: uuidV7Ids(clock).next(), lastSeenAt: clock.now(), timeZoneData: '2026c' };
    await database.storage.db.insert(database.tables.workers).values(dead);
    clock.advance(3_600_001);
    worker().start();
    await vi.waitFor(async () => expect((await seen())[0]?.lastSeenAt).toEqual(clock.now()));
    await beaten(1);
  });

  it('a heartbeat that cannot be written is logged, and the worker continues', async () => {
    const now = () => Promise.reject(new Error('out of reach'));
    const broken = worker({ ...database.storage, db: database.storage.db, now });
    broken.start();
    await later(20);
    expect(warned).toEqual([{ error: new Error('out of reach') }]);
    await broken.stop();
  });
});
