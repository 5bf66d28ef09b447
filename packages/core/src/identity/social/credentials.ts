// Credentials of social providers as they are stored: read through a cache of 10 s, secrets sealed and never returned.

import { createPrivateKey } from 'node:crypto';
import { validationError } from '../../foundation/errors.ts';
import { type InScope, type Scope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import { readByScope, sharedCache } from '../../jobs/shared-cache.ts';
import type { Platform } from '../../platform/platform.ts';
import type { SecretPlace } from '../../platform/tenancy/keyring.ts';
import type { SealedValues } from '../../platform/tenancy/rotation.ts';
import { sealedInScopes } from '../../platform/tenancy/sealed-rows.ts';
import type { SocialProvider } from '../auth-settings/social-providers.ts';
import { parseBody } from '../flow/input.ts';
import { socialProviderBody } from './bodies.ts';
import type { SocialCredentials } from './context.ts';
import { socialStatements } from './statements.ts';
import { type SocialProviderRow, socialStore } from './store.ts';
import type { SocialTables } from './tables.ts';

export type SocialPlatform = Platform<SocialTables>;

/** A provider as an operator sees it: without its secret. */
export type StoredProvider = Omit<SocialProviderRow, 'scopeId' | 'sealed'> & { readonly hasClientSecret: boolean };

/** Wake topic: credentials of social providers changed in some process. */
const PROVIDERS_CHANGED = 'auth social providers';

const placeOf = ({ orgId, projectId, environment }: Scope, provider: SocialProvider): SecretPlace => ({
  ...{ orgId, projectId, environment, table: 'auth_social_providers', column: 'sealed', rowId: provider },
});

export type SocialProviders = {
  /** Providers with which users can sign in now. At most 10 s old. */
  enabled(scope: InScope): Promise<readonly StoredProvider[]>;
  /** Null: the provider is not set up, or disabled. At most 10 s old. Throws UnreadableSecret. */
  credentialsOf(scope: Scope, provider: SocialProvider): Promise<SocialCredentials | null>;
  list(scope: InScope): Promise<readonly StoredProvider[]>;
  /** Null: it is not set up. */
  get(scope: InScope, provider: SocialProvider): Promise<StoredProvider | null>;
  /** Throws VALIDATION_ERROR. */
  put(scope: Scope, provider: SocialProvider, input: unknown): Promise<StoredProvider>;
  /** False: it was not set up. */
  remove(scope: InScope, provider: SocialProvider): Promise<boolean>;
  readonly sealedValues: SealedValues;
  close(): void;
};

const shown = ({ scopeId: _, sealed, ...row }: SocialProviderRow): StoredProvider => ({
  ...row,
  hasClientSecret: sealed !== null,
});
const isUsable = ({ enabled, sealed }: SocialProviderRow): boolean => enabled && sealed !== null;

/** Throws VALIDATION_ERROR unless the text is a P-256 key in PEM. */
const requireAppleKey = (text: string): void => {
  try {
    if (createPrivateKey(text).asymmetricKeyDetails?.namedCurve === 'prime256v1') return;
  } catch {
    // Falls through: the text is no key.
  }
  throw validationError({ clientSecret: ['must be the content of the .p8 file of the key'] });
};

export const socialProviders = ({ storage, tables, clock, keyring, scopes }: SocialPlatform): SocialProviders => {
  const store = socialStore({ db: storage.db, tables });
  const cache = sharedCache<InScope, readonly SocialProviderRow[]>({
    ...{ storage, clock, topic: PROVIDERS_CHANGED, nameOf: scopeKey },
    read: readByScope(storage, socialStatements(tables).ofScope, (rows) => rows),
  });
  return {
    enabled: async (scope) => (await cache.get(scope)).filter(isUsable).map(shown),
    credentialsOf: async (scope, provider) => {
      const row = (await cache.get(scope)).find((one) => one.provider === provider);
      if (!row?.enabled || row.sealed === null) return null;
      const { clientId, scopes: extraScopes, extra } = row;
      const clientSecret = await keyring.openText(placeOf(scope, provider), row.sealed);
      return { clientId, clientSecret, scopes: extraScopes, ...extra };
    },
    list: async (scope) => (await store.list(scope)).map(shown),
    get: async (scope, provider) => {
      const row = await store.of(scope, provider);
      return row && shown(row);
    },
    put: async (scope, provider, input) => {
      const { clientSecret, ...values } = parseBody(socialProviderBody, input);
      const { extra } = values;
      if (provider === 'apple') {
        if (clientSecret !== undefined) requireAppleKey(clientSecret);
        if (extra.teamId === undefined) throw validationError({ 'extra.teamId': ['is required for apple'] });
        if (extra.keyId === undefined) throw validationError({ 'extra.keyId': ['is required for apple'] });
      }
      const stored = await store.of(scope, provider);
      const sealed =
        clientSecret === undefined
          ? (stored?.sealed ?? null)
          : await keyring.seal(placeOf(scope, provider), clientSecret);
      if (sealed === null) throw validationError({ clientSecret: ['is required: none is stored'] });
      const row: SocialProviderRow = { ...scopeOf(scope), ...values, provider, sealed, updatedAt: clock.now() };
      await cache.change(() => store.put(row));
      return shown(row);
    },
    remove: (scope, provider) => cache.change(() => store.remove(scope, provider)),
    sealedValues: sealedInScopes({
      scopes,
      count: store.countOfAll,
      read: store.pageOfAll,
      valuesOf: ({ scopeId, provider, sealed }: SocialProviderRow, scope) =>
        sealed === null
          ? []
          : [
              {
                place: placeOf(scope, provider),
                sealed,
                replace: (next) => store.reseal({ scopeId, provider }, sealed, next),
              },
            ],
    }),
    close: cache.close,
  };
};
