// When a zone's wall clock lies in quiet hours, and when it leaves them. Moments are judged one by one by what the clock
// shows then: hours that a change of clocks skips or repeats need no rule of their own.

import type { ZoneClock } from '../../../../foundation/zone-clock.ts';
import { DAYS, type QuietHours } from '../../../settings/schema.ts';

/** Hours of a day as they are compared: times in milliseconds of a day, days as bits, Sunday the lowest. */
export type DayWindow = { readonly startMs: number; readonly endMs: number; readonly days: number };

const DAY_MS = 86_400_000;
const EVERY_DAY = 0b111_1111;
/** The day of the week of 1970-01-01, Sunday 0. */
const THURSDAY = 4;

const msOf = (time: string): number => (Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))) * 60_000;

/**
 * Hours of a day from two times such as 22:00.
 *
 * @param on the days on which they start; none: every day
 */
export const dayWindow = (start: string, end: string, on: readonly (typeof DAYS)[number][]): DayWindow => ({
  startMs: msOf(start),
  endMs: msOf(end),
  days: on.reduce((bits, day) => bits | (1 << DAYS.indexOf(day)), 0) || EVERY_DAY,
});

const windows = new WeakMap<QuietHours, DayWindow | { readonly isOff: true }>();

/** The window of a setting; null: it is off, as is one that ends as it starts. Throws nothing. */
export const windowOf = (setting: QuietHours): DayWindow | null => {
  let known = windows.get(setting);
  if (!known) {
    const window = dayWindow(setting.start, setting.end, setting.days);
    known = setting.enabled && window.startMs !== window.endMs ? window : { isOff: true };
    windows.set(setting, known);
  }
  return 'isOff' in known ? null : known;
};

/**
 * Whether a wall clock is within those hours, their end left out. Ones that end as they start last the whole day.
 *
 * @param localMs what the wall clock shows, as if that were UTC
 */
export const isWithin = ({ startMs, endMs, days }: DayWindow, localMs: number): boolean => {
  const day = Math.floor(localMs / DAY_MS);
  const timeMs = localMs - day * DAY_MS;
  // Back by whole weeks, so that days before 1970 have a day of the week, too.
  const weekday = (((day + THURSDAY) % 7) + 7) % 7;
  const startsOn = (weekdayOfStart: number): boolean => (days & (1 << weekdayOfStart)) !== 0;
  if (startMs < endMs) return timeMs >= startMs && timeMs < endMs && startsOn(weekday);
  if (timeMs >= startMs) return startsOn(weekday);
  return timeMs < endMs && startsOn((weekday + 6) % 7);
};

/** When the wall clock shows the end of the window next, after `localMs`, if nobody changes the clock. */
const nextEnd = ({ endMs }: DayWindow, localMs: number): number => {
  const end = Math.floor(localMs / DAY_MS) * DAY_MS + endMs;
  return end > localMs ? end : end + DAY_MS;
};

/**
 * The first moment after `atMs` whose wall clock is not quiet; null: that of `atMs` itself is not. In milliseconds since
 * 1970. Pure but for what the zone remembers. Source: semantics, Quiet hours.
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
