import type { Keyring, SecretPlace } from '../../platform/tenancy/keyring.ts';
import type { ProviderToken, SharedProviderToken } from '../transports/apns/token.ts';
import type { CredentialKey, CredentialStore } from './store.ts';

/**
 * The provider token that the workers of one version of credentials share: sealed in the credentials' row, replaced by
 * one conditional update, so that of two workers that renew it one wins and the other takes what the first one made.
 * Throws what the database throws, and UnreadableSecret.
 */
export const sealedProviderToken = ({
  store,
  secrets,
  key,
  version,
  place,
}: {
  readonly store: Pick<CredentialStore, 'get' | 'setSharedToken'>;
  readonly secrets: Pick<Keyring, 'seal' | 'openText'>;
  readonly key: CredentialKey;
  readonly version: number;
  readonly place: SecretPlace;
}): SharedProviderToken => {
  const read = async (): Promise<ProviderToken | null> => {
    const row = await store.get(key);
    if (!row?.sharedToken || row.sharedTokenIssuedAt === null || row.version !== version) return null;
    return { jwt: await secrets.openText(place, row.sharedToken), issuedAtSeconds: row.sharedTokenIssuedAt };
  };
  return {
    read,
    replace: async (was, next) => {
      const sharedToken = await secrets.seal(place, next.jwt);
      await store.setSharedToken(key, version, was, { sharedToken, sharedTokenIssuedAt: next.issuedAtSeconds });
      // Of credentials that were changed meanwhile no shared token is left: the token serves until its transport is closed.
      return (await read()) ?? next;
    },
  };
};
