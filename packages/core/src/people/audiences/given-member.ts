import { type InScope, scopeKey } from '../../foundation/scope.ts';
import { spendWork } from '../../jobs/concurrency/work-slices.ts';
import type { ProfileView } from '../profiles/view.ts';
import type { Definitions } from './definitions.ts';
import { judgeOf, verdictOf } from './judge.ts';
import type { LoadKnown } from './known.ts';
import { factsOfProfile } from './person.ts';

/** Somebody as they would be, of whom nothing but this may be stored. */
export type GivenPerson = InScope & {
  readonly person: string;
  /** Undefined: nobody knows them. */
  readonly profile: ProfileView | undefined;
  /** Ids of the lists that they are said to be on, besides those that they are on. */
  readonly lists: readonly string[];
};

/** Tells whether somebody is in an audience by what is given of them; null where it is no dynamic one, or of nobody. */
export type IsGivenMember = (given: GivenPerson, audienceId: string, now: Date) => Promise<boolean | null>;

/** Judges by the predicates themselves: rows are of people as they are stored. Events are those of the log. */
export const givenMember =
  (definitions: Pick<Definitions, 'load'>, loadKnown: LoadKnown): IsGivenMember =>
  async ({ person, profile, lists, ...scope }, audienceId, now) => {
    const live = (await definitions.load([scope]))(scope);
    const audience = live.byId.get(audienceId);
    if (!audience || !profile) return null;
    const named = [...audience.all.audiences];
    const predicates = [audience, ...named.flatMap((id) => live.byId.get(id) ?? [])].map(({ predicate }) => predicate);
    const known = await loadKnown(scope, person, { any: predicates }, now);
    const rows = new Set([...lists, ...named.filter((id) => known.isMember(id) === true)]);
    const judge = judgeOf(live, factsOfProfile(profile, { now, tallyOf: known.tallyOf }), rows);
    return (await verdictOf(judge, audience, { spend: spendWork, owner: scopeKey(scope) })) === true;
  };
