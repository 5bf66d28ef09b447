import type { ProviderEndpoints, SocialProvider } from '../auth-settings/social-providers.ts';
import type { SocialContext, SocialCredentials } from './context.ts';
import { httpErrorIn } from './http.ts';
import type { Claims } from './identity.ts';
import { PROVIDERS } from './providers.ts';

/** Source: authentication design, OIDC SSO. No symmetric algorithm, and not `none`. */
export const ID_TOKEN_ALGS = ['RS256', 'RS384', 'RS512', 'PS256', 'ES256', 'ES384', 'EdDSA', 'Ed25519'];
/** Seconds by which the clock of a provider may differ. Chosen: the default of openid-client. */
const TOLERANCE_SECONDS = 30;
/** Longest token that is read. Chosen: the whole body of a request has 64 KB. */
const MAX_TOKEN_CHARACTERS = 32_768;

/** The tenant of personal Microsoft accounts. Source: Microsoft, "ID token claims reference". */
const CONSUMERS = '9188040d-6c67-4c5b-b112-36a304b66dad';
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Why a sign-in failed. `detail` is a code or the name of a claim for the audit, and never text of the provider. */
export type Refusal<Reason extends string> = { readonly ok: false; readonly reason: Reason; readonly detail: string };
export type TokenReason = 'invalid_id_token' | 'provider_error' | 'provider_unavailable';
export type CheckedToken =
  | { readonly ok: true; readonly claims: Claims; readonly issuer: string }
  | Refusal<TokenReason>;

/** A refusal of the ID token. Throws nothing. */
export const invalidToken = (detail: string): Refusal<'invalid_id_token'> => ({
  ok: false,
  reason: 'invalid_id_token',
  detail,
});

/** True if a Microsoft tenant may sign in with these credentials. A domain cannot be compared: its keys and endpoint decide. */
const isAllowedTenant = (tenantId: string, tenant = 'common'): boolean => {
  if (tenant === 'organizations') return tenantId !== CONSUMERS;
  if (tenant === 'consumers') return tenantId === CONSUMERS;
  return UUID.test(tenant.toLowerCase()) ? tenantId === tenant.toLowerCase() : true;
};

/** The issuer of the identity; null if the token is of another issuer. */
const issuerOf = (
  provider: SocialProvider,
  { issuer }: ProviderEndpoints,
  claims: Claims,
  { tenant }: Pick<SocialCredentials, 'tenant'>,
): string | null => {
  const { iss, tid } = claims;
  if (provider !== 'microsoft')
    return iss === issuer || PROVIDERS[provider].issuerAliases?.some((alias) => alias === iss) ? issuer : null;
  if (typeof tid !== 'string' || !UUID.test(tid) || !isAllowedTenant(tid, tenant)) return null;
  const expected = issuer.replace('{tenantid}', tid);
  return iss === expected ? expected : null;
};

/** The code of an error of a library. Throws nothing. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
/** Errors of the key set itself. */
const KEY_SET_ERRORS = new Set(['ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID', 'ERR_JWKS_TIMEOUT']);

type SignedToken = {
  readonly token: string;
  /** Accepted client ids; the token must be for exactly one. */
  readonly audiences: readonly string[];
  /** Since `iat`; absent: only `exp` counts. */
  readonly maxAgeSeconds?: number | undefined;
};

/**
 * Checks signature, algorithm, audience and times of an ID token. The caller checks issuer and nonce.
 *
 * @returns the claims, or a refusal. Throws nothing for any token.
 */
export const verifyIdToken = async (
  { clock, keysAt }: Pick<SocialContext, 'clock' | 'keysAt'>,
  { jwks, token, audiences, maxAgeSeconds }: SignedToken & { readonly jwks: string },
): Promise<{ readonly ok: true; readonly claims: Claims } | Refusal<TokenReason>> => {
  if (token.length > MAX_TOKEN_CHARACTERS) return invalidToken('too_long');
  const { jwtVerify } = await import('jose');
  try {
    const { payload } = await jwtVerify(token, await keysAt(jwks), {
      algorithms: ID_TOKEN_ALGS,
      audience: [...audiences],
      currentDate: clock.now(),
      clockTolerance: TOLERANCE_SECONDS,
      requiredClaims: ['iss', 'sub', 'aud', 'exp', 'iat'],
      // jose also refuses an `iat` in the future if there is a maximum age.
      ...(maxAgeSeconds === undefined ? {} : { maxTokenAge: maxAgeSeconds }),
    });
    if (Array.isArray(payload.aud) && payload.aud.length !== 1) return invalidToken('aud');
    return { ok: true, claims: payload };
  } catch (error) {
    const failed = httpErrorIn(error);
    if (failed) return { ok: false, reason: failed.reason, detail: failed.detail };
    const code = codeOf(error);
    if (KEY_SET_ERRORS.has(code)) return { ok: false, reason: 'provider_error', detail: code };
    const claim = error instanceof Error && 'claim' in error && typeof error.claim === 'string' ? error.claim : '';
    return invalidToken(/^[a-z_]{1,20}$/.test(claim) ? claim : code);
  }
};

/**
 * As `verifyIdToken`, for a social provider: also checks the issuer. The caller checks the nonce.
 *
 * @returns claims and canonical issuer, or a refusal. Throws nothing for any token.
 */
export const checkIdToken = async (
  context: SocialContext,
  {
    provider,
    endpoints,
    credentials,
    ...token
  }: SignedToken & {
    readonly provider: SocialProvider;
    readonly endpoints: ProviderEndpoints;
    readonly credentials: Pick<SocialCredentials, 'tenant'>;
  },
): Promise<CheckedToken> => {
  if (endpoints.jwks === undefined) return invalidToken('unsupported');
  const checked = await verifyIdToken(context, { ...token, jwks: endpoints.jwks });
  if (!checked.ok) return checked;
  const issuer = issuerOf(provider, endpoints, checked.claims, credentials);
  return issuer === null ? invalidToken('iss') : { ok: true, claims: checked.claims, issuer };
};
