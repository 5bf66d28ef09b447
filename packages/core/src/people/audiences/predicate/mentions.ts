import { readsLog, recentNeeded } from './facts.ts';
import { type Condition, type EventLeaf, leavesOf, type UserField } from './types.ts';

/** Everything that a verdict may depend on. */
export type Mentions = {
  readonly traits: ReadonlySet<string>;
  readonly fields: ReadonlySet<UserField>;
  /**
   * By event type: how many of the newest times its counter must keep, possibly 0. Includes events of leaves that read
   * the log.
   */
  readonly events: ReadonlyMap<string, number>;
  /** Leaves that counters cannot answer. */
  readonly logLeaves: readonly EventLeaf[];
  readonly audiences: ReadonlySet<string>;
  /** Whether time alone may change the verdict. */
  readonly isTimed: boolean;
  /** Whether a date test uses the time zone `org`, so that the verdict depends on the project's settings. */
  readonly usesOrgZone: boolean;
  readonly leaves: number;
};

const TIMED: ReadonlySet<string> = new Set(['within_last', 'within_next', 'older_than']);

/** Collects the mentions of a predicate or condition. Throws nothing. */
export const mentions = (node: Condition): Mentions => {
  const traits = new Set<string>();
  const fields = new Set<UserField>();
  const events = new Map<string, number>();
  const audiences = new Set<string>();
  const logLeaves: EventLeaf[] = [];
  let isTimed = false;
  let usesOrgZone = false;
  const value = (name: string): void => {
    // Safe: the schema accepts only built-in fields after `user.`.
    if (name.startsWith('user.')) fields.add(name.slice('user.'.length) as UserField);
    else traits.add(name);
  };
  const all = leavesOf(node);
  for (const leaf of all) {
    if ('event' in leaf) {
      const isFromLog = readsLog(leaf);
      if (isFromLog) logLeaves.push(leaf);
      const kept = isFromLog ? 0 : recentNeeded(leaf);
      events.set(leaf.event, Math.max(kept, events.get(leaf.event) ?? 0));
      isTimed ||= leaf.within !== undefined;
    } else if ('audience' in leaf) audiences.add(leaf.audience);
    else {
      isTimed ||= TIMED.has(leaf.op);
      if ('timezone' in leaf && leaf.timezone === 'user') fields.add('timezone');
      usesOrgZone ||= 'timezone' in leaf && leaf.timezone === 'org';
      if ('trait' in leaf) value(leaf.trait);
      else if (leaf.path.startsWith('user.')) value(leaf.path);
      else if (leaf.path.startsWith('trait.')) traits.add(leaf.path.split('.')[1] ?? '');
    }
  }
  return { traits, fields, events, logLeaves, audiences, isTimed, usesOrgZone, leaves: all.length };
};
