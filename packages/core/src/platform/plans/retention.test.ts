import { describe, expect, it } from 'vitest';
import { virtualClock } from '../../foundation/clock.ts';
import { millisecondOf } from '../../foundation/derived-id.ts';
import type { Scope } from '../../foundation/scope.ts';
import { planTable } from './plan.ts';
import { retention, SLICE, STEP } from './retention.ts';

const DAY_MS = 86_400_000;
const NOW = '2026-03-10T10:00:00.000Z';

describe('retention', () => {
  /** Expired rows by scope; scopes 1 and 2 belong to a free organization, 3 to one without limits. */
  const walking = (events: Record<number, number>, runs: Record<number, number> = {}) => {
    const clock = virtualClock(NOW);
    const asked: string[] = [];
    const rows = { events, runs };
    const expiring = (name: 'events' | 'runs') => ({
      name,
      expire: async ({ scopeId }: { readonly scopeId: number }, below: string, limit: number) => {
        const days = (clock.now().getTime() - millisecondOf(below)) / DAY_MS;
        const count = Math.min(limit, rows[name][scopeId] ?? 0);
        rows[name][scopeId] = (rows[name][scopeId] ?? 0) - count;
        asked.push(`${name} of ${scopeId}: ${days} days, ${count}`);
        return count;
      },
    });
    const table = planTable();
    const upkeep = retention({
      clock,
      // Safe: only the organization is read.
      scopes: { load: async () => (scopeId) => ({ orgId: scopeId === 3 ? 'unlimited' : 'free' }) as Scope },
      scopeIdsOfAll: async () => [1, 2, 3],
      plans: { of: async (orgId) => table.find(orgId) ?? table.least },
      list: [expiring('events'), expiring('runs')],
    });
    return { asked, upkeep, clock };
  };

  it('retention walks over all scopes and kinds of rows, with the days of each plan', async () => {
    const { asked, upkeep } = walking({});
    expect(await upkeep.run()).toBe(false);
    expect(asked).toEqual([
      ...[1, 2].flatMap((scope) => [`events of ${scope}: 30 days, 0`, `runs of ${scope}: 30 days, 0`]),
      'events of 3: 400 days, 0',
      'runs of 3: 400 days, 0',
    ]);
  });

  it('retention deletes in slices, a limited number per step, until none is left', async () => {
    const { asked, upkeep } = walking({ 1: STEP + SLICE + 1 }, { 3: 2 });
    expect(await upkeep.run()).toBe(true);
    const slice = `events of 1: 30 days, ${SLICE}`;
    expect(asked).toEqual(Array(STEP / SLICE).fill(slice));
    expect(await upkeep.run()).toBe(false);
    expect(asked.slice(STEP / SLICE).filter((line) => !line.endsWith(' 0'))).toEqual([
      ...[slice, 'events of 1: 30 days, 1', 'runs of 3: 400 days, 2'],
    ]);
  });

  it('retention pauses for an hour after a walk, and no longer if the clock is set back', async () => {
    const { asked, upkeep, clock } = walking({});
    await upkeep.run();
    clock.advance(3_599_999);
    await upkeep.run();
    expect(asked).toHaveLength(6);
    clock.advance(1);
    await upkeep.run();
    expect(asked).toHaveLength(12);
    clock.set(new Date('2026-01-01T00:00:00.000Z'));
    await upkeep.run();
    expect(asked).toHaveLength(18);
  });
});
