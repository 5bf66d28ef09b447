import { describe, expect, it } from 'vitest';
import { questionOf } from '../../../test/support/analytics/question.ts';
import { seeded } from '../../../test/support/seeded.ts';
import { digest48 } from '../../foundation/hash.ts';
import { type FunnelLog, funnelOf } from './funnel.ts';
import { queryRangeOf } from './range.ts';

const NOW = new Date('2026-11-01T12:00:00.000Z');
const HOUR_MS = 3_600_000;
const BODY = { steps: ['seen', 'tried', 'bought'], windowHours: 24 };
const queryRange = queryRangeOf(
  { from: new Date('2026-10-01'), to: new Date('2026-10-20') },
  { now: NOW, retentionDays: 400, latestEnd: 'interval' },
);

type Event = { readonly personKey: number; readonly eventType: string; readonly timestamp: Date };
/** A log whose ids are positions. */
const logOf = (events: readonly Event[]): FunnelLog => {
  const placeOf = (id: string): number => (id.includes('-') ? 0 : Number(id));
  return {
    endOfSlice: async (_, after, limit) => {
      const end = Math.min(placeOf(after) + limit, events.length);
      return end > placeOf(after) ? String(end) : null;
    },
    namedBetween: async (_, names, after, upTo) =>
      events.slice(placeOf(after), placeOf(upTo)).filter(({ eventType }) => names.includes(eventType)),
  };
};
const event = (person: string, eventType: string, at: string): Event => ({
  personKey: digest48(person),
  eventType,
  timestamp: new Date(at),
});

describe('funnelOf', () => {
  it('users are counted by how far they got, at the time of their first step', async () => {
    const log = logOf([
      event('late', 'bought', '2026-10-21T10:00:00Z'),
      event('ann', 'seen', '2026-10-02T10:00:00Z'),
      event('bob', 'seen', '2026-10-02T11:00:00Z'),
      event('ann', 'bought', '2026-10-03T09:00:00Z'),
      event('ann', 'tried', '2026-10-02T12:00:00Z'),
      event('bob', 'tried', '2026-10-04T11:00:00Z'),
      event('cas', 'tried', '2026-10-02T11:00:00Z'),
      event('dan', 'seen', '2026-09-30T11:00:00Z'),
      event('eve', 'seen', '2026-10-19T23:00:00Z'),
      event('eve', 'tried', '2026-10-20T22:00:00Z'),
    ]);
    expect(await funnelOf(log, questionOf(queryRange), BODY)).toEqual({
      series: [
        {
          key: '1:seen',
          points: [
            ['2026-10-02', 2],
            ['2026-10-19', 1],
          ],
        },
        {
          key: '2:tried',
          points: [
            ['2026-10-02', 1],
            ['2026-10-19', 1],
          ],
        },
        { key: '3:bought', points: [['2026-10-02', 1]] },
      ],
      totals: {
        steps: [
          { eventType: 'seen', people: 3 },
          { eventType: 'tried', people: 2 },
          { eventType: 'bought', people: 1 },
        ],
        conversion: 1 / 3,
        isEstimated: false,
      },
      range: { from: new Date('2026-10-01'), to: new Date('2026-10-20'), clamped: false },
      computedAt: new Date('2026-11-01T00:00:00.000Z'),
    });
  });

  it('users are counted by a sample if there are too many events', async () => {
    const random = seeded(5);
    const begin = new Date('2026-10-01').getTime();
    const events = Array.from({ length: 20_000 }, (_, n): Event[] => {
      const ms = begin + Math.floor(random() * 400 * HOUR_MS);
      const at = (hours: number): string => new Date(ms + hours * HOUR_MS).toISOString();
      const seen = event(`u${n}`, 'seen', at(0));
      return n % 4 === 0 ? [seen, event(`u${n}`, 'tried', at(1))] : [seen];
    }).flat();
    const { totals } = await funnelOf(logOf(events), questionOf(queryRange), BODY, 5_000);
    expect(totals.isEstimated).toBe(true);
    expect(Math.abs((totals.steps[0]?.people ?? 0) / 20_000 - 1)).toBeLessThan(0.1);
    expect(Math.abs((totals.steps[1]?.people ?? 0) / 5_000 - 1)).toBeLessThan(0.2);
  });
});
