// Evaluates memberships from facts; pure. A reference to another audience is evaluated by its predicate, never by its
// rows, which may be out of date. Tenants choose the number of audiences and leaves, so the work is done in slices
// (jobs/concurrency/work-slices.ts).

import { LAST_MOMENT_MS } from '../../foundation/moments.ts';
import type { SpendWork } from '../../jobs/concurrency/work-slices.ts';
import type { DynamicAudience } from './by-value.ts';
import type { AudienceIndex } from './definitions.ts';
import { momentOf } from './predicate/date-range.ts';
import { evaluate, subjectOf, zoneFor } from './predicate/evaluate.ts';
import { newEvaluation } from './predicate/evaluation.ts';
import type { Facts } from './predicate/facts.ts';
import { tallyKey } from './predicate/facts.ts';
import type { Verdict } from './predicate/types.ts';
import { type Condition, type EventLeaf, type Leaf, leavesOf, spanMs } from './predicate/types.ts';

// The n-th newest event leaves the window when its age reaches the length of the window.
const changeTimesOfEvent = (leaf: EventLeaf, facts: Facts): readonly number[] => {
  const recent = facts.tallyOf(tallyKey(leaf))?.recent;
  if (leaf.within === undefined || recent === undefined) return [];
  const span = spanMs(leaf.within);
  const { gte = 1, lte } = leaf.count ?? {};
  const decisive = [gte - 1, ...(lte === undefined ? [] : [lte])];
  return decisive.flatMap((place) => {
    const at = recent[place];
    return at === undefined ? [] : [at + span];
  });
};

const changeTimesOf = (leaf: Leaf, facts: Facts): readonly number[] => {
  if ('event' in leaf) return changeTimesOfEvent(leaf, facts);
  if ('audience' in leaf) return [];
  const { op } = leaf;
  if (op !== 'within_last' && op !== 'within_next' && op !== 'older_than') return [];
  const at = momentOf(subjectOf(leaf, facts), zoneFor(leaf.timezone, facts));
  if (at === null) return [];
  const span = spanMs(leaf.value);
  if (op === 'within_last') return [at, at + span];
  return op === 'within_next' ? [at - span, at] : [at + span];
};

/**
 * The next time after now at which the verdict may change without an event; null if there is none. It may turn out
 * unchanged. Times after the last one that databases store are ignored: a date in the year 9999 plus a span can exceed
 * it. Throws nothing.
 */
export const nextChange = (node: Condition, facts: Facts): Date | null => {
  const now = facts.now.getTime();
  let next = Number.POSITIVE_INFINITY;
  for (const leaf of leavesOf(node)) for (const at of changeTimesOf(leaf, facts)) if (at > now && at < next) next = at;
  return next <= LAST_MOMENT_MS ? new Date(next) : null;
};

/**
 * Maximum leaves, including referenced audiences, of an audience evaluated in one piece. Chosen: well below a slice of
 * work.
 */
const DIRECT_LEAVES = 400;
/** Work units of finding a leaf's next change, besides evaluating it. Measured, with a margin. */
const TIMED_LEAF = 2;

/** Facts of one profile, except memberships. */
export type PersonFacts = Omit<Facts, 'isMember'>;

/** Evaluates every audience for one profile, each once. */
export type Evaluator = {
  verdict(audience: DynamicAudience): Verdict;
  /** When time alone may change the verdict; null: never. */
  next(audience: DynamicAudience): Date | null;
  /** Audiences to evaluate before this one, so that its own evaluation is a bounded piece of work. */
  named(audience: DynamicAudience): readonly DynamicAudience[];
  /** Work units since the previous call. */
  takeUnits(): number;
  readonly facts: Facts;
  /** Whether a verdict needed an event that is not counted yet. */
  lacksCounts(): boolean;
};

/**
 * Creates an evaluator for one profile. Throws nothing.
 *
 * @param rows ids of the audiences with a membership row; for static lists these are the memberships
 */
export const evaluatorOf = (index: AudienceIndex, known: PersonFacts, rows: ReadonlySet<string>): Evaluator => {
  const verdicts = new Map<string, Verdict>();
  const evaluation = newEvaluation();
  let isLacking = false;
  const facts: Facts = {
    ...known,
    tallyOf: (key) => {
      const tally = known.tallyOf(key);
      isLacking ||= tally === null;
      return tally;
    },
    isMember: (id) => {
      const audience = index.byId.get(id);
      if (audience) return verdict(audience) === true;
      return index.lists.has(id) ? rows.has(id) : null;
    },
  };
  const verdict = (audience: DynamicAudience): Verdict => {
    // Most audiences refer to none and are referred to by none, so they are evaluated once.
    if (audience.own.audiences.size === 0 && !index.named.has(audience.id))
      return evaluate(audience.predicate, facts, evaluation);
    const found = verdicts.get(audience.id);
    if (found !== undefined) return found;
    // Stored predicates have no cycle; this ends one created by two concurrent processes.
    verdicts.set(audience.id, null);
    const made = evaluate(audience.predicate, facts, evaluation);
    verdicts.set(audience.id, made);
    return made;
  };
  return {
    verdict,
    facts,
    lacksCounts: () => isLacking,
    next: ({ predicate, own }) => {
      if (!own.isTimed) return null;
      evaluation.units += own.leaves * TIMED_LEAF;
      return nextChange(predicate, facts);
    },
    named: (audience) => {
      if (audience.all.leaves <= DIRECT_LEAVES) return [];
      const found: DynamicAudience[] = [];
      const seen = new Set([audience.id]);
      const look = ({ own }: DynamicAudience): void => {
        for (const id of own.audiences) {
          const one = index.byId.get(id);
          if (!one || seen.has(id)) continue;
          seen.add(id);
          // Referenced audiences come first.
          look(one);
          if (!verdicts.has(id)) found.push(one);
        }
      };
      look(audience);
      evaluation.units += seen.size;
      return found;
    },
    takeUnits: () => {
      const { units } = evaluation;
      evaluation.units = 0;
      return units;
    },
  };
};

/** Audiences that a profile enters and leaves. */
export type Delta = { readonly joins: readonly DynamicAudience[]; readonly leaves: readonly DynamicAudience[] };

/** How to account the work, and its owner. */
export type Spending = { readonly spend: SpendWork; readonly owner: unknown };

/** The verdict of one audience, in bounded pieces of work. Throws StorageError `DEADLINE`. */
export const verdictOf = async (
  evaluator: Evaluator,
  audience: DynamicAudience,
  { spend, owner }: Spending,
): Promise<Verdict> => {
  for (const one of [...evaluator.named(audience), audience]) {
    evaluator.verdict(one);
    const rest = spend(evaluator.takeUnits(), owner);
    if (rest !== undefined) await rest;
  }
  return evaluator.verdict(audience);
};

/**
 * Differences between the verdicts of these audiences and the rows of one profile, and when time alone may change one
 * of them (null: never). Throws StorageError `DEADLINE`.
 */
export const evaluatedOf = async (
  evaluator: Evaluator,
  of: Iterable<DynamicAudience>,
  rows: ReadonlySet<string>,
  spending: Spending,
): Promise<Delta & { readonly next: Date | null }> => {
  const joins: DynamicAudience[] = [];
  const leaves: DynamicAudience[] = [];
  let next: Date | null = null;
  for (const audience of of) {
    const isLarge = audience.all.leaves > DIRECT_LEAVES;
    const isIn = (isLarge ? await verdictOf(evaluator, audience, spending) : evaluator.verdict(audience)) === true;
    const at = evaluator.next(audience);
    if (at !== null && (next === null || at < next)) next = at;
    if (isIn !== rows.has(audience.id)) (isIn ? joins : leaves).push(audience);
    const rest = spending.spend(evaluator.takeUnits(), spending.owner);
    if (rest !== undefined) await rest;
  }
  return { joins, leaves, next };
};
