import { anonymousPerson, userPerson } from '../../foundation/person.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { ErasedPerson, Eraser } from '../../platform/erasure/eraser.ts';
import type { profileStore } from './store.ts';
import { addressesOf, type PersonKey, type ProfileView } from './view.ts';

export type ProfileErasureDeps = {
  readonly store: ReturnType<typeof profileStore>;
  readonly read: (key: PersonKey) => Promise<ProfileView | undefined>;
};

/** Who somebody is, and their profile and its names. */
export const profileErasure = ({ store, read }: ProfileErasureDeps) => {
  const once = (name: string, erase: (person: ErasedPerson) => Promise<number>): Eraser => ({
    name,
    begin: (person) => async () => ({ rows: await erase(person), isMore: false }),
  });
  return {
    describe: async (scope: InScope, userId: string): Promise<ErasedPerson> => {
      const person = userPerson(userId);
      const profile = await read({ scopeId: scope.scopeId, person });
      const anonymous = await store.everyAnonymousIdOf(scope, userId);
      const addresses = profile ? addressesOf(profile) : [];
      return {
        scope: { scopeId: scope.scopeId },
        userId,
        // Who wrote from a number that was nobody's is anonymous by that number.
        people: [person, ...anonymous.map(anonymousPerson), ...addresses.map(anonymousPerson)],
        addresses,
      };
    },
    profile: once('profile', ({ scope, people }) => store.erase(scope, people)),
    /** After everything else: whose it all is, is read from them. */
    aliases: once('aliases', ({ scope, userId }) => store.eraseAliases(scope, userId)),
  };
};
