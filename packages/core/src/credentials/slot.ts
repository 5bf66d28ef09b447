import type { Keyring, SecretPlace } from '../tenancy/keyring.ts';
import type { ProviderToken, SharedSlot } from '../transports/apns-token.ts';
import type { CredentialKey, CredentialStore } from './store.ts';

/**
 * The provider token that the workers of one version of credentials share: sealed in the credentials' row, replaced by
 * one conditional update, so that of two workers that renew it one wins and the other takes what the first one made.
 * Throws what the database throws, and UnreadableSecret.
 */
export const sealedSlot = ({
  store,
  secrets,
  key,
  version,
  place,
}: {
  readonly store: Pick<CredentialStore, 'get' | 'setSlot'>;
  readonly secrets: Pick<Keyring, 'seal' | 'openText'>;
  readonly key: CredentialKey;
  readonly version: number;
  readonly place: SecretPlace;
}): SharedSlot => {
  const read = async (): Promise<ProviderToken | null> => {
    const row = await store.get(key);
    if (!row?.slot || row.slotIssuedAt === null || row.version !== version) return null;
    return { jwt: await secrets.openText(place, row.slot), issuedAtSeconds: row.slotIssuedAt };
  };
  return {
    read,
    replace: async (was, next) => {
      const slot = await secrets.seal(place, next.jwt);
      await store.setSlot(key, version, was, { slot, slotIssuedAt: next.issuedAtSeconds });
      // Of credentials that were changed meanwhile no slot is left: the token serves until its transport is closed.
      return (await read()) ?? next;
    },
  };
};
