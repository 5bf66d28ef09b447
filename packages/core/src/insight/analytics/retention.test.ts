import { describe, expect, it } from 'vitest';
import { randomEvents, randomRange } from '../../../test/support/analytics/brute.ts';
import { memoryStore } from '../../../test/support/analytics/memory-store.ts';
import { questionOf } from '../../../test/support/analytics/question.ts';
import { seeded } from '../../../test/support/seeded.ts';
import { intervalOf } from '../../automation/runs/figures/interval.ts';
import { QUARTER_MS } from './quarters.ts';
import { retentionOf } from './retention.ts';

const END = new Date('2026-10-31T12:07:00.000Z').getTime();

describe('retentionOf', () => {
  it('retention equals a brute-force evaluation of each user', async () => {
    const random = seeded(3);
    let differences = 0;
    for (let round = 0; round < 40; round += 1) {
      const span = { days: 90, endMs: END };
      const events = randomEvents(random, { ...span, count: 150 });
      const requested = {
        ...randomRange(random, span),
        interval: round % 2 === 0 ? ('day' as const) : ('week' as const),
      };
      const answer = await retentionOf(memoryStore(events), questionOf(requested));
      const [fromMs, toMs] = [requested.from * QUARTER_MS, requested.to * QUARTER_MS];
      const expected = new Map<string, number>();
      const mine = events.filter(({ source, timestamp }) => source === 'customer' && timestamp.getTime() < toMs);
      let people = 0;
      for (const theirs of Map.groupBy(mine, ({ personKey }) => personKey).values()) {
        const times = theirs.map(({ timestamp }) => timestamp.getTime());
        if (Math.min(...times) < fromMs) continue;
        people += 1;
        const first = intervalOf(Math.min(...times), requested.interval, requested.zone);
        for (const at of new Set(times.map((ms) => intervalOf(ms, requested.interval, requested.zone))))
          expected.set(`${first} ${at}`, (expected.get(`${first} ${at}`) ?? 0) + 1);
      }
      const found = answer.series.flatMap(({ key, points }) => points.map(([at, n]) => [`${key} ${at}`, n]));
      const sorted = (list: readonly unknown[]): string => JSON.stringify(list.map(String).sort());
      if (sorted(found) !== sorted([...expected]) || answer.totals.people !== people) differences += 1;
      expect(differences, requested.name).toBe(0);
    }
  });

  it('retention by hour is rejected', async () => {
    const requested = randomRange(seeded(1), { days: 3, endMs: END });
    await expect(retentionOf(memoryStore([]), questionOf({ ...requested, interval: 'hour' }))).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });
});
