// Converts sums of units to points of series. Pure.

import type { FigureInterval, FigurePoint } from '../../automation/runs/figures/api.ts';
import { nameOfDay } from '../../automation/runs/figures/interval.ts';
import { QUARTER_MS, QUARTERS } from './quarters.ts';
import type { Part } from './range.ts';
import type { UnitSums, Units } from './store.ts';

const QUARTERS_A_DAY = 96;

/** Units that an interval consists of, hours or days, for a UTC offset. Throws nothing. */
export const unitsOf = (interval: FigureInterval, { offset }: Pick<Part, 'offset'>): Units => ({
  length: interval === 'hour' ? QUARTERS : QUARTERS_A_DAY,
  offset,
});

/** Name of the interval of a unit. Throws nothing. */
export const nameOf = (unit: number, interval: FigureInterval, { length, offset }: Units): string =>
  interval === 'hour' ? new Date((unit * length - offset) * QUARTER_MS).toISOString() : nameOfDay(unit, interval);

/** Counts by key and interval. */
export type Counts = Map<string, Map<string, number>>;

/** Adds to the count of a key in an interval. Throws nothing. */
export const count = (counts: Counts, key: string, at: string, n: number): void => {
  if (n === 0) return;
  const points = counts.get(key) ?? new Map<string, number>();
  points.set(at, (points.get(at) ?? 0) + n);
  counts.set(key, points);
};

/** Adds the sums of a part. Throws nothing. */
export const addSums = (counts: Counts, sums: readonly UnitSums[], part: Part, interval: FigureInterval): void => {
  const units = unitsOf(interval, part);
  for (const { first, last, name, ...row } of sums) {
    const quarters = [row.quarter0, row.quarter1, row.quarter2, row.quarter3];
    // Only an hour that begins in one unit and ends in the next contains the end of a unit.
    const edge = (((last * units.length - units.offset) % QUARTERS) + QUARTERS) % QUARTERS;
    for (let at = part.first; at < part.last; at += 1) {
      const unit = first === last || at >= edge ? last : first;
      count(counts, name ?? '', nameOf(unit, interval, units), quarters[at] ?? 0);
    }
  }
};

/** Points of a series, oldest first. Throws nothing. */
export const pointsOf = (points: ReadonlyMap<string, number> | undefined): FigurePoint[] =>
  [...(points ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));

/** Total of a series. Throws nothing. */
export const sumOf = (points: ReadonlyMap<string, number> | undefined): number =>
  [...(points?.values() ?? [])].reduce((sum, n) => sum + n, 0);
