// Discovery documents of OpenID providers. Cached for ten minutes, so that a sign-in needs no request before its redirect.

import { isObject } from '../../../foundation/json.ts';
import { lru } from '../../../foundation/lru.ts';
import type { SocialContext } from '../../social/context.ts';
import { httpErrorIn } from '../../social/http.ts';

/** Chosen: providers in memory, and how long. */
const MAX_PROVIDERS = 500;
const MAX_AGE_MS = 600_000;

/** Endpoints of a provider. */
export type OidcServer = {
  readonly issuer: string;
  readonly authorization: string;
  readonly token: string;
  readonly jwks: string;
  readonly userinfo: string | null;
  /** Whether its callbacks name the issuer. Source: RFC 9207. */
  readonly sendsIssuer: boolean;
  /** Where the client secret goes. */
  readonly secretIn: 'basic' | 'post';
};

/** Why a provider cannot be used. `detail` is a code and holds no text of the provider. */
export class DiscoveryError extends Error {
  override readonly name = 'DiscoveryError';
  readonly reason: 'provider_unavailable' | 'provider_error';
  readonly detail: string;
  constructor(reason: DiscoveryError['reason'], detail: string) {
    super('The OpenID provider cannot be used.');
    this.reason = reason;
    this.detail = detail;
  }
}

const urlIn = (value: unknown, allowHttp: boolean): string | null => {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  return url && (url.protocol === 'https:' || (allowHttp && url.protocol === 'http:')) ? url.href : null;
};

const textsIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const serverIn = (issuer: string, document: unknown, allowHttp: boolean): OidcServer => {
  const invalid = (detail: string): never => {
    throw new DiscoveryError('provider_error', detail);
  };
  if (!isObject(document)) return invalid('discovery');
  // Otherwise the operator of another server could speak for this issuer.
  if (document['issuer'] !== issuer) return invalid('issuer');
  const required = (name: string): string => urlIn(document[name], allowHttp) ?? invalid(name);
  const methods = textsIn(document['token_endpoint_auth_methods_supported']);
  return {
    issuer,
    authorization: required('authorization_endpoint'),
    token: required('token_endpoint'),
    jwks: required('jwks_uri'),
    userinfo: document['userinfo_endpoint'] === undefined ? null : required('userinfo_endpoint'),
    sendsIssuer: document['authorization_response_iss_parameter_supported'] === true,
    // Source: OpenID Connect Discovery, 3: without the list, basic.
    secretIn: methods.includes('client_secret_post') && !methods.includes('client_secret_basic') ? 'post' : 'basic',
  };
};

type Cached = { readonly server: OidcServer; readonly atMs: number };

/** Reads the discovery document of an issuer. Throws DiscoveryError. */
export type Discover = (issuer: string) => Promise<OidcServer>;

export const oidcDiscovery = ({ clock, http }: Pick<SocialContext, 'clock' | 'http'>): Discover => {
  const servers = lru<string, Cached>(MAX_PROVIDERS);
  return async (issuer) => {
    const nowMs = clock.now().getTime();
    const cached = servers.get(issuer);
    if (cached && nowMs - cached.atMs < MAX_AGE_MS) return cached.server;
    const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    try {
      const response = await http.fetch(url, { headers: { accept: 'application/json' } });
      if (response.status !== 200) throw new DiscoveryError('provider_error', `status_${response.status}`);
      const document: unknown = await response.json().catch(() => null);
      const server = serverIn(issuer, document, http.allowHttp);
      servers.set(issuer, { server, atMs: nowMs });
      return server;
    } catch (error) {
      const failed = httpErrorIn(error);
      throw failed ? new DiscoveryError(failed.reason, failed.detail) : error;
    }
  };
};
