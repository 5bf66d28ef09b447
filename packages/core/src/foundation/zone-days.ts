// When days begin in a time zone. Days are named by the milliseconds of their midnight in UTC.

import { FIRST_MOMENT_MS, LAST_MOMENT_MS } from './moments.ts';
import type { ZoneClock } from './zone-clock.ts';

const DAY_MS = 86_400_000;
/** No zone was ever further from UTC; before that long a day has begun nowhere. */
const MOST_AHEAD_MS = 16 * 3_600_000;

/**
 * The first moment at which the clock of a zone shows this day or a later one: midnight, or where a change of clocks skips
 * it the moment of that change. Outside the years 1000 to 9999 a day begins as in UTC. In milliseconds. Throws nothing.
 */
export const dayStart = (zone: ZoneClock, dayMs: number): number => {
  if (dayMs < FIRST_MOMENT_MS || dayMs > LAST_MOMENT_MS) return dayMs;
  for (let at = dayMs - MOST_AHEAD_MS; ; ) {
    const { to, offsetMs } = zone.spanAt(at);
    const midnight = dayMs - offsetMs;
    if (midnight < to) return Math.max(midnight, at);
    at = to;
  }
};

/** The first day that begins at this moment or later, as `dayStart` says. Throws nothing. */
export const firstDayFrom = (zone: ZoneClock, atMs: number): number => {
  let day = Math.floor(atMs / DAY_MS) * DAY_MS;
  while (dayStart(zone, day) < atMs) day += DAY_MS;
  while (dayStart(zone, day - DAY_MS) >= atMs) day -= DAY_MS;
  return day;
};
