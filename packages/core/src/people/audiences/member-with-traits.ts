import { type InScope, scopeKey } from '../../foundation/scope.ts';
import { spendWork } from '../../jobs/concurrency/work-slices.ts';
import type { ProfileView } from '../profiles/view.ts';
import type { LiveAudience } from './by-value.ts';
import type { Definitions } from './definitions.ts';
import { evaluatorOf, verdictOf } from './evaluate.ts';
import type { LoadKnown } from './known.ts';
import { factsOfProfile } from './person.ts';
import { inOrgZone } from './predicate/types.ts';

/** Somebody as they would be, of whom nothing but this may be stored. */
export type ProfileWithTraits = InScope & {
  readonly person: string;
  /** Undefined: nobody knows them. */
  readonly profile: ProfileView | undefined;
  /** Ids of the lists that they are said to be on, besides those that they are on. */
  readonly lists: readonly string[];
  /** The project's time zone, as it is to be; null: none. */
  readonly orgTimezone: string | null;
};

/** Tells whether somebody is in an audience by what is given of them; null where it is no dynamic one, or of nobody. */
export type IsMemberWithTraits = (given: ProfileWithTraits, audienceId: string, now: Date) => Promise<boolean | null>;

const inZone = (audience: LiveAudience, orgTimezone: string | null): LiveAudience =>
  audience.own.usesOrgZone ? { ...audience, predicate: inOrgZone(audience.stored, orgTimezone) } : audience;

/** Judges by the predicates themselves: rows are of people as they are stored. Events are those of the log. */
export const memberWithTraits =
  (definitions: Pick<Definitions, 'load'>, loadKnown: LoadKnown): IsMemberWithTraits =>
  async ({ person, profile, lists, orgTimezone, ...scope }, audienceId, now) => {
    const stored = (await definitions.load([scope]))(scope);
    const named = [...(stored.byId.get(audienceId)?.all.audiences ?? [])];
    const audiences = [audienceId, ...named].flatMap((id) => stored.byId.get(id) ?? []);
    const live = { ...stored, byId: new Map(audiences.map((one) => [one.id, inZone(one, orgTimezone)])) };
    const audience = live.byId.get(audienceId);
    if (!audience || !profile) return null;
    const known = await loadKnown(scope, person, { any: audiences.map(({ predicate }) => predicate) }, now);
    const rows = new Set([...lists, ...named.filter((id) => known.isMember(id) === true)]);
    const evaluator = evaluatorOf(live, factsOfProfile(profile, { now, tallyOf: known.tallyOf }), rows);
    return (await verdictOf(evaluator, audience, { spend: spendWork, owner: scopeKey(scope) })) === true;
  };
