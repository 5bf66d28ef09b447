import type { ZoneClock } from '../../../foundation/zone-clock.ts';
import type { FigureInterval } from './api.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const DAYS_A_WEEK = 7;
/** 1970-01-05, the first Monday. */
const FIRST_MONDAY = 4;

/** @param day days since 1970 */
const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

/** Name of the interval that contains a day (days since 1970). Throws nothing. */
export const nameOfDay = (day: number, interval: Exclude<FigureInterval, 'hour'>): string => {
  switch (interval) {
    case 'day':
      return dateOf(day);
    case 'week':
      return dateOf(day - ((((day - FIRST_MONDAY) % DAYS_A_WEEK) + DAYS_A_WEEK) % DAYS_A_WEEK));
    case 'month':
      return `${dateOf(day).slice(0, 7)}-01`;
    default: {
      const never: never = interval;
      throw new TypeError(`no interval ${String(never)}`);
    }
  }
};

/**
 * Begin of the interval that contains a time: a local day such as `2026-03-01`, for weeks the Monday, for months the
 * first, for hours the time. Throws nothing.
 */
export const intervalOf = (atMs: number, interval: FigureInterval, zone: ZoneClock): string => {
  const localMs = atMs + zone.spanAt(atMs).offsetMs;
  if (interval === 'hour') return new Date(atMs - (((localMs % HOUR_MS) + HOUR_MS) % HOUR_MS)).toISOString();
  return nameOfDay(Math.floor(localMs / DAY_MS), interval);
};
