import { isUnstable, median, spread } from './statistics.ts';

/** A goal of the performance design, and the result of a run. */
export type Gate = {
  readonly id: string;
  /** The goal in words, for the results file. */
  readonly says: string;
  /** Ratios, or MB for memory, one per round. */
  readonly values: readonly number[];
  /** The series for the spread: the values themselves, or ratios if the values are differences. */
  readonly steady: readonly number[];
  readonly bound: 'at least' | 'at most';
  readonly limit: number;
  readonly stretch: number;
  readonly unit: '' | ' MB';
};

export type Verdict = {
  readonly value: number;
  readonly spread: number;
  /** Of the rounds. */
  readonly least: number;
  readonly greatest: number;
  readonly isStable: boolean;
  readonly isMet: boolean;
  readonly isStretchMet: boolean;
};

/** A gate for ratios. */
export const ratioGate = (
  id: string,
  says: string,
  values: readonly number[],
  bound: Gate['bound'],
  limit: number,
  stretch: number,
): Gate => ({ id, says, values, steady: values, bound, limit, stretch, unit: '' });

/** A gate for MB above another contender, whose own figures are passed as well. */
export const memoryGate = (
  id: string,
  says: string,
  own: readonly number[],
  bare: readonly number[],
  limit: number,
  stretch: number,
): Gate => ({
  id,
  says,
  values: own.map((mb, round) => mb - (bare[round] ?? Number.NaN)),
  steady: own,
  bound: 'at most',
  limit,
  stretch,
  unit: ' MB',
});

/**
 * Whether the median keeps the limit. If rounds diverge the median means nothing: then each round must keep the limit.
 */
export const judge = ({ values, steady, bound, limit, stretch }: Gate): Verdict => {
  const value = median(values);
  const isStable = !isUnstable(steady);
  const judged = isStable ? [value] : values;
  const keeps = (one: number): boolean => judged.every((ratio) => (bound === 'at least' ? ratio >= one : ratio <= one));
  return {
    value,
    spread: spread(steady),
    least: Math.min(...values),
    greatest: Math.max(...values),
    isStable,
    isMet: keeps(limit),
    isStretchMet: keeps(stretch),
  };
};
