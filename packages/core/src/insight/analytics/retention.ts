import { validationError } from '../../foundation/errors.ts';
import type { Retention } from './answers.generated.ts';
import { activeHours, intervalsOf, levelOf, quartersIn } from './people.ts';
import { QUARTERS, quarterOf } from './quarters.ts';
import type { Question } from './question.ts';
import { rangeOf } from './range.ts';
import { isIn, readEntries } from './sample.ts';
import { type Counts, count, pointsOf } from './series.ts';
import type { AnalyticsStore } from './store.ts';

const DAY_MS = 86_400_000;

/** A user's first interval, and the last one in which they were counted. */
type Cohort = { readonly first: string; last: string };

/**
 * Answers user retention. A user active before the range, within the retention, belongs to no cohort of it. Reads the
 * hours twice: the number of users determines the level of the sample.
 */
export const retentionOf = async (store: Pick<AnalyticsStore, 'peopleIn'>, question: Question): Promise<Retention> => {
  const { range, now, keptDays } = question;
  if (range.interval === 'hour') throw validationError({ interval: ['must be one of day, week, month'] });
  const since = { from: Math.min(quarterOf(now.getTime() - keptDays * DAY_MS), range.from), to: range.to };
  const level = await levelOf(store, question, since);
  const people = new Map<number, Cohort>();
  const counts: Counts = new Map();
  const first = new Set<string>();
  for await (const row of activeHours(store, question, since)) {
    for (const isWithin of [false, true]) {
      // The hour in which the range begins belongs to both.
      const bits = quartersIn(row.hour, isWithin ? range : { from: row.hour * QUARTERS, to: range.from });
      for (const [name, some] of intervalsOf(row.hour, bits, range)) {
        if (isWithin) first.add(name);
        readEntries(row.sample, (digest, flags) => {
          if ((flags & some) === 0 || !isIn(digest, level)) return;
          const known = people.get(digest);
          if (!known) people.set(digest, { first: isWithin ? name : '', last: name });
          if (known?.last === name || known?.first === '' || !isWithin) return;
          if (known) known.last = name;
          count(counts, known?.first ?? name, name, 2 ** level);
        });
      }
    }
  }
  const series = [...first]
    .sort()
    .flatMap((key) => (counts.has(key) ? [{ key, points: pointsOf(counts.get(key)) }] : []));
  const total = [...counts].reduce((sum, [key, points]) => sum + (points.get(key) ?? 0), 0);
  return { series, totals: { people: total, isEstimated: level > 0 }, range: rangeOf(range), computedAt: now };
};
