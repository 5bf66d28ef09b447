// Date operators in memory and both databases: every operator tests whether a time lies in a range of whole
// milliseconds. A plain date begins at midnight of a time zone. Dates begin in order, so the test becomes a range of
// dates, which needs no time zones in SQL.

import { zoneClock } from '../../../foundation/zone-clock.ts';
import { dayStart, firstDayFrom } from '../../../foundation/zone-days.ts';
import { type DateTest, spanMs } from './types.ts';
import { dateOf, isPlainDay } from './values.ts';

/** From `from` inclusive to `before` exclusive, in milliseconds; null: unbounded. */
export type DateRange = { readonly from: number | null; readonly before: number | null };

/**
 * Time of a value, in milliseconds; a plain date begins at midnight of the zone. Null if it is not a date. Throws
 * nothing.
 */
export const momentOf = (value: unknown, timezone: string | undefined): number | null => {
  const at = dateOf(value);
  const zone = at === null || timezone === undefined || !isPlainDay(value) ? null : zoneClock(timezone);
  return at === null || zone === null ? at : dayStart(zone, at);
};

/**
 * Range of times that satisfy a test. Each range has one bound, so that a verdict changes at one time: see
 * next-change.ts. Throws nothing.
 */
export const rangeOf = (test: DateTest, nowMs: number): DateRange => {
  switch (test.op) {
    case 'before':
      return { from: null, before: momentOf(test.value, test.timezone) };
    case 'after':
      return { from: (momentOf(test.value, test.timezone) ?? 0) + 1, before: null };
    case 'within_last':
      return { from: nowMs - spanMs(test.value) + 1, before: nowMs + 1 };
    case 'within_next':
      return { from: nowMs + 1, before: nowMs + spanMs(test.value) + 1 };
    case 'older_than':
      return { from: null, before: nowMs - spanMs(test.value) + 1 };
  }
};

/** Range of dates, as midnights in UTC, that begin within a range in the zone of a test. Throws nothing. */
export const dayRangeOf = (range: DateRange, timezone: string | undefined): DateRange => {
  const zone = timezone === undefined ? null : zoneClock(timezone);
  if (zone === null) return range;
  const day = (at: number | null): number | null => (at === null ? null : firstDayFrom(zone, at));
  return { from: day(range.from), before: day(range.before) };
};

/** Whether a time lies in a range. Throws nothing. */
export const isInRange = ({ from, before }: DateRange, at: number): boolean =>
  (from === null || at >= from) && (before === null || at < before);
