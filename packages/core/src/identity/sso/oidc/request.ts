// The address at which an OpenID provider signs a user in.

import { hash } from 'node:crypto';
import { BeckonError, overloaded } from '../../../foundation/errors.ts';
import type { SsoConnectionRow } from '../connections/connections.ts';
import type { SsoParts, SsoState } from '../parts.ts';
import { oidcCallbackOf } from '../urls.ts';
import { DiscoveryError } from './discovery.ts';

const RANDOM_BYTES = 32;
const SCOPES = ['openid', 'email', 'profile'];

/** The 412 of a provider whose discovery document cannot be used. Throws nothing. */
const unusable = (detail: string): BeckonError =>
  new BeckonError(
    'PROVIDER_NOT_CONFIGURED',
    `The discovery document of the OpenID provider cannot be used (${detail}). Check the issuer of the connection.`,
    { details: { channel: 'auth', provider: 'oidc', missing: ['discovery'] } },
  );

/** The 412 of a connection without a client secret. Throws nothing. */
const secretMissing = (): BeckonError =>
  new BeckonError('PROVIDER_NOT_CONFIGURED', 'The SSO connection has no client secret. Set it again.', {
    details: { channel: 'auth', provider: 'oidc', missing: ['clientSecret'] },
  });

/** Throws OVERLOADED for a provider that does not answer, PROVIDER_NOT_CONFIGURED for an invalid discovery document. */
export const oidcRequest = async (
  provider: SsoParts['provider'],
  { id, oidc, sealed }: SsoConnectionRow,
  {
    publicUrl,
    state,
    email,
  }: { readonly publicUrl: string; readonly state: string; readonly email: string | undefined },
): Promise<Pick<SsoState, 'requestId' | 'nonce' | 'codeVerifier'> & { readonly authorizationUrl: string }> => {
  if (oidc === null) throw unusable('issuer');
  // As after a restored backup without secrets.
  if (sealed === null) throw secretMissing();
  const server = await provider.discover(oidc.issuer).catch((error: unknown) => {
    if (!(error instanceof DiscoveryError)) throw error;
    throw error.reason === 'provider_unavailable' ? overloaded(1) : unusable(error.detail);
  });
  const random = (): string => Buffer.from(provider.randomBytes(RANDOM_BYTES)).toString('base64url');
  const [nonce, codeVerifier] = [random(), random()];
  const url = new URL(server.authorization);
  const params: Readonly<Record<string, string | undefined>> = {
    response_type: 'code',
    client_id: oidc.clientId,
    redirect_uri: oidcCallbackOf(publicUrl, id),
    scope: [...new Set([...SCOPES, ...oidc.scopes])].join(' '),
    state,
    nonce,
    code_challenge: hash('sha256', codeVerifier, 'base64url'),
    code_challenge_method: 'S256',
    login_hint: email,
  };
  for (const [name, value] of Object.entries(params)) if (value !== undefined) url.searchParams.set(name, value);
  return { authorizationUrl: url.href, requestId: null, nonce, codeVerifier };
};
