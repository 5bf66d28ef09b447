// Whether somebody is in an audience, from what is known of them; pure. What an audience says of another one is judged by
// that one's own predicate and never by its rows, which may be behind. Tenants choose how many audiences and leaves there
// are, so the work is spent in slices (work/concurrency/work-slices.ts).

import { LAST_MOMENT_MS } from '../../foundation/moments.ts';
import type { SpendWork } from '../../jobs/concurrency/work-slices.ts';
import type { LiveAudience } from './by-value.ts';
import type { Live } from './definitions.ts';
import { momentOf } from './predicate/date-range.ts';
import { evaluate, subjectOf, zoneFor } from './predicate/evaluate.ts';
import { newEvaluation } from './predicate/evaluation.ts';
import type { Facts } from './predicate/facts.ts';
import { tallyKey } from './predicate/facts.ts';
import type { Verdict } from './predicate/types.ts';
import { type Condition, type EventLeaf, type Leaf, leavesOf, spanMs } from './predicate/types.ts';

// The n-th newest leaves the window when it is as old as the window is long.
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
 * The next moment, after now, from which on the verdict may be another although nothing happens; null: there is none.
 * It may turn out to be the same then. One that no database stores never comes: a date of the year 9999 and a span lead
 * there. Throws nothing.
 */
export const nextChange = (node: Condition, facts: Facts): Date | null => {
  const now = facts.now.getTime();
  let next = Number.POSITIVE_INFINITY;
  for (const leaf of leavesOf(node)) for (const at of changeTimesOf(leaf, facts)) if (at > now && at < next) next = at;
  return next <= LAST_MOMENT_MS ? new Date(next) : null;
};

/** Leaves, with those of the audiences that an audience names, up to which it is evaluated in one piece. Chosen. */
const DIRECT_LEAVES = 400;
/** Units that looking for the next moment of a leaf takes, beside those of evaluating it. Measured, with room. */
const TIMED_LEAF = 2;

/** What is known of one person, besides the audiences that they are in. */
export type PersonFacts = Omit<Facts, 'isMember'>;

/** The verdict of every audience over one person, each found once. */
export type Evaluator = {
  verdict(audience: LiveAudience): Verdict;
  /** When time alone may change the verdict of this one; null: never. */
  next(audience: LiveAudience): Date | null;
  /** The audiences that have to be evaluated before this one, so that its own verdict is a bounded piece of work. */
  named(audience: LiveAudience): readonly LiveAudience[];
  /** Units of work since it was last asked. */
  takeUnits(): number;
  readonly facts: Facts;
  /** Whether a verdict was asked of what nobody has counted yet. */
  lacksCounts(): boolean;
};

/**
 * Makes a judge over one person. Throws nothing.
 *
 * @param rows the audiences in which they have a row; of lists these are the members
 */
export const evaluatorOf = (live: Live, known: PersonFacts, rows: ReadonlySet<string>): Evaluator => {
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
      const audience = live.byId.get(id);
      if (audience) return verdict(audience) === true;
      return live.lists.has(id) ? rows.has(id) : null;
    },
  };
  const verdict = (audience: LiveAudience): Verdict => {
    // Most neither name another nor are named by one, and are asked once.
    if (audience.own.audiences.size === 0 && !live.named.has(audience.id))
      return evaluate(audience.predicate, facts, evaluation);
    const found = verdicts.get(audience.id);
    if (found !== undefined) return found;
    // No cycle is ever stored; one that two processes made at once ends here.
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
      const found: LiveAudience[] = [];
      const seen = new Set([audience.id]);
      const look = ({ own }: LiveAudience): void => {
        for (const id of own.audiences) {
          const one = live.byId.get(id);
          if (!one || seen.has(id)) continue;
          seen.add(id);
          // Those that it names come before it.
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

/** Who comes into which audience, and who goes. */
export type Delta = { readonly joins: readonly LiveAudience[]; readonly leaves: readonly LiveAudience[] };

/** Whose work it is, and how it is spent. */
export type Spending = { readonly spend: SpendWork; readonly owner: unknown };

/** The verdict of one audience, a bounded piece of work at a time. Throws StorageError `DEADLINE`. */
export const verdictOf = async (
  evaluator: Evaluator,
  audience: LiveAudience,
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
 * What differs between these audiences and the rows of one person, and when time alone may change the verdict of one of
 * them (null: never). Throws StorageError `DEADLINE`.
 */
export const evaluatedOf = async (
  evaluator: Evaluator,
  of: Iterable<LiveAudience>,
  rows: ReadonlySet<string>,
  spending: Spending,
): Promise<Delta & { readonly next: Date | null }> => {
  const joins: LiveAudience[] = [];
  const leaves: LiveAudience[] = [];
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
