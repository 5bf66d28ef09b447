// Begins a sign-in: finds the connection, stores the state, and returns the address that the browser opens.

import { domainOf } from '../../foundation/email-address.ts';
import { BeckonError, notFound } from '../../foundation/errors.ts';
import type { Scope } from '../../foundation/scope.ts';
import { emailIn, parseBody, redirectOf } from '../flow/input.ts';
import { hashSecret, lifeMsOf, newSecret } from '../one-time/secrets.ts';
import type { SsoStarted } from './answers.generated.ts';
import { ssoStartBody } from './bodies.ts';
import type { SsoConnectionRow } from './connections/connections.ts';
import { ssoDomainOf } from './domains.ts';
import { oidcRequest } from './oidc/request.ts';
import type { SsoParts, SsoState } from './parts.ts';
import { createAuthnRequest } from './saml/request.ts';
import { requirePublicUrl, samlUrlsOf } from './urls.ts';

/** The 412 of a connection whose identity provider is not known yet. Throws nothing. */
const samlNotConfigured = (): BeckonError =>
  new BeckonError(
    'PROVIDER_NOT_CONFIGURED',
    'The SAML connection lacks the metadata of its identity provider. Add it to the connection.',
    { details: { channel: 'auth', provider: 'saml', missing: ['metadata'] } },
  );

const SECONDS = 1_000;

type Target = {
  readonly email?: string | undefined;
  readonly domain?: string | undefined;
  readonly connectionId?: string | undefined;
};
type Request = Pick<SsoState, 'requestId' | 'nonce' | 'codeVerifier'> & { readonly authorizationUrl: string };

export const startSso = (parts: SsoParts): ((scope: Scope, input: unknown) => Promise<SsoStarted>) => {
  const { context, connections, publicUrl } = parts;
  const { clock, oneTime } = context;

  const ofDomain = async (scope: Scope, domain: string | null): Promise<SsoConnectionRow | null> => {
    const row = domain === null ? null : await connections.byDomain(scope, domain);
    return row === null || row.verifiedAt === null ? null : connections.byId(scope, row.connectionId);
  };
  const find = ({ email, domain, connectionId = '' }: Target, scope: Scope): Promise<SsoConnectionRow | null> => {
    if (email !== undefined) return ofDomain(scope, domainOf(emailIn(email).email).toLowerCase());
    return domain === undefined ? connections.byId(scope, connectionId) : ofDomain(scope, ssoDomainOf(domain));
  };

  const requestOf = async (
    { orgId }: Scope,
    connection: SsoConnectionRow,
    url: string,
    secret: string,
    email: string | undefined,
  ): Promise<Request> => {
    const { id, saml } = connection;
    if (saml === null) return oidcRequest(parts.provider, connection, { publicUrl: url, state: secret, email });
    if (saml.ssoUrl === null || connection.idpEntityId === null || connection.certs.length === 0)
      throw samlNotConfigured();
    const { entityId, acsUrl } = samlUrlsOf(url, orgId, id);
    const request = createAuthnRequest({ ssoUrl: saml.ssoUrl, acsUrl, entityId, relayState: secret, now: clock.now() });
    return { authorizationUrl: request.url, requestId: request.id, nonce: null, codeVerifier: null };
  };

  return async (scope, input) => {
    const { redirectTo: requested, codeChallenge, ...target } = parseBody(ssoStartBody, input);
    const url = requirePublicUrl(publicUrl);
    const redirectTo = redirectOf(requested, await context.settings.load(scope)) ?? requested;
    const connection = await find(target, scope);
    if (!connection?.enabled) throw notFound('enabled SSO connection for this sign-in', scope);
    const secret = newSecret('state', parts.provider.randomBytes);
    const { authorizationUrl, ...request } = await requestOf(scope, connection, url, secret, target.email);
    const state: SsoState = { connectionId: connection.id, redirectTo, codeChallenge, ...request };
    await context.commit(scope, async (now) => {
      const { writes } = await oneTime.issue(
        scope,
        {
          kind: connection.type === 'saml' ? 'saml_request' : 'oidc_request',
          ...{ secret: { hash: hashSecret(secret) }, hasCode: false, emailNorm: null, accountId: null },
          ...{ codeChallenge: null, payload: state, lifeMs: lifeMsOf('state') },
        },
        now,
      );
      return { change: { writes }, result: null };
    });
    return { authorizationUrl, connectionId: connection.id, expiresIn: lifeMsOf('state') / SECONDS };
  };
};
