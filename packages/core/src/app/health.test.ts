import { describe, expect, it } from 'vitest';
import type { OpenDatabase } from '../database/open.ts';
import { type AskWorkers, healthOf } from './work.ts';

const current = { pending: [], isNewer: false, isCompatible: true, newerVersion: null };
const database = (state: () => Promise<unknown>): OpenDatabase =>
  // Safe: nothing else of it is used.
  ({ dialect: 'sqlite', state }) as unknown as OpenDatabase;
const workers = (...versions: string[]): AskWorkers => ({
  workforce: async () => ({ ok: true, detail: 'in another process' }),
  timeZones: async () => versions,
});

describe('health of a service', () => {
  it('health is ok and shows the time zone data version if all workers have the same', async () => {
    const detail = process.versions.tz;
    for (const versions of [[], ['2025b']])
      expect(
        await healthOf(
          database(async () => current),
          false,
          workers(...versions),
        ),
      ).toMatchObject({
        ready: true,
        status: 'ok',
        checks: { timezones: { ok: true, detail } },
      });
  });

  it('health is degraded and ready while two workers have different time zone data', async () => {
    for (const isWorking of [true, false])
      expect(
        await healthOf(
          database(async () => current),
          isWorking,
          workers('2025b', '2026c'),
        ),
      ).toMatchObject({
        ready: true,
        status: 'degraded',
        checks: {
          timezones: {
            ok: false,
            detail: 'workers have different time zone data (2025b and 2026c): run one version of Node',
          },
        },
      });
  });

  it('health is unready without checking workers if the schema has another version or the database does not respond', async () => {
    const unexpected = async (): Promise<never> => {
      throw new Error('asked');
    };
    const old = { ...current, pending: ['0001'], isCompatible: false };
    const later = { ...current, isNewer: true, isCompatible: false, newerVersion: '9.0.0' };
    for (const [state, detail] of [
      [old, '1 migrations missing'],
      [later, 'of Beckon 9.0.0, which this program cannot use: replace this process by that version'],
    ] as const)
      expect(
        await healthOf(
          database(async () => state),
          false,
          { workforce: unexpected, timeZones: unexpected },
        ),
      ).toMatchObject({
        ready: false,
        status: 'unready',
        checks: { schema: { ok: false, detail }, timezones: { ok: true } },
      });
    const away = database(() => Promise.reject(new Error('away')));
    expect(await healthOf(away, true, workers('2025b', '2026c'))).toMatchObject({
      ready: false,
      status: 'unready',
      checks: { database: { ok: false } },
    });
  });

  it('health is degraded and ready on the schema of the next minor release', async () => {
    const next = { ...current, isNewer: true, newerVersion: '0.2.0' };
    const health = await healthOf(
      database(async () => next),
      false,
      workers(),
    );
    const detail = 'of Beckon 0.2.0, which this program can use: replace this process by that version';
    expect(health).toMatchObject({ ready: true, status: 'degraded', checks: { schema: { ok: false, detail } } });
  });

  it('health is degraded and ready while jobs wait without a worker', async () => {
    const missing = { ok: false, detail: 'nobody works, and messages have waited for 61 s: start a worker' };
    const health = await healthOf(
      database(async () => current),
      false,
      { ...workers(), workforce: async () => missing },
    );
    expect(health).toMatchObject({ ready: true, status: 'degraded', checks: { worker: missing } });
  });

  it('health is degraded and ready, with the difference, while the clocks of host and database differ by more than 5 s', async () => {
    const at = (aheadMs: number) =>
      healthOf(
        database(async () => current),
        true,
        { ...workers(), hostAheadMs: () => aheadMs },
      );
    for (const aheadMs of [0, 5_000, -5_000])
      expect(await at(aheadMs)).toMatchObject({ status: 'ok', checks: { clock: { ok: true } } });
    for (const [aheadMs, difference] of [
      [5_001, '5.0 s ahead of'],
      [7_200_000, '2.0 h ahead of'],
      [-300_000, '5.0 min behind'],
    ] as const)
      expect(await at(aheadMs)).toMatchObject({
        ready: true,
        status: 'degraded',
        checks: {
          clock: {
            ok: false,
            detail: `this host's clock is ${difference} the database's: synchronize both with NTP`,
          },
        },
      });
  });

  it('health does not mention clocks if host and database share one', async () => {
    const health = await healthOf(
      database(async () => current),
      true,
      workers(),
    );
    expect('clock' in health.checks).toBe(false);
  });
});
