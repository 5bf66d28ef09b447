import { describe, expect, it } from 'vitest';
import { type ZoneClock, zoneClock } from './zone-clock.ts';

const HOUR_MS = 3_600_000;
const known = (zone: string): ZoneClock => {
  const clock = zoneClock(zone);
  if (!clock) throw new Error(`no zone ${zone}`);
  return clock;
};
const offset = (zone: string, at: string): number => known(zone).spanAt(Date.parse(at)).offsetMs / HOUR_MS;

describe('zoneClock', () => {
  it.each(['Mars/Olympus', '', 'Europe/Paris ', '\0'])('zoneClock returns null for %j', (zone) => {
    expect(zoneClock(zone)).toBeNull();
    expect(zoneClock(zone)).toBeNull();
  });

  it('a zone clock handles offsets of whole, half and quarter hours in both hemispheres', () => {
    expect(offset('UTC', '2026-07-01T00:00:00.000Z')).toBe(0);
    expect(offset('Europe/Paris', '2026-07-01T00:00:00.000Z')).toBe(2);
    expect(offset('Asia/Kolkata', '2026-07-01T00:00:00.000Z')).toBe(5.5);
    expect(offset('Asia/Kathmandu', '2026-07-01T00:00:00.000Z')).toBe(5.75);
    expect(offset('America/St_Johns', '2026-01-01T00:00:00.000Z')).toBe(-3.5);
    expect(offset('Pacific/Kiritimati', '2026-01-01T00:00:00.000Z')).toBe(14);
    expect(offset('America/New_York', '1969-07-20T20:17:40.500Z')).toBe(-4);
  });

  it.each([
    ['America/New_York', '2026-03-08T07:00:00.000Z', -5, -4],
    ['America/New_York', '2026-11-01T06:00:00.000Z', -4, -5],
    ['Australia/Lord_Howe', '2026-10-03T15:30:00.000Z', 10.5, 11],
    ['Pacific/Apia', '2011-12-30T10:00:00.000Z', -10, 14],
  ])(
    'the clock of %s changes in the very millisecond of %s, whichever side is read first',
    (zone, at, before, after) => {
      const ms = Date.parse(at);
      for (const [at, first] of [ms - 1, ms, ms - 3 * HOUR_MS, ms + 3 * HOUR_MS].entries()) {
        // Another spelling is a separate clock with an empty cache.
        const clock = known(zone.slice(0, at) + zone.slice(at).toUpperCase());
        clock.spanAt(first);
        expect(clock.spanAt(ms - 1)).toMatchObject({ to: ms, offsetMs: before * HOUR_MS });
        expect(clock.spanAt(ms)).toMatchObject({ offsetMs: after * HOUR_MS });
      }
    },
  );

  it('a zone clock computes a few spans a year, however often it is read', () => {
    const start = Date.parse('2026-02-03T10:00:00.000Z');
    const clock = known('america/chicago');
    const week = new Set(Array.from({ length: 7 * 1_440 }, (_, minute) => clock.spanAt(start + minute * 60_000)));
    expect(week.size).toBe(1);
    const year = new Set(Array.from({ length: 365 * 24 }, (_, hour) => clock.spanAt(start + hour * HOUR_MS)));
    expect(year.size).toBeLessThan(50);
  });

  it('a zone clock caches several spans', () => {
    const now = Date.parse('2026-02-03T10:00:00.000Z');
    const clock = known('America/denver');
    const first = clock.spanAt(now);
    const later = clock.spanAt(now + 30 * 24 * HOUR_MS);
    expect(later).not.toBe(first);
    expect(clock.spanAt(now)).toBe(first);
    expect(clock.spanAt(now + 30 * 24 * HOUR_MS)).toBe(later);
  });
});
