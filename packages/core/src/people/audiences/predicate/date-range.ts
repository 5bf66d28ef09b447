// What date operators compare with, the same for memory and for both databases: every operator asks whether a moment lies
// in one range of whole milliseconds. A day without a time begins when the clock of a zone says so; since days begin in
// their order, asking when one begins is asking whether it lies in a range of days, which needs no time zone in SQL.

import { zoneClock } from '../../../foundation/zone-clock.ts';
import { dayStart, firstDayFrom } from '../../../foundation/zone-days.ts';
import { type DateTest, spanMs } from './types.ts';
import { dateOf, isPlainDay } from './values.ts';

/** From the first moment on and before the end; null: without that limit. In milliseconds. */
export type DateRange = { readonly from: number | null; readonly before: number | null };

/** When a value is: a day without a time when it begins in the zone. Null for no date. Throws nothing. */
export const momentOf = (value: unknown, timezone: string | undefined): number | null => {
  const at = dateOf(value);
  const zone = at === null || timezone === undefined || !isPlainDay(value) ? null : zoneClock(timezone);
  return at === null || zone === null ? at : dayStart(zone, at);
};

/**
 * The moments of which a test is true. Each range is open at one end, so that a verdict turns over at one moment: see
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

/** The days, by their midnight in UTC, that begin within a range in the zone of a test. Throws nothing. */
export const dayRangeOf = (range: DateRange, timezone: string | undefined): DateRange => {
  const zone = timezone === undefined ? null : zoneClock(timezone);
  if (zone === null) return range;
  const day = (at: number | null): number | null => (at === null ? null : firstDayFrom(zone, at));
  return { from: day(range.from), before: day(range.before) };
};

/** Whether a moment lies in a range. Throws nothing. */
export const isInRange = ({ from, before }: DateRange, at: number): boolean =>
  (from === null || at >= from) && (before === null || at < before);
