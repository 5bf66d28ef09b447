import { mailAddress } from '../../foundation/email-address.ts';
import { anonymousPerson, userPerson } from '../../foundation/person.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { ErasedPerson, Eraser } from '../../platform/erasure/eraser.ts';
import type { profileStore } from './store.ts';
import { addressesOf, type PersonKey, type ProfileView } from './view.ts';

/** The part of profiles in erasure. */
export type ProfileErasure = {
  /** Reads the stored ids and addresses of a user. */
  describe(scope: InScope, userId: string): Promise<ErasedPerson>;
  readonly profile: Eraser;
  /** Runs after all others, because the user's anonymous ids are read from the aliases. */
  readonly aliases: Eraser;
};

/** Reads a user's identity, and erases the profile and its aliases. */
export const profileErasure = ({
  store,
  read,
}: {
  readonly store: Pick<ReturnType<typeof profileStore>, 'everyAnonymousIdOf' | 'erase' | 'eraseAliases'>;
  readonly read: (key: PersonKey) => Promise<ProfileView | undefined>;
}): ProfileErasure => {
  const once = (name: string, erase: (person: ErasedPerson) => Promise<number>): Eraser => ({
    name,
    begin: (person) => async () => ({ rows: await erase(person), isMore: false }),
  });
  return {
    describe: async (scope, userId) => {
      const person = userPerson(userId);
      const profile = await read({ scopeId: scope.scopeId, person });
      const anonymous = await store.everyAnonymousIdOf(scope, userId);
      const addresses = profile ? addressesOf(profile) : [];
      // Email is stored and sent with an encoded domain; a trait may have another form.
      const stored = addresses.flatMap((address) => mailAddress(address) ?? []);
      return {
        scope: { scopeId: scope.scopeId },
        userId,
        // The sender of an inbound SMS from an unknown number has that number as anonymous id.
        people: [person, ...anonymous.map(anonymousPerson), ...addresses.map(anonymousPerson)],
        addresses: [...new Set([...addresses, ...stored])],
      };
    },
    profile: once('profile', ({ scope, people }) => store.erase(scope, people)),
    aliases: once('aliases', ({ scope, userId }) => store.eraseAliases(scope, userId)),
  };
};
