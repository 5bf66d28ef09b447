import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { type VirtualClock, virtualClock } from '../../foundation/clock.ts';
import { BeckonError } from '../../foundation/errors.ts';
import type { BucketDelta } from './exchange.ts';
import { limitsEngine } from './limits.ts';
import { callBucketStore } from './store.ts';

const CALL = { kind: 'secret', network: '203.0.113.7', orgId: 'org-a', projectId: 'app' } as const;
const NOW_US = Date.parse('2026-03-01T12:00:00.000Z') * 1_000;

describe('call limits', () => {
  let database: TestDatabase;
  let clock: VirtualClock;
  beforeEach(async () => {
    clock = virtualClock('2026-03-01T12:00:00.000Z');
    database = await openTestDatabase({ clock });
  });
  afterEach(() => database.close());

  const engine = (plan = { isOpen: true }) => {
    const { storage, tables } = database;
    const require = async () => {
      if (!plan.isOpen) throw new BeckonError('tier_required', 'No.', { details: { requiredPlan: 'business' } });
    };
    const plans = { allows: async () => plan.isOpen, require };
    return limitsEngine({ storage, tables, clock, isOrg: async (id) => id === 'org-a', plans });
  };

  it("an organization's call rates apply at once here and within 10 s elsewhere, while its plan includes them", async () => {
    const plan = { isOpen: true };
    const [here, there] = [engine(plan).api, engine(plan).api];
    const burst = async ({ calls }: typeof here) => (await calls.bucketOf(CALL)).burst;
    expect([await burst(here), await burst(there)]).toEqual([200, 200]);
    await here.setCallRate('org-a', 'secret', 600);
    await here.setCallRate('org-a', 'secret', 700);
    expect([await burst(here), await burst(there), await here.callRates('org-a')]).toEqual([700, 200, { secret: 700 }]);
    clock.advance(10_000);
    expect(await burst(there)).toBe(700);
    plan.isOpen = false;
    expect(await burst(here)).toBe(200);
    await expect(here.setCallRate('org-a', 'sdk', 600)).rejects.toMatchObject({ code: 'tier_required' });
    await here.setCallRate('org-a', 'secret', null);
    expect(await here.callRates('org-a')).toEqual({});
    for (const wrong of [0, 1.5, 1_000_001])
      await expect(here.setCallRate('org-a', 'secret', wrong)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    // Safe: input that a caller without types may pass.
    await expect(here.setCallRate('org-a', 'ingest' as 'sdk', 5)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(here.setCallRate('nobody', 'secret', 5)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('16 concurrent calls take as much from a shared row as sequential ones', async () => {
    const { storage, tables } = database;
    const store = callBucketStore({ db: storage.db, tables });
    const telling = (unsynced: number, requested: number, digest = 'd'): BucketDelta & { digest: string } => ({
      ...{ key: `key of ${digest}`, digest, periodUs: 300_000, burst: 200, unsynced, requested },
    });
    const all = await Promise.all(
      Array.from({ length: 16 }, (_, at) =>
        store.swap(
          [telling(1, 20), telling(0, 1, at % 2 ? 'b' : 'c')].toSorted(() => (at % 3 ? 1 : -1)),
          NOW_US,
        ),
      ),
    );
    const granted = all.flat().filter(({ key }) => key === 'key of d');
    // Granted amounts never exceed the bucket; unsynced amounts are always added.
    expect(granted.map((one) => one.granted).sort((a, b) => b - a)).toEqual([
      ...Array<number>(9).fill(20),
      10,
      ...Array<number>(6).fill(0),
    ]);
    expect(Math.max(...granted.map(({ backlogUs }) => backlogUs))).toBe((16 + 190) * 300_000);
    expect(await store.swap([telling(-7, 0)], NOW_US)).toEqual([
      { key: 'key of d', granted: 0, backlogUs: 199 * 300_000 },
    ]);
    expect(await store.swap([telling(0, 5)], NOW_US + 600_000)).toMatchObject([{ granted: 3 }]);
    expect(await store.swap([telling(300, 5, 'new')], NOW_US)).toMatchObject([{ granted: 0, backlogUs: 90_000_000 }]);
  });

  it('a full bucket leaves no row', async () => {
    const { storage, tables } = database;
    const store = callBucketStore({ db: storage.db, tables });
    const rate = { periodUs: 1_000, burst: 5_000, requested: 0 };
    await store.swap([{ ...rate, key: 'a', digest: 'a', unsynced: 100 }], NOW_US);
    await store.swap([{ ...rate, key: 'b', digest: 'b', unsynced: 200 }], NOW_US);
    expect(await store.removeFull(NOW_US + 100_000, 10)).toBe(1);
    expect(await store.removeFull(NOW_US + 200_000, 10)).toBe(1);
    expect(await store.removeFull(NOW_US + 300_000, 10)).toBe(0);
  });
});
