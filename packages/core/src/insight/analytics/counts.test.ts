import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bruteOf, randomEvents, randomRange } from '../../../test/support/analytics/brute.ts';
import { memoryStore } from '../../../test/support/analytics/memory-store.ts';
import { questionOf } from '../../../test/support/analytics/question.ts';
import { seeded } from '../../../test/support/seeded.ts';
import { countEvents } from './events.ts';
import { countPeople } from './people.ts';
import { quarterOf } from './quarters.ts';
import { partsOf, queryRangeOf, rangeOf } from './range.ts';

const NOW = new Date('2026-11-01T12:07:00.000Z');
const KEPT = { now: NOW, retentionDays: 400, latestEnd: 'interval' } as const;

describe('event counts', () => {
  it('counts equal a brute-force count, in zones of any offset and over clock changes', async () => {
    const seed = Number(process.env['BECKON_TEST_SEED'] ?? 1 + Math.floor(Math.random() * 1e9));
    const random = seeded(seed);
    let [points, differences] = [0, 0];
    for (let round = 0; round < 8; round += 1) {
      const span = { days: 400, endMs: NOW.getTime() };
      const events = randomEvents(random, { ...span, count: 2_000 });
      const store = memoryStore(events);
      for (let n = 0; n < 15; n += 1) {
        const requested = randomRange(random, { ...span, days: n < 5 ? 3 : 400 });
        const question = questionOf(requested);
        const counts = (await countEvents(store, question, {}, null)).get('') ?? new Map();
        const people = await countPeople(store, question);
        const brute = bruteOf(events, requested);
        points += brute.counts.size + brute.people.size + 1;
        const text = (map: ReadonlyMap<string, number>): string => JSON.stringify([...map].sort());
        if (text(counts) !== text(brute.counts)) differences += 1;
        if (text(people.points) !== text(brute.people) || people.people !== brute.everybody) differences += 1;
        expect(differences, `seed ${seed}, ${requested.name}`).toBe(0);
      }
    }
    console.log(
      `analytics: ${points} points of 120 questions compared with a count of each event: differences ${differences}`,
    );
  });
});

describe('the range of a query', () => {
  const requested = (query: Parameters<typeof queryRangeOf>[0]) => queryRangeOf(query, KEPT);

  it('a range is extended to whole quarters, and defaults to the last 30 days', () => {
    const from = new Date('2026-10-31T10:14:59.999Z');
    expect(rangeOf(requested({ from }))).toEqual({
      from: new Date('2026-10-31T10:00:00.000Z'),
      to: new Date('2026-11-01T12:15:00.000Z'),
      clamped: false,
    });
    expect(rangeOf(requested({})).from).toEqual(new Date('2026-10-02T12:00:00.000Z'));
  });

  it('a range begins at the retention limit at the earliest', () => {
    const range = rangeOf(requested({ from: new Date('2020-01-01') }));
    expect(range).toMatchObject({ from: new Date('2025-09-27T12:00:00.000Z'), clamped: true });
    const before = requested({ from: new Date('2020-01-01'), to: new Date('2021-01-01') });
    expect([before.from === before.to, partsOf(before)]).toEqual([true, []]);
  });

  const atLatest = (query: Parameters<typeof queryRangeOf>[0], latestEnd: 'interval' | 'now') =>
    rangeOf(queryRangeOf(query, { ...KEPT, latestEnd }));
  const to = new Date('9999-12-31T23:59:59.999Z');

  it.each([
    ['hour', 'UTC', '2026-11-01T13:00:00.000Z'],
    ['hour', 'Asia/Kathmandu', '2026-11-01T12:15:00.000Z'],
    ['day', 'UTC', '2026-11-02T00:00:00.000Z'],
    ['day', 'America/New_York', '2026-11-02T05:00:00.000Z'],
    ['week', 'UTC', '2026-11-02T00:00:00.000Z'],
    ['week', 'Pacific/Auckland', '2026-11-08T11:00:00.000Z'],
    ['month', 'Europe/Berlin', '2026-11-30T23:00:00.000Z'],
  ] as const)('a range into the far future ends with the current %s in %s', (interval, timezone, end) => {
    expect(atLatest({ interval, timezone, to }, 'interval')).toMatchObject({ to: new Date(end), clamped: true });
  });

  it('a range into the far future ends now if only the past can be counted', () => {
    const end = new Date('2026-11-01T12:15:00.000Z');
    expect(atLatest({ interval: 'month', to }, 'now')).toMatchObject({ to: end, clamped: true });
    expect(atLatest({ interval: 'month', to: end }, 'now')).toMatchObject({ to: end, clamped: false });
  });

  it('a range that ends within the current interval is not shortened', () => {
    const day = { to: new Date('2026-11-02T00:00:00.000Z') };
    expect(atLatest(day, 'interval')).toMatchObject({ ...day, clamped: false });
    expect(atLatest({ to: new Date('2026-11-02T00:00:00.001Z') }, 'interval')).toMatchObject({ ...day, clamped: true });
  });

  it('a range completely in the future is empty', () => {
    const future = requested({ from: new Date('5000-01-01'), to });
    expect([future.from, partsOf(future), future.isClamped]).toEqual([future.to, [], true]);
  });

  it('a range without a start has the 30 days before its end, also if the end is moved', () => {
    expect(atLatest({ to }, 'interval').from).toEqual(new Date('2026-10-03T00:00:00.000Z'));
  });

  it('a range never has more intervals than the retention and the current one', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1000-01-01'), max: to, noInvalidDate: true }),
        fc.date({ min: new Date('1000-01-01'), max: to, noInvalidDate: true }),
        fc.constantFrom('hour', 'day', 'week', 'month'),
        fc.constantFrom('UTC', 'America/New_York', 'Pacific/Chatham', 'Africa/Casablanca'),
        (one, other, interval, timezone) => {
          const [from, until] = one < other ? [one, other] : [other, one];
          const parts = partsOf(requested({ from, to: until, interval, timezone }));
          expect(parts.length).toBeLessThan(60);
          const hours = parts.reduce((sum, part) => sum + part.hours.to - part.hours.from, 0);
          expect(hours).toBeLessThanOrEqual((KEPT.retentionDays + 32) * 24);
        },
      ),
    );
  });

  it('an end before the start, and an invalid zone or interval are rejected', () => {
    const [early, late] = [new Date('2026-01-01'), new Date('2026-01-02')];
    expect(() => requested({ from: late, to: early })).toThrow(expect.objectContaining({ code: 'INVALID_RANGE' }));
    expect(() => requested({ timezone: 'Mars/Olympus' })).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR' }),
    );
    // Safe: an untyped JavaScript caller.
    const interval = 'year' as 'day';
    expect(() => requested({ interval })).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }));
  });

  it('a range is split at quarters and clock changes without loss', () => {
    const random = seeded(7);
    for (let n = 0; n < 200; n += 1) {
      const one = randomRange(random, { days: 400, endMs: NOW.getTime() });
      const parts = partsOf(one);
      const quarters = parts.flatMap(({ hours, first, last }) =>
        Array.from({ length: hours.to - hours.from }, (_, at) => hours.from + at).flatMap((hour) =>
          Array.from({ length: last - first }, (_, at) => hour * 4 + first + at),
        ),
      );
      expect(quarters.length, one.name).toBe(one.to - one.from);
      expect([quarters[0], quarters.at(-1)], one.name).toEqual([one.from, one.to - 1]);
    }
    expect(quarterOf(-1)).toBe(-1);
  });
});
