import type { ClientAuth, Configuration, CustomFetch, ServerMetadata } from 'openid-client';
import { isObject } from '../../foundation/json.ts';
import type { ProviderEndpoints, SocialProvider } from '../auth-settings/social-providers.ts';
import { appleClientSecret } from './apple.ts';
import type { SocialContext, SocialCredentials } from './context.ts';
import { httpErrorIn, type ProviderHttp } from './http.ts';
import { checkIdToken, codeOf, ID_TOKEN_ALGS, invalidToken, type Refusal, type TokenReason } from './id-token.ts';
import { type Claims, identityOf, type SocialIdentity } from './identity.ts';
import { PROVIDERS } from './providers.ts';

/** Why a callback failed. Source: authentication design, Library errors. */
export type FlowReason = TokenReason | 'state_invalid' | 'access_denied';
type Exchanged = { readonly ok: true; readonly identity: SocialIdentity } | Refusal<FlowReason>;

/** What a flow stored of its request. */
type Flow = { readonly redirectUri: string; readonly nonce: string | null; readonly codeVerifier: string | null };
type Call = {
  readonly provider: SocialProvider;
  readonly credentials: SocialCredentials;
  readonly endpoints: ProviderEndpoints;
};

/** Parameters of a callback that matter; others are never read, such as the provider's description of an error. */
const PARAMS = ['code', 'state', 'iss', 'error'];
/** Errors of a user who declined. LinkedIn and Apple have their own. */
const DECLINED = new Set(['access_denied', 'user_cancelled_login', 'user_cancelled_authorize']);
/** openid-client accepts issuers of Microsoft's tenants only for servers that it discovered at this address. */
const MICROSOFT = new URL('https://login.microsoftonline.com/common/v2.0');

const refusal = <Reason extends FlowReason>(reason: Reason, detail: string): Refusal<Reason> => ({
  ok: false,
  reason,
  detail,
});

/** What a flow learned of its token request, which tells the errors of the library apart. */
export type Progress = { isRequested: boolean; hasTokens: boolean };

/** Adapts answers of the token endpoint to RFC 6749, where providers differ from it. */
const tokenFetch =
  ({ provider, endpoints }: Call, http: ProviderHttp, progress: Progress): CustomFetch =>
  async (url, request) => {
    if (url !== endpoints.token) return http.fetch(url, request);
    progress.isRequested = true;
    const response = await http.fetch(url, request);
    if (response.status !== 200) return response;
    const body: unknown = await response
      .clone()
      .json()
      .catch(() => null);
    if (!isObject(body) || typeof body['access_token'] !== 'string') return response;
    progress.hasTokens = true;
    const { refresh_token: _refresh, expires_in: _expires, scope: _scope, id_token: idToken, ...tokens } = body;
    return Response.json({
      // LinkedIn may send no token_type. Twitch sends scopes as a list; nothing here reads scopes, lifetimes or refresh tokens.
      token_type: 'Bearer',
      ...tokens,
      // An identity of an API is not mixed with that of an ID token, such as Twitch's.
      ...(PROVIDERS[provider].kind === 'oidc' && idToken !== undefined ? { id_token: idToken } : {}),
    });
  };

const secretOf = async ({ provider, credentials }: Call, context: SocialContext): Promise<string> => {
  const { clientId, clientSecret, teamId = '', keyId = '' } = credentials;
  return provider === 'apple'
    ? appleClientSecret({ clientId, teamId, keyId, privateKey: clientSecret }, context.clock)
    : clientSecret;
};

const configurationOf = async (call: Call, context: SocialContext, progress: Progress): Promise<Configuration> => {
  const library = await import('openid-client');
  const { provider, credentials, endpoints } = call;
  const { clock, http } = context;
  const server: ServerMetadata = {
    issuer: endpoints.issuer,
    token_endpoint: endpoints.token,
    id_token_signing_alg_values_supported: ID_TOKEN_ALGS,
    authorization_response_iss_parameter_supported: PROVIDERS[provider].sendsIssuer,
    ...(endpoints.userinfo === undefined ? {} : { userinfo_endpoint: endpoints.userinfo }),
  };
  const secret = await secretOf(call, context);
  const auth: ClientAuth =
    PROVIDERS[provider].secretIn === 'basic' ? library.ClientSecretBasic(secret) : library.ClientSecretPost(secret);
  // The library reads the system's clock.
  const metadata = { [library.clockSkew]: Math.round((clock.now().getTime() - Date.now()) / 1_000) };
  const request = tokenFetch(call, http, progress);

  if (provider === 'microsoft') {
    const microsoft = await library.discovery(MICROSOFT, credentials.clientId, metadata, auth, {
      // Serves the fixed endpoints from memory.
      [library.customFetch]: async () => Response.json(server),
    });
    microsoft[library.customFetch] = request;
    if (http.allowHttp) library.allowInsecureRequests(microsoft);
    return microsoft;
  }
  const configuration = new library.Configuration(server, credentials.clientId, metadata, auth);
  configuration[library.customFetch] = request;
  if (http.allowHttp) library.allowInsecureRequests(configuration);
  return configuration;
};

/** The callback as the library reads it: the parameters that matter, repeated ones included. */
const callbackUrl = (provider: SocialProvider, redirectUri: string, params: URLSearchParams): URL => {
  const url = new URL(redirectUri);
  // Every provider has a callback of its own, which prevents a mix-up where no issuer can be compared. Source: RFC 9700, 4.4.2.
  const comparesIssuer = PROVIDERS[provider].kind === 'oidc' && provider !== 'microsoft';
  for (const name of PARAMS)
    if (name !== 'iss' || comparesIssuer) for (const value of params.getAll(name)) url.searchParams.append(name, value);
  return url;
};

/** The claim that an error of the library is about. */
const claimOf = (error: unknown): string | null => {
  let current = error;
  for (let depth = 0; depth < 4 && current !== undefined; depth += 1) {
    const claim: unknown = isObject(current) && 'claim' in current ? current['claim'] : undefined;
    if (typeof claim === 'string') return claim;
    current = isObject(current) && 'cause' in current ? current['cause'] : undefined;
  }
  return null;
};

const TOKEN_ERRORS = new Set(['OAUTH_JWT_CLAIM_COMPARISON_FAILED', 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED']);

/** Why the library refused a callback. Throws nothing. */
export const refusalOf = (error: unknown, progress: Progress): Refusal<FlowReason> => {
  const failed = httpErrorIn(error);
  if (failed) return refusal(failed.reason, failed.detail);
  const code = codeOf(error);
  if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR') {
    const text: unknown = error instanceof Error && 'error' in error ? error.error : undefined;
    return DECLINED.has(String(text)) ? refusal('access_denied', code) : refusal('provider_error', code);
  }
  if (!progress.isRequested)
    return code.startsWith('OAUTH_') ? refusal('state_invalid', code) : refusal('provider_error', code);
  return progress.hasTokens || TOKEN_ERRORS.has(code)
    ? invalidToken(claimOf(error) ?? code)
    : refusal('provider_error', code);
};

/** Reads JSON of the provider's API. @throws ProviderHttpError; null for an answer that is not JSON or not 200 */
const readApi = async (
  { http }: SocialContext,
  endpoint: string,
  accessToken: string,
  params: Readonly<Record<string, string>> = {},
): Promise<unknown> => {
  const url = new URL(endpoint);
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  const response = await http.fetch(url, {
    headers: { authorization: `Bearer ${accessToken}`, accept: 'application/json' },
  });
  return response.status === 200 ? response.json().catch(() => null) : null;
};

const identityByApi = async (
  context: SocialContext,
  { provider, credentials, endpoints }: Call,
  accessToken: string,
): Promise<Exchanged> => {
  const { userinfoParams, fieldsOf } = PROVIDERS[provider];
  const { clientSecret } = credentials;
  const params = userinfoParams?.({ accessToken, clientSecret });
  const [claims, emails] = await Promise.all([
    readApi(context, endpoints.userinfo ?? '', accessToken, params),
    endpoints.emails === undefined ? undefined : readApi(context, endpoints.emails, accessToken),
  ]);
  if (!isObject(claims)) return refusal('provider_error', 'userinfo');
  const identity = identityOf(provider, endpoints.issuer, fieldsOf(claims, emails), claims);
  return identity === null ? refusal('provider_error', 'subject') : { ok: true, identity };
};

const identityByToken = async (
  context: SocialContext,
  { provider, credentials, endpoints }: Call,
  token: string,
  readUserinfo: (subject: string) => Promise<Claims>,
): Promise<Exchanged> => {
  const audiences = [credentials.clientId];
  const checked = await checkIdToken(context, { provider, endpoints, credentials, token, audiences });
  if (!checked.ok) return checked;
  const { sub, email } = checked.claims;
  // Some providers state the address at their userinfo endpoint only. The signed claims win.
  const isComplete = endpoints.userinfo === undefined || email !== undefined || typeof sub !== 'string';
  const claims = isComplete ? checked.claims : { ...(await readUserinfo(sub)), ...checked.claims };
  const fields = PROVIDERS[provider].fieldsOf(claims, undefined);
  const identity = identityOf(provider, checked.issuer, fields, claims);
  return identity === null ? invalidToken('subject') : { ok: true, identity };
};

/**
 * Checks state and issuer of a callback, exchanges its code, checks the ID token or asks the provider's API, and returns the
 * identity or a refusal. Throws TypeError for an invalid Microsoft tenant only.
 */
export const exchangeCode = async (
  context: SocialContext,
  {
    provider,
    credentials,
    flow,
    params,
  }: {
    readonly provider: SocialProvider;
    readonly credentials: SocialCredentials;
    readonly flow: Flow;
    readonly params: URLSearchParams;
  },
): Promise<Exchanged> => {
  const call: Call = { provider, credentials, endpoints: context.endpointsOf(provider, credentials) };
  const progress: Progress = { isRequested: false, hasTokens: false };
  if (!params.has('code') && !params.has('error')) return refusal('provider_error', 'code');
  try {
    const { authorizationCodeGrant, fetchUserInfo } = await import('openid-client');
    const configuration = await configurationOf(call, context, progress);
    const tokens = await authorizationCodeGrant(configuration, callbackUrl(provider, flow.redirectUri, params), {
      // The caller compared the state with its stored hash.
      expectedState: params.get('state') ?? '',
      idTokenExpected: PROVIDERS[provider].kind === 'oidc',
      ...(flow.nonce === null ? {} : { expectedNonce: flow.nonce }),
      ...(flow.codeVerifier === null ? {} : { pkceCodeVerifier: flow.codeVerifier }),
    });
    // From here on the library checked the ID token, and its errors are those of the API.
    progress.hasTokens = false;
    if (PROVIDERS[provider].kind === 'oauth2') return await identityByApi(context, call, tokens.access_token);
    const readUserinfo = (subject: string) => fetchUserInfo(configuration, tokens.access_token, subject);
    return await identityByToken(context, call, tokens.id_token ?? '', readUserinfo);
  } catch (error) {
    return refusalOf(error, progress);
  }
};
