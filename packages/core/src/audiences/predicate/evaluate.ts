import { isObject } from '../../primitives/json.ts';
import { type Facts, recentNeeded, type Tally, tallyKey } from './facts.ts';
import { testOf } from './test-value.ts';
import { type Condition, type EventLeaf, isUserField, type Leaf, spanMs, type Verdict } from './types.ts';

const ownOf = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** What stands at a path, over own members of objects alone; undefined: nothing. Throws nothing. */
export const valueAt = (root: unknown, names: readonly string[]): unknown => names.reduce(ownOf, root);

const builtIn = ({ user }: Facts, name: string): unknown => (isUserField(name) ? user[name] : undefined);

/** The value that a leaf over a trait, a built-in field or a path looks at; undefined or null: missing. Throws nothing. */
export const subjectOf = (subject: { readonly trait: string } | { readonly path: string }, facts: Facts): unknown => {
  if ('trait' in subject)
    return subject.trait.startsWith('user.')
      ? builtIn(facts, subject.trait.slice('user.'.length))
      : ownOf(facts.traits, subject.trait);
  const [root, ...names] = subject.path.split('.');
  if (root === 'user') return builtIn(facts, names[0] ?? '');
  if (root === 'trait') return valueAt(facts.traits, names);
  return valueAt(root === 'event' ? facts.event : facts.steps, names);
};

/** How often it happened as far as the leaf is concerned: within its window where it has one. Throws nothing. */
export const countOf = (leaf: EventLeaf, { total, recent }: Tally, nowMs: number): number => {
  if (leaf.within === undefined) return total;
  const since = nowMs - spanMs(leaf.within);
  let count = 0;
  for (const at of recent.slice(0, recentNeeded(leaf))) if (at > since) count += 1;
  return count;
};

const happened = (leaf: EventLeaf, facts: Facts): Verdict => {
  const tally = facts.tallyOf(tallyKey(leaf));
  if (tally === null) return null;
  const count = countOf(leaf, tally, facts.now.getTime());
  const { gte = 1, lte = Number.POSITIVE_INFINITY } = leaf.count ?? {};
  return (count >= gte && count <= lte) === (leaf.op === 'performed');
};

/** The verdict of one leaf. Throws nothing. */
export const leafVerdict = (leaf: Leaf, facts: Facts): Verdict => {
  if ('event' in leaf) return happened(leaf, facts);
  if ('audience' in leaf) {
    const isIn = facts.isMember(leaf.audience);
    return isIn === null ? null : isIn === (leaf.op === 'in');
  }
  return testOf(leaf)(subjectOf(leaf, facts), facts.now.getTime());
};

// Every node is asked until one decides: in `all` a false one, in `any` a true one.
const joined = (nodes: readonly Condition[], facts: Facts, decisive: boolean): Verdict => {
  let isUnknown = false;
  for (const node of nodes) {
    const verdict = evaluate(node, facts);
    if (verdict === decisive) return decisive;
    isUnknown ||= verdict === null;
  }
  return isUnknown ? null : !decisive;
};

/**
 * A predicate or a condition over what is known of one person: true, false, or null where that is unknown. What is
 * missing is unknown, but to `set`, `not_set` and events. Throws nothing.
 */
export const evaluate = (node: Condition, facts: Facts): Verdict => {
  if ('all' in node) return joined(node.all, facts, false);
  if ('any' in node) return joined(node.any, facts, true);
  if ('not' in node) {
    const verdict = evaluate(node.not, facts);
    return verdict === null ? null : !verdict;
  }
  return leafVerdict(node, facts);
};

/** Whether it is true, and not merely unknown. Throws nothing. */
export const holds = (node: Condition, facts: Facts): boolean => evaluate(node, facts) === true;
