import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { zoneClock } from './zone-clock.ts';
import { dayStart, firstDayFrom } from './zone-days.ts';

const DAY_MS = 86_400_000;
const day = (text: string): number => Date.parse(`${text}T00:00:00Z`);
const zone = (name: string) => {
  const clock = zoneClock(name);
  if (clock === null) throw new Error(`no zone ${name}`);
  return clock;
};
const start = (name: string, text: string): string => new Date(dayStart(zone(name), day(text))).toISOString();

describe('dayStart', () => {
  it('dayStart is midnight in the zone, before and after a change of clocks', () => {
    expect(start('Europe/Paris', '2026-03-29')).toBe('2026-03-28T23:00:00.000Z');
    expect(start('Europe/Paris', '2026-03-30')).toBe('2026-03-29T22:00:00.000Z');
    expect(start('Asia/Kathmandu', '2026-03-29')).toBe('2026-03-28T18:15:00.000Z');
    expect(start('America/New_York', '2026-03-08')).toBe('2026-03-08T05:00:00.000Z');
    expect(start('Pacific/Kiritimati', '2026-03-08')).toBe('2026-03-07T10:00:00.000Z');
  });

  it('dayStart is the change of clocks if it skips midnight, and the first midnight if it repeats', () => {
    expect(start('America/Sao_Paulo', '2018-11-04')).toBe('2018-11-04T03:00:00.000Z');
    expect(start('America/Havana', '2026-11-01')).toBe('2026-11-01T04:00:00.000Z');
  });

  it('dayStart is the start of the next day if a zone skipped a day', () => {
    expect(start('Pacific/Apia', '2011-12-30')).toBe(start('Pacific/Apia', '2011-12-31'));
  });

  it('dayStart is midnight in UTC outside the years 1000 to 9999', () => {
    for (const text of ['0001-01-01', '0099-12-31', '0999-12-31'])
      expect(start('America/New_York', text)).toBe(`${text}T00:00:00.000Z`);
  });
});

describe('firstDayFrom', () => {
  it('firstDayFrom returns the first day that does not begin earlier, in every zone and year', () => {
    const zones = ['Europe/Berlin', 'America/New_York', 'Pacific/Apia', 'America/Havana', 'Pacific/Kiritimati', 'UTC'];
    const years = fc.oneof(
      fc.integer({ min: day('0990-01-01'), max: day('9999-12-31') + 2 * DAY_MS }),
      fc.integer({ min: day('2010-01-01'), max: day('2030-01-01') }),
      fc.constantFrom(...['2011-12-29', '2011-12-30', '2011-12-31', '2026-11-01', '9999-12-31', '1000-01-01'].map(day)),
    );
    fc.assert(
      fc.property(fc.constantFrom(...zones), years, (name, at) => {
        const clock = zone(name);
        const first = firstDayFrom(clock, at);
        expect(Number.isInteger(first / DAY_MS)).toBe(true);
        expect(dayStart(clock, first)).toBeGreaterThanOrEqual(at);
        expect(dayStart(clock, first - DAY_MS)).toBeLessThan(at);
        expect(dayStart(clock, first + DAY_MS)).toBeGreaterThanOrEqual(dayStart(clock, first));
      }),
      { numRuns: 300 },
    );
  });
});
