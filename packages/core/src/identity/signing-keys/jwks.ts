import type { PublicJwk, PublicKeyRecord, SigningAlg } from './signing-key.ts';
import { SIGNING_ALGS } from './signing-key.ts';

/** A published key. Source: RFC 7517, section 4. */
export type PublishedJwk = PublicJwk & { readonly kid: string; readonly alg: SigningAlg; readonly use: 'sig' };
/** A JWK Set. Source: RFC 7517, section 5. */
export type JwkSet = { readonly keys: readonly PublishedJwk[] };

/** Seconds that clients may cache the key set. A new key is published twice as long before it signs. */
export const JWKS_MAX_AGE_SECONDS = 300;

/**
 * The key set of a scope.
 *
 * @param keys published keys: see `publishedKeys`; private members are never copied. Throws nothing.
 */
export const jwkSetOf = (keys: readonly PublicKeyRecord[]): JwkSet => ({
  keys: keys.map(({ kid, alg, publicJwk }) => ({ ...publicMembers(publicJwk), kid, alg, use: 'sig' })),
});

// Each member by its name, so that a private one never gets into the set by mistake.
const publicMembers = (jwk: PublicJwk): PublicJwk => {
  switch (jwk.kty) {
    case 'EC':
      return { kty: jwk.kty, crv: jwk.crv, x: jwk.x, y: jwk.y };
    case 'OKP':
      return { kty: jwk.kty, crv: jwk.crv, x: jwk.x };
    case 'RSA':
      return { kty: jwk.kty, n: jwk.n, e: jwk.e };
  }
};

/**
 * The issuer of a scope's tokens.
 *
 * @param publicUrl address of the server, with or without a trailing slash. Throws nothing.
 */
export const issuerOf = ({
  publicUrl,
  projectId,
  environment,
}: {
  readonly publicUrl: string;
  readonly projectId: string;
  readonly environment: string;
}): string => {
  const base = publicUrl.endsWith('/') ? publicUrl.slice(0, -1) : publicUrl;
  return `${base}/api/v1/auth-service/projects/${encodeURIComponent(projectId)}/${environment}`;
};

/** Metadata by which clients find the key set. */
export type OpenIdConfiguration = {
  readonly issuer: string;
  readonly jwks_uri: string;
  readonly id_token_signing_alg_values_supported: readonly SigningAlg[];
  /** Empty: Beckon is no OAuth authorization server. */
  readonly response_types_supported: readonly string[];
  readonly subject_types_supported: readonly ['public'];
};

/** The OpenID configuration document of an issuer. Throws nothing. Source: OpenID Connect Discovery 1.0, section 3. */
export const openIdConfiguration = (issuer: string): OpenIdConfiguration => ({
  issuer,
  jwks_uri: `${issuer}/.well-known/jwks.json`,
  id_token_signing_alg_values_supported: SIGNING_ALGS,
  response_types_supported: [],
  subject_types_supported: ['public'],
});
