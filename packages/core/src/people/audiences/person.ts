import { userIdOf } from '../../foundation/person.ts';
import type { PersonChange, PersonView } from '../events/pipeline.ts';
import { storedLastSeen } from '../profiles/change.ts';
import { type ProfileView, userEmailOf, userPhoneOf } from '../profiles/view.ts';
import type { ByValue, DynamicAudience } from './by-value.ts';
import type { AudienceIndex } from './definitions.ts';
import type { PersonFacts } from './evaluate.ts';
import { userFacts } from './predicate/facts.ts';
import type { UserField } from './predicate/types.ts';

type User = PersonFacts['user'];

/** Built-in fields of a profile as predicates and SQL see them: without values of devices. */
const userOf = (person: string, view: PersonView): User => ({
  userId: userIdOf(person),
  email: userEmailOf(view),
  phone: userPhoneOf(view),
  locale: view.localeOverride ?? view.locale,
  timezone: view.timezoneOverride ?? view.timezone,
  createdAt: view.createdAt ?? null,
  lastSeenAt: view.lastSeenAt,
});

/** Facts of a stored profile. Throws nothing. */
export const factsOfProfile = (row: ProfileView, rest: Omit<PersonFacts, 'user' | 'traits'>): PersonFacts => ({
  user: userFacts(row),
  traits: row.traits,
  ...rest,
});

/** Facts of a profile after a batch: unchanged columns come from what was read. */
export const factsOfChange = (
  { person, before, after }: PersonChange & { readonly after: PersonView },
  rest: Omit<PersonFacts, 'user' | 'traits'>,
): PersonFacts => ({
  user: userOf(person, { ...before, ...after, lastSeenAt: storedLastSeen(before, after) }),
  traits: after.traits ?? {},
  ...rest,
});

const same = (a: User[UserField], b: User[UserField]): boolean =>
  a instanceof Date && b instanceof Date ? a.getTime() === b.getTime() : (a ?? null) === (b ?? null);

const ownOf = (view: PersonView, name: string): unknown =>
  view.traits !== undefined && Object.hasOwn(view.traits, name) ? view.traits[name] : undefined;

/** Audiences that a changed value may affect. */
export type Concern =
  | { readonly mayHold: ByValue; readonly name: string; readonly value: unknown }
  | readonly DynamicAudience[];

const isByTrait = (concern: Concern): concern is Exclude<Concern, readonly DynamicAudience[]> => 'mayHold' in concern;

/** Audiences that a profile change may affect; all of them for a new profile. Throws nothing. */
export const concernsOf = (
  index: AudienceIndex,
  change: PersonChange & { readonly after: PersonView },
  { events, isMerged }: { readonly events: Iterable<string>; readonly isMerged: boolean },
): readonly Concern[] => {
  const { person, before, after } = change;
  if (before === null) return [index.dynamic];
  const concerns: Concern[] = [];
  if (before.traits !== after.traits)
    for (const [name, mayHold] of index.byTrait) {
      const value = ownOf(after, name);
      if (ownOf(before, name) !== value) concerns.push({ mayHold, name, value });
    }
  if (index.byField.size > 0) {
    const [was, is] = [userOf(person, before), factsOfChange(change, NOTHING).user];
    // A view without traits only has the columns that events change.
    for (const [field, audiences] of index.byField)
      if ((before.traits !== undefined || SEEN.has(field)) && !same(was[field], is[field])) concerns.push(audiences);
  }
  for (const event of events) concerns.push(index.byEvent.get(event) ?? []);
  if (isMerged) concerns.push(...index.byEvent.values());
  return concerns.filter((concern) => isByTrait(concern) || concern.length > 0);
};

/** Work units of finding the affected audiences. Measured, with a margin. */
export const unitsOfConcerns = (index: AudienceIndex, concerns: readonly Concern[], rows: number): number =>
  PERSON_UNITS + index.byTrait.size + index.byField.size + concerns.length + index.dynamic.length / 4 + rows;

const PERSON_UNITS = 20;

/** Audiences to evaluate, and audiences that the new value alone excludes: their rows are deleted. */
type Concerned = { readonly affected: ReadonlySet<DynamicAudience>; readonly deleted: Iterable<DynamicAudience> };

/** Whether two sets intersect; looks up each element of the smaller one. */
const isAnyOf = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean => {
  const [few, many] = one.size < other.size ? [one, other] : [other, one];
  for (const name of few) if (many.has(name)) return true;
  return false;
};

/**
 * The audiences whose rows may have to change: current memberships and audiences that may match now. Throws nothing.
 *
 * @param rows ids of the audiences with a membership row
 */
export const concernedBy = (
  index: AudienceIndex,
  concerns: readonly Concern[],
  rows: ReadonlySet<string>,
): Concerned => {
  const affected = new Set<DynamicAudience>();
  const deleted = new Set<DynamicAudience>();
  const changed = new Set<string>();
  for (const concern of concerns) {
    for (const audience of isByTrait(concern) ? concern.mayHold(concern.value) : concern) affected.add(audience);
    if (isByTrait(concern)) changed.add(concern.name);
  }
  for (const id of rows) {
    const audience = index.byId.get(id);
    if (audience && isAnyOf(audience.all.traits, changed)) deleted.add(audience);
  }
  for (const audience of affected) deleted.delete(audience);
  return { affected, deleted };
};

/** Fields that any event may change. */
const SEEN: ReadonlySet<UserField> = new Set(['lastSeenAt', 'locale', 'timezone']);
const NOTHING: Omit<PersonFacts, 'user' | 'traits'> = { now: new Date(0), tallyOf: () => null };
