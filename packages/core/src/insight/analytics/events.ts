import type { EventCounts } from './answers.generated.ts';
import type { EventCountQuery } from './api.ts';
import { QUARTERS } from './quarters.ts';
import type { Question } from './question.ts';
import { partsOf, type QueryRange, rangeOf } from './range.ts';
import { addSums, type Counts, pointsOf, sumOf, unitsOf } from './series.ts';
import type { AnalyticsStore, EventFilter, EventGroup } from './store.ts';

/** Maximum points of an answer. Chosen: some megabytes. */
const MAX_POINTS = 50_000;
/** Maximum groups of an answer, and the minimum if points are scarce. Chosen. */
const MAX_GROUPS = 50;
const MIN_GROUPS = 5;
/** Hours per read. Chosen: some milliseconds. */
const SLICE_HOURS = 1_000;
/** Minimum quarter hours of each interval. */
const LENGTHS = { hour: 4, day: 96, week: 672, month: 2_688 } as const;

/** Maximum number of groups that keeps the points bounded. Throws nothing. */
export const groupsOf = ({ from, to, interval }: QueryRange): number => {
  const intervals = Math.ceil((to - from) / LENGTHS[interval]) + 1;
  return Math.min(MAX_GROUPS, Math.max(MIN_GROUPS, Math.floor(MAX_POINTS / intervals)));
};

/** Counts events of a range by interval and optional group, in slices. Throws QUERY_TIMEOUT. */
export const countEvents = async (
  store: Pick<AnalyticsStore, 'sums'>,
  { scope, range, rest }: Question,
  filter: EventFilter,
  by: EventGroup | null,
): Promise<Counts> => {
  const counts: Counts = new Map();
  for (const part of partsOf(range)) {
    for (let from = part.hours.from; from < part.hours.to; from += SLICE_HOURS) {
      const hours = { from, to: Math.min(from + SLICE_HOURS, part.hours.to) };
      addSums(counts, await store.sums(scope, hours, unitsOf(range.interval, part), filter, by), part, range.interval);
      await rest();
    }
  }
  return counts;
};

/** Answers event counts. */
export const eventCounts = async (
  store: AnalyticsStore,
  question: Question,
  { eventType, groupBy }: EventCountQuery,
): Promise<EventCounts> => {
  const { scope, range, now } = question;
  const answer = { range: rangeOf(range), computedAt: now };
  const countAll = async () => (await countEvents(store, question, { eventType }, null)).get('');
  if (groupBy === undefined) {
    const all = await countAll();
    return { series: [{ key: 'events', points: pointsOf(all) }], totals: { events: sumOf(all), others: 0 }, ...answer };
  }
  const hours = { from: Math.floor(range.from / QUARTERS), to: Math.ceil(range.to / QUARTERS) };
  const most = groupsOf(range);
  const names = await store.greatest(scope, hours, { eventType }, groupBy, most);
  const counts = await countEvents(store, question, { eventType, among: { by: groupBy, names } }, groupBy);
  const series = names.flatMap((key) => {
    const points = counts.get(key);
    return points ? [{ key, points: pointsOf(points) }] : [];
  });
  const named = names.reduce((sum, key) => sum + sumOf(counts.get(key)), 0);
  const events = names.length < most ? named : sumOf(await countAll());
  return { series, totals: { events, others: events - named }, ...answer };
};
