// Exchanges the code of an OpenID provider for an ID token, and checks it.

import type { ServerMetadata } from 'openid-client';
import { isObject } from '../../../foundation/json.ts';
import { type FlowReason, type Progress, refusalOf } from '../../social/exchange.ts';
import { ID_TOKEN_ALGS, invalidToken, type Refusal, verifyIdToken } from '../../social/id-token.ts';
import type { Claims } from '../../social/identity.ts';
import type { OidcSettings } from '../connections/settings.ts';
import type { SsoParts, SsoState } from '../parts.ts';
import { DiscoveryError, type OidcServer } from './discovery.ts';

/** Parameters of a callback that matter; others are never read, such as the provider's description of an error. */
const PARAMS = ['code', 'state', 'iss', 'error'];
/** Source: OpenID Connect Core, 2. */
const MAX_SUBJECT_CHARACTERS = 255;

export type OidcResult = { readonly ok: true; readonly subject: string; readonly claims: Claims } | Refusal<FlowReason>;

type Input = {
  readonly settings: OidcSettings;
  readonly clientSecret: string;
  readonly callbackUrl: string;
  readonly state: SsoState;
  readonly params: URLSearchParams;
  /** Whether claims lack what the connection reads, so that the provider's userinfo endpoint is asked. */
  isIncomplete(claims: Claims): boolean;
};

const configurationOf = async (
  { clock, http }: SsoParts['provider'],
  server: OidcServer,
  { settings, clientSecret }: Input,
  progress: Progress,
) => {
  const library = await import('openid-client');
  const metadata: ServerMetadata = {
    issuer: server.issuer,
    token_endpoint: server.token,
    id_token_signing_alg_values_supported: ID_TOKEN_ALGS,
    authorization_response_iss_parameter_supported: server.sendsIssuer,
    ...(server.userinfo !== null && { userinfo_endpoint: server.userinfo }),
  };
  // The library reads the system's clock.
  const client = { [library.clockSkew]: Math.round((clock.now().getTime() - Date.now()) / 1_000) };
  const auth =
    server.secretIn === 'basic' ? library.ClientSecretBasic(clientSecret) : library.ClientSecretPost(clientSecret);
  const configuration = new library.Configuration(metadata, settings.clientId, client, auth);
  configuration[library.customFetch] = async (url, request) => {
    if (url !== server.token) return http.fetch(url, request);
    progress.isRequested = true;
    const response = await http.fetch(url, request);
    const body: unknown =
      response.status === 200
        ? await response
            .clone()
            .json()
            .catch(() => null)
        : null;
    progress.hasTokens = isObject(body) && typeof body['access_token'] === 'string';
    return response;
  };
  if (http.allowHttp) library.allowInsecureRequests(configuration);
  return { library, configuration };
};

/** Checks a callback and its ID token. Throws nothing for any answer of the provider. */
export const exchangeOidcCode = async (provider: SsoParts['provider'], input: Input): Promise<OidcResult> => {
  const { settings, callbackUrl, state, params } = input;
  const progress: Progress = { isRequested: false, hasTokens: false };
  if (!params.has('code') && !params.has('error')) return { ok: false, reason: 'provider_error', detail: 'code' };
  try {
    const server = await provider.discover(settings.issuer);
    const { library, configuration } = await configurationOf(provider, server, input, progress);
    const url = new URL(callbackUrl);
    for (const name of PARAMS) for (const value of params.getAll(name)) url.searchParams.append(name, value);
    const tokens = await library.authorizationCodeGrant(configuration, url, {
      // The caller compared the state with its stored hash.
      expectedState: params.get('state') ?? '',
      expectedNonce: state.nonce ?? '',
      pkceCodeVerifier: state.codeVerifier ?? '',
      idTokenExpected: true,
    });
    progress.hasTokens = false;
    const audiences = [settings.clientId];
    const checked = await verifyIdToken(provider, { jwks: server.jwks, token: tokens.id_token ?? '', audiences });
    if (!checked.ok) return checked;
    const { iss, sub } = checked.claims;
    if (iss !== settings.issuer) return invalidToken('iss');
    if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT_CHARACTERS || /\p{Cc}/u.test(sub))
      return invalidToken('sub');
    if (server.userinfo === null || !input.isIncomplete(checked.claims))
      return { ok: true, subject: sub, claims: checked.claims };
    const userinfo = await library.fetchUserInfo(configuration, tokens.access_token, sub);
    // The signed claims win.
    return { ok: true, subject: sub, claims: { ...userinfo, ...checked.claims } };
  } catch (error) {
    if (error instanceof DiscoveryError) return { ok: false, reason: error.reason, detail: error.detail };
    return refusalOf(error, progress);
  }
};
