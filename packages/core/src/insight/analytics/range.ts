import type { FiguresRange } from '../../automation/runs/figures/answers.generated.ts';
import { FIGURE_INTERVALS, type FigureInterval, type FiguresQuery } from '../../automation/runs/figures/api.ts';
import { intervalOf } from '../../automation/runs/figures/interval.ts';
import { validationError } from '../../foundation/errors.ts';
import { timeRange } from '../../foundation/page.ts';
import { type ZoneClock, zoneClock } from '../../foundation/zone-clock.ts';
import { hourOf, QUARTER_MS, QUARTERS, quarterOf } from './quarters.ts';

/** Default range in days before `to`. Chosen: as for a workflow's statistics. */
const DEFAULT_DAYS = 30;
const DAY_MS = 86_400_000;

/** Range of a query in quarters: `from` inclusive, `to` exclusive. */
export type QueryRange = {
  readonly from: number;
  readonly to: number;
  readonly isClamped: boolean;
  readonly interval: FigureInterval;
  readonly zone: ZoneClock;
};

/** Whole hours of one UTC offset; of each hour the quarters from `first` inclusive to `last` exclusive. */
export type Part = {
  readonly hours: { readonly from: number; readonly to: number };
  /** UTC offset of the zone in quarters. */
  readonly offset: number;
  readonly first: number;
  readonly last: number;
};

/** Latest end of a range: the end of the current interval in the zone, or now. */
export type LatestEnd = 'interval' | 'now';

/** Context of a query's range. */
export type RangeContext = { readonly now: Date; readonly retentionDays: number; readonly latestEnd: LatestEnd };

/** Quarters of the longest interval: a month of 31 days plus an hour of a clock change. */
const LONGEST_INTERVAL = 31 * 96 + QUARTERS;

/** First quarter after the interval that contains a time. Names of intervals never decrease with time. */
const endOfInterval = (atMs: number, interval: FigureInterval, zone: ZoneClock): number => {
  const current = intervalOf(atMs, interval, zone);
  let inside = quarterOf(atMs);
  let outside = inside + LONGEST_INTERVAL;
  while (outside - inside > 1) {
    const middle = Math.floor((inside + outside) / 2);
    if (intervalOf(middle * QUARTER_MS, interval, zone) === current) inside = middle;
    else outside = middle;
  }
  return outside;
};

/**
 * Parses a query. The range is extended to whole quarters, begins at the retention limit at the earliest, and ends with
 * the current interval (or now) at the latest. The work of an answer is therefore bounded, whatever range is requested.
 *
 * @throws VALIDATION_ERROR for an invalid interval, time zone or time; INVALID_RANGE for an end before the start
 */
export const queryRangeOf = (
  { interval = 'day', timezone = 'UTC', from, to }: FiguresQuery,
  { now, retentionDays, latestEnd }: RangeContext,
): QueryRange => {
  const zone = zoneClock(timezone);
  if (!zone) throw validationError({ timezone: ['must be an IANA zone such as Europe/Berlin'] });
  if (!FIGURE_INTERVALS.includes(interval))
    throw validationError({ interval: [`must be one of ${FIGURE_INTERVALS.join(', ')}`] });
  const requested = timeRange({ from, to });
  // Events of the current millisecond count.
  const present = Math.ceil((now.getTime() + 1) / QUARTER_MS);
  const latest = latestEnd === 'now' ? present : Math.max(present, endOfInterval(now.getTime(), interval, zone));
  const requestedEnd = requested.toMs === null ? present : Math.ceil(requested.toMs / QUARTER_MS);
  const end = Math.min(requestedEnd, latest);
  const endMs = Math.min(requested.toMs ?? now.getTime() + 1, latest * QUARTER_MS);
  const requestedBegin = quarterOf(requested.fromMs ?? endMs - DEFAULT_DAYS * DAY_MS);
  const kept = quarterOf(now.getTime() - retentionDays * DAY_MS);
  const begin = Math.max(requestedBegin, kept);
  const isClamped = requestedBegin < kept || requestedEnd > latest;
  return { from: Math.min(begin, end), to: end, isClamped, interval, zone };
};

/** The range in the form of answers. Throws nothing. */
export const rangeOf = ({ from, to, isClamped }: QueryRange): FiguresRange => ({
  from: new Date(from * QUARTER_MS),
  to: new Date(to * QUARTER_MS),
  clamped: isClamped,
});

/** Parts of a range with one UTC offset, in quarters. Throws nothing. */
export function* stretchesOf({ from, to, zone }: QueryRange): Generator<{ from: number; to: number; offset: number }> {
  let at = from;
  while (at < to) {
    const offsetMs = zone.spanAt(at * QUARTER_MS).offsetMs;
    let end = at;
    while (end < to && zone.spanAt(end * QUARTER_MS).offsetMs === offsetMs)
      end = Math.min(to, Math.ceil(zone.spanAt(end * QUARTER_MS).to / QUARTER_MS));
    yield { from: at, to: end, offset: Math.round(offsetMs / QUARTER_MS) };
    at = end;
  }
}

/** The range as hours whose quarters are counted alike, in order. Throws nothing. */
export const partsOf = (range: QueryRange): Part[] =>
  [...stretchesOf(range)].flatMap(({ from, to, offset }): Part[] => {
    const parts: Part[] = [];
    const add = (first: number, end: number): void => {
      if (first >= end) return;
      const hour = hourOf(first);
      const isWhole = first % QUARTERS === 0 && end % QUARTERS === 0;
      parts.push({
        hours: { from: hour, to: isWhole ? end / QUARTERS : hour + 1 },
        offset,
        first: isWhole ? 0 : first - hour * QUARTERS,
        last: isWhole ? QUARTERS : end - hour * QUARTERS,
      });
    };
    const head = Math.min(to, Math.ceil(from / QUARTERS) * QUARTERS);
    const tail = Math.max(head, Math.floor(to / QUARTERS) * QUARTERS);
    add(from, head);
    add(head, tail);
    add(tail, to);
    return parts;
  });
