// Whether somebody is in an audience, from what is known of them; pure. What an audience says of another one is judged by
// that one's own predicate and never by its rows, which may be behind.

import type { Live, LiveAudience } from './definitions.ts';
import { evaluate } from './predicate/evaluate.ts';
import type { Facts } from './predicate/facts.ts';
import { nextChange } from './predicate/next-change.ts';
import type { Verdict } from './predicate/types.ts';

/** What is known of one person, besides the audiences that they are in. */
export type PersonFacts = Omit<Facts, 'isMember'>;

/** The verdict of every audience over one person, each found once. */
export type Judge = {
  verdict(audience: LiveAudience): Verdict;
  /** When time alone may change the verdict of one of these; null: never. */
  next(of: Iterable<LiveAudience>): Date | null;
  readonly facts: Facts;
  /** Whether a verdict was asked of what nobody has counted yet. */
  lacksCounts(): boolean;
};

/**
 * Makes a judge over one person. Throws nothing.
 *
 * @param rows the audiences in which they have a row; of lists these are the members
 */
export const judgeOf = (live: Live, known: PersonFacts, rows: ReadonlySet<string>): Judge => {
  const verdicts = new Map<string, Verdict>();
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
    // Most name no other, and are asked once.
    if (audience.own.audiences.size === 0) return evaluate(audience.predicate, facts);
    const found = verdicts.get(audience.id);
    if (found !== undefined) return found;
    // No cycle is ever stored; one that two processes made at once ends here.
    verdicts.set(audience.id, null);
    const made = evaluate(audience.predicate, facts);
    verdicts.set(audience.id, made);
    return made;
  };
  return {
    verdict,
    facts,
    lacksCounts: () => isLacking,
    next: (of) => {
      let first: Date | null = null;
      for (const { predicate, own } of of) {
        const at = own.isTimed ? nextChange(predicate, facts) : null;
        if (at !== null && (first === null || at < first)) first = at;
      }
      return first;
    },
  };
};

/** Who comes into which audience, and who goes. */
export type Delta = { readonly joins: readonly LiveAudience[]; readonly leaves: readonly LiveAudience[] };

/** What differs between these audiences and the rows of one person. Throws nothing. */
export const deltaOf = (judge: Judge, of: Iterable<LiveAudience>, rows: ReadonlySet<string>): Delta => {
  const joins: LiveAudience[] = [];
  const leaves: LiveAudience[] = [];
  for (const audience of of) {
    const isIn = judge.verdict(audience) === true;
    if (isIn === rows.has(audience.id)) continue;
    (isIn ? joins : leaves).push(audience);
  }
  return { joins, leaves };
};
