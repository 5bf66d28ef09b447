import { describe, expect, it } from 'vitest';
import type { OpenDatabase } from '../storage/open.ts';
import { type AskWorkers, healthOf } from './health.ts';

const current = { pending: [], isNewer: false };
const database = (state: () => Promise<unknown>): OpenDatabase =>
  // Safe: nothing else of it is asked.
  ({ dialect: 'sqlite', state }) as unknown as OpenDatabase;
const workers = (...versions: string[]): AskWorkers => ({
  workforce: async () => ({ ok: true, detail: 'in another process' }),
  timeZones: async () => versions,
});

describe('how a service stands', () => {
  it('is ok where everybody who works has the same time-zone data, whose version it shows', async () => {
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

  it('is degraded, and still ready, while two workers have different time-zone data', async () => {
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
        checks: { timezones: { ok: false, detail: 'workers judge by 2025b and 2026c: run one version' } },
      });
  });

  it('is unready where its schema is of another version, whose workers nobody asks, and where nothing answers', async () => {
    const asked = async (): Promise<never> => {
      throw new Error('asked');
    };
    const old = database(async () => ({ pending: ['0001'], isNewer: false }));
    expect(await healthOf(old, false, { workforce: asked, timeZones: asked })).toMatchObject({
      ready: false,
      status: 'unready',
      checks: { schema: { ok: false }, timezones: { ok: true } },
    });
    const away = database(() => Promise.reject(new Error('away')));
    expect(await healthOf(away, true, workers('2025b', '2026c'))).toMatchObject({
      ready: false,
      status: 'unready',
      checks: { database: { ok: false } },
    });
  });
});
