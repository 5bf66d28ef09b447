// Evaluates predicates in memory: for users whose match depends on the event log, which SQL cannot read here, and on
// SQLite for users with large traits, over which one statement would block too long.

import { type InScope, scopeKey, scopeOf } from '../../../foundation/scope.ts';
import { type SpendWork, spendWork } from '../../../jobs/concurrency/work-slices.ts';
import { type LoadProfiles, personKey } from '../../profiles/view.ts';
import { holds } from '../predicate/evaluate.ts';
import { newEvaluation } from '../predicate/evaluation.ts';
import { type Facts, userFacts } from '../predicate/facts.ts';
import type { Mentions } from '../predicate/mentions.ts';
import type { Predicate } from '../predicate/types.ts';

/** Profiles read by one statement. Chosen: at most 2 MB. */
const PEOPLE = 32;
/** Units of work of reading one profile of usual size. Measured, with room. */
const PROFILE_UNITS = 400;

export type InMemoryDeps = {
  readonly loadProfiles: LoadProfiles;
  readonly talliesOf: (
    scope: InScope,
    people: readonly string[],
    mentioned: Mentions,
  ) => Promise<(person: InScope & { readonly person: string }) => Facts['tallyOf']>;
  /** Which of these users are in which of these audiences. */
  readonly membersOf: (
    scope: InScope,
    people: readonly string[],
    audiences: ReadonlySet<string>,
  ) => Promise<(person: string, audienceId: string) => boolean | null>;
  readonly spend?: SpendWork;
};

/** Makes a function that returns the users for whom a predicate holds. */
export const inMemory = ({ loadProfiles, talliesOf, membersOf, spend = spendWork }: InMemoryDeps) => {
  const factsOf = async (scope: InScope, people: readonly string[], mentioned: Mentions, now: Date) => {
    const keys = people.map((person) => ({ ...scopeOf(scope), person }));
    const [profiles, tallies, members] = await Promise.all([
      loadProfiles(keys),
      talliesOf(scope, people, mentioned),
      membersOf(scope, people, mentioned.audiences),
    ]);
    return keys.flatMap((key): [string, Facts][] => {
      const profile = profiles.get(personKey(key));
      if (!profile) return [];
      const { person } = key;
      const user = userFacts(profile);
      const isMember = (id: string): boolean | null => members(person, id);
      return [[person, { now, user, traits: profile.traits, tallyOf: tallies(key), isMember }]];
    });
  };

  /** Keeps the order. Throws StorageError, including `DEADLINE`. */
  return async (
    scope: InScope,
    predicate: Predicate,
    people: readonly string[],
    mentioned: Mentions,
    now: Date,
  ): Promise<readonly string[]> => {
    const found: string[] = [];
    for (let from = 0; from < people.length; from += PEOPLE) {
      for (const [person, facts] of await factsOf(scope, people.slice(from, from + PEOPLE), mentioned, now)) {
        const evaluation = newEvaluation();
        if (holds(predicate, facts, evaluation)) found.push(person);
        const rest = spend(PROFILE_UNITS + evaluation.units, scopeKey(scope));
        if (rest !== undefined) await rest;
      }
    }
    return found;
  };
};
