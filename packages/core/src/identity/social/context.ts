import { randomBytes as systemRandomBytes } from 'node:crypto';
import type { JWTVerifyGetKey } from 'jose';
import type { Clock } from '../../foundation/clock.ts';
import { lru } from '../../foundation/lru.ts';
import type { ProviderEndpoints, SocialProvider } from '../auth-settings/social-providers.ts';
import { TENANT } from './bodies.ts';
import { type ProviderHttp, type ProviderHttpOptions, providerHttp } from './http.ts';
import { PROVIDERS } from './providers.ts';

/** Chosen: sets of signing keys in memory. */
const MAX_KEY_SETS = 64;
/** After a fetch, an unknown key causes no other one for so long. Source: authentication design, Library errors. */
const KEY_COOL_DOWN_MS = 30_000;
const KEY_MAX_AGE_MS = 600_000;
const DEFAULT_TENANT = 'common';

/** An app that is registered with a provider. */
export type SocialCredentials = {
  readonly clientId: string;
  /** Apple: content of the .p8 file. */
  readonly clientSecret: string;
  /** Requested in addition to those of the provider. */
  readonly scopes?: readonly string[] | undefined;
  /** Client ids of apps that send native ID tokens, in addition to `clientId`. */
  readonly nativeClientIds?: readonly string[] | undefined;
  /** Apple only. */
  readonly teamId?: string | undefined;
  readonly keyId?: string | undefined;
  /** Microsoft only: a tenant id or domain, `organizations`, `consumers` or `common`, which is the default. */
  readonly tenant?: string | undefined;
};

/** What social sign-in shares: time, requests, and the signing keys of providers. */
export type SocialContext = {
  readonly clock: Clock;
  readonly http: ProviderHttp;
  randomBytes(size: number): Uint8Array;
  /** @throws TypeError for a Microsoft tenant that is no id and no domain */
  endpointsOf(provider: SocialProvider, credentials: Pick<SocialCredentials, 'tenant'>): ProviderEndpoints;
  /** The signing keys at this URL, fetched when they are first needed. */
  keysAt(url: string): Promise<JWTVerifyGetKey>;
  close(): Promise<void>;
};

export type SocialOptions = {
  readonly clock: Clock;
  readonly net?: ProviderHttpOptions | undefined;
  /** Endpoints in place of the providers' own. Set by the operator of the server only, never by a tenant. */
  readonly endpoints?: Readonly<Partial<Record<SocialProvider, Partial<ProviderEndpoints>>>> | undefined;
  readonly randomBytes?: ((size: number) => Uint8Array) | undefined;
};

/**
 * Creates what social sign-in shares. Does no I/O, and imports no library before the first sign-in.
 *
 * @throws TypeError when an allowed network is invalid
 */
export const socialContext = ({
  clock,
  net,
  endpoints = {},
  randomBytes = systemRandomBytes,
}: SocialOptions): SocialContext => {
  const http = providerHttp(net);
  const keySets = lru<string, JWTVerifyGetKey>(MAX_KEY_SETS);
  return {
    clock,
    http,
    randomBytes,
    endpointsOf: (provider, { tenant = DEFAULT_TENANT }) => {
      const merged: ProviderEndpoints = { ...PROVIDERS[provider].endpoints, ...endpoints[provider] };
      if (provider !== 'microsoft') return merged;
      if (!TENANT.test(tenant)) throw new TypeError('A Microsoft tenant is an id or a domain.');
      const inTenant = (url: string): string => url.replace('{tenant}', tenant);
      return {
        ...merged,
        authorization: inTenant(merged.authorization),
        token: inTenant(merged.token),
        ...(merged.jwks === undefined ? {} : { jwks: inTenant(merged.jwks) }),
      };
    },
    keysAt: async (url) => {
      const { createRemoteJWKSet, customFetch } = await import('jose');
      const keys =
        keySets.get(url) ??
        createRemoteJWKSet(new URL(url), {
          [customFetch]: http.fetch,
          cooldownDuration: KEY_COOL_DOWN_MS,
          cacheMaxAge: KEY_MAX_AGE_MS,
        });
      keySets.set(url, keys);
      return keys;
    },
    close: http.close,
  };
};
