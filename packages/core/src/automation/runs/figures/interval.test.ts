import { describe, expect, it } from 'vitest';
import { type ZoneClock, zoneClock } from '../../../foundation/zone-clock.ts';
import { FIGURE_INTERVALS, type FigureInterval } from './api.ts';
import { intervalOf } from './interval.ts';

const clockOf = (zone: string): ZoneClock => {
  const clock = zoneClock(zone);
  if (!clock) throw new Error(`no zone ${zone}`);
  return clock;
};
const at = (moment: string, interval: FigureInterval, zone: string) =>
  intervalOf(Date.parse(moment), interval, clockOf(zone));

describe('intervalOf', () => {
  it.each([
    ['2026-03-08T23:30:00Z', 'UTC', '2026-03-08', '2026-03-02', '2026-03-01', '2026-03-08T23:00:00.000Z'],
    ['2026-03-08T23:30:00Z', 'Europe/Berlin', '2026-03-09', '2026-03-09', '2026-03-01', '2026-03-08T23:00:00.000Z'],
    ['2026-03-01T04:59:00Z', 'America/New_York', '2026-02-28', '2026-02-23', '2026-02-01', '2026-03-01T04:00:00.000Z'],
    ['2026-03-01T05:00:00Z', 'Asia/Kolkata', '2026-03-01', '2026-02-23', '2026-03-01', '2026-03-01T04:30:00.000Z'],
    ['1969-12-31T23:30:00Z', 'UTC', '1969-12-31', '1969-12-29', '1969-12-01', '1969-12-31T23:00:00.000Z'],
  ])("the interval %s in %s begins by the zone's local time", (moment, zone, day, week, month, hour) => {
    expect(FIGURE_INTERVALS.map((interval) => at(moment, interval, zone))).toEqual([hour, day, week, month]);
  });

  it('a day with a clock change is one interval, and a repeated hour is two', () => {
    const [first, second] = ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'];
    expect([first, second].map((one) => at(one, 'day', 'Europe/Berlin'))).toEqual(['2026-10-25', '2026-10-25']);
    expect([first, second].map((one) => at(one, 'hour', 'Europe/Berlin'))).toEqual([
      '2026-10-25T00:00:00.000Z',
      '2026-10-25T01:00:00.000Z',
    ]);
  });
});
