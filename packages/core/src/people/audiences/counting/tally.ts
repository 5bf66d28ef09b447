import { valueAt } from '../predicate/evaluate.ts';
import { type Evaluation, newEvaluation } from '../predicate/evaluation.ts';
import { MAX_RECENT, type Tally } from '../predicate/facts.ts';
import { testOf } from '../predicate/test-value.ts';
import type { EventLeaf } from '../predicate/types.ts';

export const NEVER: Tally = { total: 0, recent: [] };

/** Times to keep per profile: at least one, for the time of the last event. */
export const keptOf = (needed: number): number => Math.min(MAX_RECENT, Math.max(1, needed));

const newest = (times: readonly number[], kept: number): readonly number[] =>
  times.toSorted((a, b) => b - a).slice(0, kept);

/** Adds one event. Events arrive in any order of their timestamps. Throws nothing. */
export const withEvent = ({ total, recent }: Tally, at: Date, kept: number): Tally => ({
  total: total + 1,
  recent: newest([at.getTime(), ...recent], kept),
});

/** Adds up the tallies of two merged profiles. Throws nothing. */
export const withTally = (one: Tally, other: Tally, kept: number): Tally => ({
  total: one.total + other.total,
  recent: newest([...one.recent, ...other.recent], kept),
});

/**
 * Whether an event of the leaf's name matches its `where`. Throws nothing.
 *
 * @param evaluation of this event, shared by all leaves that test it
 */
export const isMeant = (
  { where = [] }: EventLeaf,
  { properties, timestamp }: { readonly properties: Readonly<Record<string, unknown>>; readonly timestamp: Date },
  evaluation: Evaluation = newEvaluation(),
): boolean =>
  where.every(
    (test) => testOf(test)(valueAt(properties, test.path.split('.')), timestamp.getTime(), evaluation) === true,
  );
