import type { WholeList } from '../../foundation/page.ts';
import { type Person, userIdOf, userPerson } from '../../foundation/person.ts';
import { PLACEHOLDER_SPELLINGS } from '../../foundation/placeholder-user-id.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { PlaceholderUser } from './api.ts';

/** Counts active devices by user; users without any are omitted. */
export type CountDevices = (scope: InScope, people: readonly Person[]) => Promise<ReadonlyMap<string, number>>;

/** Users with a placeholder id who have a profile or an active device. Throws database errors. */
export const placeholderUsers =
  (
    profiles: { among(scope: InScope, people: readonly string[]): Promise<ReadonlySet<string>> },
    countDevices: CountDevices,
  ) =>
  async (scope: InScope): Promise<WholeList<PlaceholderUser>> => {
    const people = PLACEHOLDER_SPELLINGS.map(userPerson);
    const [known, devices] = await Promise.all([profiles.among(scope, people), countDevices(scope, people)]);
    const found = people.filter((person) => known.has(person) || devices.has(person));
    return { data: found.map((person) => ({ userId: userIdOf(person) ?? '', devices: devices.get(person) ?? 0 })) };
  };
