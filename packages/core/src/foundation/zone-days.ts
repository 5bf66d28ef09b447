// Start of days in a time zone. A day is identified by the milliseconds of its midnight in UTC.

import { FIRST_MOMENT_MS, LAST_MOMENT_MS } from './moments.ts';
import type { ZoneClock } from './zone-clock.ts';

const DAY_MS = 86_400_000;
/** The largest offset that any zone ever had. Earlier than that, a day has begun nowhere. */
const MAX_OFFSET_MS = 16 * 3_600_000;

/**
 * The first moment at which the clock of a zone shows this day or a later one: midnight, or the change of clocks that
 * skips it. Outside the years 1000 to 9999, the day begins as in UTC. In milliseconds. Throws nothing.
 */
export const dayStart = (zone: ZoneClock, dayMs: number): number => {
  if (dayMs < FIRST_MOMENT_MS || dayMs > LAST_MOMENT_MS) return dayMs;
  for (let at = dayMs - MAX_OFFSET_MS; ; ) {
    const { to, offsetMs } = zone.spanAt(at);
    const midnight = dayMs - offsetMs;
    if (midnight < to) return Math.max(midnight, at);
    at = to;
  }
};

/** The first day that begins at this moment or later, according to `dayStart`. Throws nothing. */
export const firstDayFrom = (zone: ZoneClock, atMs: number): number => {
  let day = Math.floor(atMs / DAY_MS) * DAY_MS;
  while (dayStart(zone, day) < atMs) day += DAY_MS;
  while (dayStart(zone, day - DAY_MS) >= atMs) day -= DAY_MS;
  return day;
};
