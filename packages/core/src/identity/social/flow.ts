// Sign-in by redirect: `beginFlow` makes the address that the browser opens, and `finishFlow` turns the provider's callback
// into an identity. A callback signs nobody in: the caller makes a one-time code that only the holder of the client's code
// verifier can spend. The caller also spends the state row, once, before it calls `finishFlow`.

import { hash } from 'node:crypto';
import { validationError } from '../../foundation/errors.ts';
import { withRedirectParams } from '../auth-settings/redirect-uris.ts';
import type { SocialProvider } from '../auth-settings/social-providers.ts';
import { challengeHint, isCodeChallenge } from '../one-time/pkce.ts';
import { hashSecret, isSecret, lifeMsOf, newSecret } from '../one-time/secrets.ts';
import { appleNameOf } from './apple.ts';
import type { SocialContext, SocialCredentials } from './context.ts';
import { exchangeCode, type FlowReason } from './exchange.ts';
import type { Refusal } from './id-token.ts';
import type { SocialIdentity } from './identity.ts';
import { PROVIDERS } from './providers.ts';

const RANDOM_BYTES = 32;

/** What a state row stores of a flow. JSON; seal it, since it holds the verifier. */
export type StoredFlow = {
  readonly provider: SocialProvider;
  /** Address of the callback, as the provider knows it. */
  readonly redirectUri: string;
  /** Challenge of the client, to which the one-time code is bound. */
  readonly codeChallenge: string;
  /** Hash of the state, which is also the key of the row. */
  readonly stateHash: string;
  /** Null if the provider does not support it. */
  readonly nonce: string | null;
  readonly codeVerifier: string | null;
  /** ISO 8601. */
  readonly expiresAt: string;
};

export type BegunFlow = {
  /** Where the browser goes. It holds the state secret, which is stored nowhere else. */
  readonly authorizationUrl: string;
  readonly stored: StoredFlow;
};

export type FlowResult = { readonly ok: true; readonly identity: SocialIdentity } | Refusal<FlowReason>;

/**
 * Begins a sign-in by redirect. Sends no request.
 *
 * @param redirectUri callback of this provider at this service, without a query; one address per provider
 * @param codeChallenge from the client, S256
 * @throws VALIDATION_ERROR if the challenge or its method is missing or not S256; TypeError for an invalid Microsoft tenant
 */
export const beginFlow = (
  { clock, randomBytes, endpointsOf }: SocialContext,
  {
    provider,
    credentials,
    redirectUri,
    codeChallenge,
    codeChallengeMethod,
    loginHint,
  }: {
    readonly provider: SocialProvider;
    readonly credentials: SocialCredentials;
    readonly redirectUri: string;
    readonly codeChallenge: unknown;
    readonly codeChallengeMethod: unknown;
    /** Address that the provider may fill in. */
    readonly loginHint?: string | undefined;
  },
): BegunFlow => {
  if (codeChallengeMethod !== 'S256') throw validationError({ codeChallengeMethod: ['must be S256'] });
  if (!isCodeChallenge(codeChallenge))
    throw validationError({ codeChallenge: ['must be the SHA-256 of the code verifier in base64url, 43 characters'] });
  const { scopes, hasPkce, hasNonce, authorizationParams = {} } = PROVIDERS[provider];
  const random = (): string => Buffer.from(randomBytes(RANDOM_BYTES)).toString('base64url');
  const state = newSecret('state', randomBytes);
  const nonce = hasNonce ? random() : null;
  const codeVerifier = hasPkce ? random() : null;
  const callback = new URL(redirectUri).href;

  const url = new URL(endpointsOf(provider, credentials).authorization);
  const params: Readonly<Record<string, string | null | undefined>> = {
    ...authorizationParams,
    response_type: 'code',
    client_id: credentials.clientId,
    redirect_uri: callback,
    scope: [...new Set([...scopes, ...(credentials.scopes ?? [])])].join(' '),
    state,
    nonce,
    code_challenge: codeVerifier && hash('sha256', codeVerifier, 'base64url'),
    code_challenge_method: codeVerifier && 'S256',
    login_hint: loginHint,
  };
  for (const [name, value] of Object.entries(params)) if (typeof value === 'string') url.searchParams.set(name, value);

  const expiresAt = new Date(clock.now().getTime() + lifeMsOf('state')).toISOString();
  const stateHash = hashSecret(state);
  return {
    authorizationUrl: url.href,
    stored: { provider, redirectUri: callback, codeChallenge, stateHash, nonce, codeVerifier, expiresAt },
  };
};

const stateInvalid = (detail: string): Refusal<'state_invalid'> => ({ ok: false, reason: 'state_invalid', detail });

/**
 * The key of the state row that a callback names; null without exactly one well-formed state. Throws nothing.
 *
 * @param params query of the callback, or its form (Apple)
 */
export const stateHashOf = (params: URLSearchParams): string | null => {
  const [state, ...others] = params.getAll('state');
  return others.length === 0 && isSecret('state', state) ? hashSecret(state) : null;
};

/**
 * Ends a sign-in by redirect: checks the callback against the stored flow, exchanges the code, and reads the identity.
 *
 * @param stored of the row that `stateHashOf(params)` names, spent before this call
 * @param params query of the callback, or its form (Apple)
 * @returns the identity or a refusal. `state_invalid` must not redirect; the others go to the stored address of the client,
 * see `flowRedirect`. Throws nothing for any answer of the provider; TypeError for an invalid Microsoft tenant.
 */
export const finishFlow = async (
  context: SocialContext,
  {
    provider,
    credentials,
    stored,
    params,
  }: {
    readonly provider: SocialProvider;
    readonly credentials: SocialCredentials;
    readonly stored: StoredFlow;
    readonly params: URLSearchParams;
  },
): Promise<FlowResult> => {
  const stateHash = stateHashOf(params);
  if (stateHash === null || stateHash !== stored.stateHash) return stateInvalid('state');
  if (stored.provider !== provider) return stateInvalid('provider');
  if (context.clock.now().getTime() >= Date.parse(stored.expiresAt)) return stateInvalid('expired');
  const result = await exchangeCode(context, { provider, credentials, flow: stored, params });
  if (!result.ok || provider !== 'apple' || result.identity.name !== null) return result;
  return { ok: true, identity: { ...result.identity, name: appleNameOf(params.get('user')) } };
};

/**
 * The address to which a callback redirects: the client's stored target with the one-time code or the reason, and with the
 * hint `c` of the challenge. It holds no text of the provider. Throws nothing.
 *
 * @param redirectTo from `registeredRedirectOf`
 */
export const flowRedirect = (
  redirectTo: string,
  { codeChallenge }: Pick<StoredFlow, 'codeChallenge'>,
  outcome: { readonly code: string } | { readonly error: Exclude<FlowReason, 'state_invalid'> | 'denied' },
): string => withRedirectParams(redirectTo, { ...outcome, c: challengeHint(codeChallenge) });
