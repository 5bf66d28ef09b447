import { countOf, leafVerdict, subjectOf } from './evaluate.ts';
import { type Facts, tallyKey } from './facts.ts';
import type { Condition, Leaf, Verdict } from './types.ts';

/** What a leaf compared: a value, or the number of events and the time of the last one. */
type Actual = { readonly value?: unknown; readonly count?: number; readonly lastAt?: string };

/** A node with its verdict: `true`, `false` or `unknown`. */
export type Explained =
  | { readonly verdict: VerdictName; readonly leaf: Leaf; readonly actual: Actual }
  | { readonly verdict: VerdictName; readonly all: readonly Explained[] }
  | { readonly verdict: VerdictName; readonly any: readonly Explained[] }
  | { readonly verdict: VerdictName; readonly not: Explained };
export const VERDICTS = ['true', 'false', 'unknown'] as const;
export type VerdictName = (typeof VERDICTS)[number];

const nameOf = (verdict: Verdict): VerdictName => (verdict === null ? 'unknown' : verdict ? 'true' : 'false');

const actualOf = (leaf: Leaf, facts: Facts): Actual => {
  if ('audience' in leaf) {
    const value = facts.isMember(leaf.audience);
    return value === null ? {} : { value };
  }
  if ('event' in leaf) {
    const tally = facts.tallyOf(tallyKey(leaf));
    if (tally === null) return {};
    const [last] = tally.recent;
    return {
      count: countOf(leaf, tally, facts.now.getTime()),
      ...(last === undefined ? {} : { lastAt: new Date(last).toISOString() }),
    };
  }
  const value = subjectOf(leaf, facts);
  if (value === undefined || value === null) return {};
  return { value: value instanceof Date ? value.toISOString() : value };
};

const joined = (nodes: readonly Explained[], decisive: VerdictName, otherwise: VerdictName): VerdictName => {
  if (nodes.some(({ verdict }) => verdict === decisive)) return decisive;
  return nodes.some(({ verdict }) => verdict === 'unknown') ? 'unknown' : otherwise;
};

/**
 * The whole tree with the verdict of each node, equal to that of `evaluate`, and the value that each leaf compared.
 * Counts in a window stop at what decides the leaf. Throws nothing.
 *
 * @param resolve converts a leaf into the one to evaluate; the original is returned
 */
export const explain = (node: Condition, facts: Facts, resolve: (leaf: Leaf) => Leaf = (leaf) => leaf): Explained => {
  if ('all' in node) {
    const all = node.all.map((one) => explain(one, facts, resolve));
    return { verdict: joined(all, 'false', 'true'), all };
  }
  if ('any' in node) {
    const any = node.any.map((one) => explain(one, facts, resolve));
    return { verdict: joined(any, 'true', 'false'), any };
  }
  if ('not' in node) {
    const not = explain(node.not, facts, resolve);
    return { verdict: not.verdict === 'unknown' ? 'unknown' : not.verdict === 'true' ? 'false' : 'true', not };
  }
  return { verdict: nameOf(leafVerdict(resolve(node), facts)), leaf: node, actual: actualOf(node, facts) };
};
