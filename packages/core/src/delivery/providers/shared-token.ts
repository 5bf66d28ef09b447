import type { Keyring, SecretPlace } from '../../platform/tenancy/keyring.ts';
import type { ProviderToken, SharedProviderToken } from '../transports/apns/token.ts';
import type { CredentialKey, CredentialStore } from './store.ts';

/**
 * The provider token shared by workers of one version of credentials. It is sealed in the credentials' row and replaced
 * by one conditional update: if two workers renew it at once, one wins and the other uses the winner's token. Throws
 * database errors and UnreadableSecret.
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
      // Changed credentials leave no shared token: this token serves until its transport is closed.
      return (await read()) ?? next;
    },
  };
};
