import { LAST_MOMENT_MS } from '../../../foundation/moments.ts';
import { momentOf } from './date-range.ts';
import { subjectOf, zoneFor } from './evaluate.ts';
import { type Facts, tallyKey } from './facts.ts';
import { type Condition, type EventLeaf, type Leaf, leavesOf, spanMs } from './types.ts';

// The n-th newest leaves the window when it is as old as the window is long.
const turnsOfEvent = (leaf: EventLeaf, facts: Facts): readonly number[] => {
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

const turnsOf = (leaf: Leaf, facts: Facts): readonly number[] => {
  if ('event' in leaf) return turnsOfEvent(leaf, facts);
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
  for (const leaf of leavesOf(node)) for (const at of turnsOf(leaf, facts)) if (at > now && at < next) next = at;
  return next <= LAST_MOMENT_MS ? new Date(next) : null;
};
