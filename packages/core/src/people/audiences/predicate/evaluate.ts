import { isObject, memberAt } from '../../../foundation/json.ts';
import { lru } from '../../../foundation/lru.ts';
import { zoneClock } from '../../../foundation/zone-clock.ts';
import { ELEMENTS_PER_UNIT, type Evaluation, newEvaluation } from './evaluation.ts';
import { type Facts, recentNeeded, type Tally, tallyKey } from './facts.ts';
import { type TestValue, testOf } from './test-value.ts';
import {
  type Condition,
  type DateTest,
  type EventLeaf,
  isUserField,
  type Leaf,
  type MemberLeaf,
  spanMs,
  type Verdict,
} from './types.ts';

/** Zones cached per leaf. Chosen: users of a project are in some dozens. */
const MAX_ZONES = 100;

const ownOf = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** Value at a path of own object members and array elements; undefined if there is none. Throws nothing. */
export const valueAt = (root: unknown, names: readonly string[]): unknown => names.reduce(memberAt, root);

type Subject = { readonly trait: string } | { readonly path: string };
/** Finds a value in the facts. */
type Look = (facts: Facts) => unknown;

const builtIn =
  (name: string): Look =>
  ({ user }) =>
    isUserField(name) ? user[name] : undefined;

const lookOf = (subject: Subject): Look => {
  if ('trait' in subject) {
    const { trait } = subject;
    return trait.startsWith('user.') ? builtIn(trait.slice('user.'.length)) : ({ traits }) => ownOf(traits, trait);
  }
  const [root, ...names] = subject.path.split('.');
  if (root === 'user') return builtIn(names[0] ?? '');
  if (root === 'trait') return ({ traits }) => valueAt(traits, names);
  return (facts) => valueAt(root === 'event' ? facts.event : facts.steps, names);
};

/** The value that a leaf tests; undefined or null: missing. Throws nothing. */
export const subjectOf = (subject: Subject, facts: Facts): unknown => lookOf(subject)(facts);

/** Number of events that count for the leaf: those in its window, or all. Throws nothing. */
export const countOf = (leaf: EventLeaf, { total, recent }: Tally, nowMs: number): number => {
  if (leaf.within === undefined) return total;
  const since = nowMs - spanMs(leaf.within);
  let count = 0;
  for (const at of recent.slice(0, recentNeeded(leaf))) if (at > since) count += 1;
  return count;
};

/** A compiled node. */
type Ready = (facts: Facts, evaluation: Evaluation) => Verdict;

const happened = (leaf: EventLeaf): Ready => {
  const key = tallyKey(leaf);
  const { gte = 1, lte = Number.POSITIVE_INFINITY } = leaf.count ?? {};
  return (facts, evaluation) => {
    const tally = facts.tallyOf(key);
    evaluation.units += 1 + (tally?.recent.length ?? 0) / ELEMENTS_PER_UNIT;
    if (tally === null) return null;
    const count = countOf(leaf, tally, facts.now.getTime());
    return (count >= gte && count <= lte) === (leaf.op === 'performed');
  };
};

/** Zone in which a plain date begins: the user's, else the org's, else UTC. Throws nothing. */
export const zoneFor = (timezone: string | undefined, { user, orgTimezone = null }: Facts): string | undefined => {
  if (timezone !== 'user' && timezone !== 'org') return timezone;
  const own = timezone === 'user' ? user.timezone : null;
  return (typeof own === 'string' && zoneClock(own) !== null ? own : orgTimezone) ?? undefined;
};

/** A date test in the zone of the evaluated user. */
const zonedLeaf = (leaf: Exclude<Leaf, EventLeaf | MemberLeaf> & DateTest): Ready => {
  const look = lookOf(leaf);
  const { timezone: zoneSetting, ...rest } = leaf;
  const byZone = lru<string, TestValue>(MAX_ZONES);
  return (facts, evaluation) => {
    const timezone = zoneFor(zoneSetting, facts);
    const name = timezone ?? '';
    const known = byZone.get(name);
    const test = known ?? testOf(timezone === undefined ? rest : { ...rest, timezone });
    if (!known) byZone.set(name, test);
    return test(look(facts), facts.now.getTime(), evaluation);
  };
};

const isOfSomebody = (leaf: Exclude<Leaf, EventLeaf | MemberLeaf>): leaf is typeof leaf & DateTest =>
  'timezone' in leaf && (leaf.timezone === 'user' || leaf.timezone === 'org');

const readyLeaf = (leaf: Leaf): Ready => {
  if ('event' in leaf) return happened(leaf);
  if ('audience' in leaf)
    return ({ isMember }, evaluation) => {
      evaluation.units += 1;
      const isIn = isMember(leaf.audience);
      return isIn === null ? null : isIn === (leaf.op === 'in');
    };
  if (isOfSomebody(leaf)) return zonedLeaf(leaf);
  const [look, test] = [lookOf(leaf), testOf(leaf)];
  return (facts, evaluation) => test(look(facts), facts.now.getTime(), evaluation);
};

// Evaluates nodes until one decides: a false one in `all`, a true one in `any`.
const joined = (nodes: readonly Condition[], decisive: boolean): Ready => {
  const all = nodes.map(ready);
  return (facts, evaluation) => {
    let isUnknown = false;
    for (const one of all) {
      const verdict = one(facts, evaluation);
      if (verdict === decisive) return decisive;
      isUnknown ||= verdict === null;
    }
    return isUnknown ? null : !decisive;
  };
};

/* Compiles a node once, not per profile. */
const ready = (node: Condition): Ready => {
  if ('all' in node) return joined(node.all, false);
  if ('any' in node) return joined(node.any, true);
  if (!('not' in node)) return readyLeaf(node);
  const inner = ready(node.not);
  return (facts, evaluation) => {
    const verdict = inner(facts, evaluation);
    return verdict === null ? null : !verdict;
  };
};

const made = new WeakMap<Condition, Ready>();

/** Verdict of one leaf. Throws nothing. */
export const leafVerdict = (leaf: Leaf, facts: Facts): Verdict => readyLeaf(leaf)(facts, newEvaluation());

/**
 * Evaluates a predicate or condition: true, false, or null if unknown. A missing value is unknown, except for `set`,
 * `not_set` and events. Throws nothing.
 *
 * @param evaluation shared by everything evaluated over the same facts
 */
export const evaluate = (node: Condition, facts: Facts, evaluation: Evaluation = newEvaluation()): Verdict => {
  let known = made.get(node);
  if (!known) {
    known = ready(node);
    made.set(node, known);
  }
  return known(facts, evaluation);
};

/** True only if the verdict is true, not unknown. Throws nothing. */
export const holds = (node: Condition, facts: Facts, evaluation?: Evaluation): boolean =>
  evaluate(node, facts, evaluation) === true;
