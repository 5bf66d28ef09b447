import { type InScope, scopeKey } from '../../foundation/scope.ts';
import { spendWork } from '../../jobs/concurrency/work-slices.ts';
import type { ProfileView } from '../profiles/view.ts';
import type { DynamicAudience } from './by-value.ts';
import type { LoadConditionFacts } from './condition-facts.ts';
import type { Definitions } from './definitions.ts';
import { evaluatorOf, verdictOf } from './evaluate.ts';
import { factsOfProfile } from './person.ts';
import { inOrgZone } from './predicate/types.ts';

/** A hypothetical user; only this is known and nothing need be stored. */
export type ProfileWithTraits = InScope & {
  readonly person: string;
  /** Undefined: no profile. */
  readonly profile: ProfileView | undefined;
  /** Ids of static lists that the user is assumed to be on, in addition to stored memberships. */
  readonly lists: readonly string[];
  /** The assumed time zone of the project; null: none. */
  readonly orgTimezone: string | null;
};

/** Whether a hypothetical user is in an audience; null if the audience is not dynamic or there is no profile. */
export type IsMemberWithTraits = (given: ProfileWithTraits, audienceId: string, now: Date) => Promise<boolean | null>;

const inZone = (audience: DynamicAudience, orgTimezone: string | null): DynamicAudience =>
  audience.own.usesOrgZone ? { ...audience, predicate: inOrgZone(audience.stored, orgTimezone) } : audience;

/** Evaluates predicates instead of membership rows, which describe stored profiles. Events come from the log. */
export const memberWithTraits =
  (definitions: Pick<Definitions, 'load'>, loadKnown: LoadConditionFacts): IsMemberWithTraits =>
  async ({ person, profile, lists, orgTimezone, ...scope }, audienceId, now) => {
    const stored = (await definitions.load([scope]))(scope);
    const named = [...(stored.byId.get(audienceId)?.all.audiences ?? [])];
    const audiences = [audienceId, ...named].flatMap((id) => stored.byId.get(id) ?? []);
    const index = { ...stored, byId: new Map(audiences.map((one) => [one.id, inZone(one, orgTimezone)])) };
    const audience = index.byId.get(audienceId);
    if (!audience || !profile) return null;
    const known = await loadKnown(scope, person, { any: audiences.map(({ predicate }) => predicate) }, now);
    const rows = new Set([...lists, ...named.filter((id) => known.isMember(id) === true)]);
    const evaluator = evaluatorOf(index, factsOfProfile(profile, { now, tallyOf: known.tallyOf }), rows);
    return (await verdictOf(evaluator, audience, { spend: spendWork, owner: scopeKey(scope) })) === true;
  };
