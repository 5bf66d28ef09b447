// When a zone's wall clock is in quiet hours and when it leaves them. Each moment is evaluated by its wall clock time,
// so hours that a clock change skips or repeats need no rule.

import type { ZoneClock } from '../../../../foundation/zone-clock.ts';
import { DAYS, type QuietHours } from '../../../settings/schema.ts';

/** A daily window for comparison: times in milliseconds of the day, days as bits, Sunday lowest. */
export type DayWindow = { readonly startMs: number; readonly endMs: number; readonly days: number };

const DAY_MS = 86_400_000;
const EVERY_DAY = 0b111_1111;
/** Weekday of 1970-01-01; Sunday is 0. */
const THURSDAY = 4;

const msOf = (time: string): number => (Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))) * 60_000;

/**
 * A daily window from two times such as 22:00.
 *
 * @param on weekdays on which it starts; empty: every day
 */
export const dayWindow = (start: string, end: string, on: readonly (typeof DAYS)[number][]): DayWindow => ({
  startMs: msOf(start),
  endMs: msOf(end),
  days: on.reduce((bits, day) => bits | (1 << DAYS.indexOf(day)), 0) || EVERY_DAY,
});

const windows = new WeakMap<QuietHours, DayWindow | { readonly isOff: true }>();

/** The window of a setting; null: off, also if start and end are equal. Throws nothing. */
export const windowOf = (setting: QuietHours): DayWindow | null => {
  let cached = windows.get(setting);
  if (!cached) {
    const window = dayWindow(setting.start, setting.end, setting.days);
    cached = setting.enabled && window.startMs !== window.endMs ? window : { isOff: true };
    windows.set(setting, cached);
  }
  return 'isOff' in cached ? null : cached;
};

/**
 * True if a wall clock is in the window, whose end is exclusive. A window with equal start and end lasts the whole day.
 *
 * @param localMs wall clock time as if it were UTC
 */
export const isWithin = ({ startMs, endMs, days }: DayWindow, localMs: number): boolean => {
  const day = Math.floor(localMs / DAY_MS);
  const timeMs = localMs - day * DAY_MS;
  // Shifted by whole weeks, so that days before 1970 also have a weekday.
  const weekday = (((day + THURSDAY) % 7) + 7) % 7;
  const startsOn = (weekdayOfStart: number): boolean => (days & (1 << weekdayOfStart)) !== 0;
  if (startMs < endMs) return timeMs >= startMs && timeMs < endMs && startsOn(weekday);
  if (timeMs >= startMs) return startsOn(weekday);
  return timeMs < endMs && startsOn((weekday + 6) % 7);
};

/** The next wall clock time after `localMs` at the window's end, without clock changes. */
const nextEnd = ({ endMs }: DayWindow, localMs: number): number => {
  const end = Math.floor(localMs / DAY_MS) * DAY_MS + endMs;
  return end > localMs ? end : end + DAY_MS;
};

/**
 * The first moment after `atMs` whose wall clock is not quiet, in epoch milliseconds; null: `atMs` itself is not quiet.
 * Pure except for the zone's cache. Source: semantics, Quiet hours.
 */
export const quietUntil = (window: DayWindow, zone: ZoneClock, atMs: number): number | null => {
  let { to, offsetMs } = zone.spanAt(atMs);
  if (!isWithin(window, atMs + offsetMs)) return null;
  let fromMs = atMs;
  for (;;) {
    const endMs = nextEnd(window, fromMs + offsetMs) - offsetMs;
    if (endMs < to) return endMs;
    fromMs = to;
    ({ to, offsetMs } = zone.spanAt(fromMs));
    if (!isWithin(window, fromMs + offsetMs)) return fromMs;
  }
};
