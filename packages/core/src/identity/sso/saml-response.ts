// Handles posted SAML responses. The commit that makes the code also uses up the state and the id of the assertion. So a
// response makes one code, even if it is posted several times at once.

import { validationError } from '../../foundation/errors.ts';
import { ENVIRONMENTS, type Scope } from '../../foundation/scope.ts';
import type { ClientInfo } from '../audit/client.ts';
import { registeredRedirectOf, withRedirectParams } from '../auth-settings/redirect-uris.ts';
import { isAllowed } from '../flow/before.ts';
import { challengeHint } from '../one-time/pkce.ts';
import { isSecret } from '../one-time/secrets.ts';
import type { SamlResponseInput } from './api.ts';
import type { SsoConnectionRow } from './connections/connections.ts';
import { NAME_ID } from './connections/settings.ts';
import { issueSsoCode, type OpenState, openState, recordRefusal, type SsoParts } from './parts.ts';
import { ssoProfile } from './profile.ts';
import type { SamlIdentity } from './saml/after.ts';
import { responseIssuerOf } from './saml/gate.ts';
import { type SamlResult, verifySamlResponse } from './saml/verify.ts';
import { requirePublicUrl, samlUrlsOf } from './urls.ts';

/** Connections of one identity provider that are tried. Chosen: an organization has few environments with the same one. */
const MAX_CANDIDATES = 4;

/** The 400 of every response that is not accepted. The reason is in the audit log alone. Throws nothing. */
export const samlInvalid = () =>
  validationError({ SAMLResponse: ['is not valid or has expired: start the sign-in again'] }, undefined, {
    reason: 'saml_invalid',
  });

type Accepted = { readonly scope: Scope; readonly connection: SsoConnectionRow; readonly identity: SamlIdentity };
type Target = { readonly redirectTo: string; readonly codeChallenge: string | null };

export const handleSamlResponse = (parts: SsoParts) => {
  const { context, connections, domains, scopes, requirePlan } = parts;
  const { clock, oneTime } = context;

  const verify = async (
    scope: Scope,
    connection: SsoConnectionRow,
    response: string,
    requestId: string | null,
  ): Promise<SamlResult> => {
    const { saml, certs, idpEntityId } = connection;
    if (saml === null || idpEntityId === null) return { ok: false, reason: 'issuer' };
    const { entityId, acsUrl } = samlUrlsOf(requirePublicUrl(parts.publicUrl), scope.orgId, connection.id);
    return verifySamlResponse({
      ...{ response, acsUrl, entityId, requestId, now: clock.now() },
      connection: {
        ...{ entityId: idpEntityId, certificates: certs, wantEncrypted: saml.wantEncrypted },
        allowIdpInitiated: saml.idpInitiated,
        decryptionKey: saml.wantEncrypted ? await connections.secretOf(scope, connection) : null,
      },
    });
  };

  const refuse = async (
    scope: Scope,
    connection: SsoConnectionRow,
    reason: string,
    client: ClientInfo,
  ): Promise<never> => {
    await recordRefusal(parts, scope, connection, reason, client);
    throw samlInvalid();
  };

  /** One commit: the state and the assertion are used up, and there is a code. */
  const accept = async (
    { scope, connection, identity: verified }: Accepted,
    { redirectTo, codeChallenge }: Target,
    open: OpenState | null,
    client: ClientInfo,
  ): Promise<{ readonly url: string }> => {
    const { nameId, issuer, attributes } = verified;
    const profile = await ssoProfile(connection, {
      ...{ issuer, subject: nameId, raw: attributes },
      valuesOf: (name) =>
        name === NAME_ID ? [nameId] : Object.hasOwn(attributes, name) ? (attributes[name] ?? []) : [],
      isProven: (email) => domains.isProven(scope, connection.id, email),
    });
    const hint = codeChallenge === null ? {} : { c: challengeHint(codeChallenge) };
    const { email } = profile.identity;
    if (!(await isAllowed(context.before, scope, { action: 'sign_in', email, client })))
      return { url: withRedirectParams(redirectTo, { error: 'denied', ...hint }) };
    const code = await context.commit<string | null>(scope, async (now) => {
      // Another post of the response may have come first.
      const isUsed = await connections.isUsed(connection, verified.assertionId);
      const row = open && (await oneTime.openRow({ kind: 'saml_request', hash: open.row.hash ?? '' }, now));
      if (isUsed || (open !== null && row === null)) return { change: {}, result: null };
      const issued = await issueSsoCode(parts, scope, profile, codeChallenge, now);
      const used = connections.useAssertion(connection, verified);
      return {
        change: { writes: [used, ...(row ? oneTime.use(row, now) : []), ...issued.writes] },
        result: issued.secret,
      };
    });
    if (code === null) return refuse(scope, connection, 'replayed', client);
    return { url: withRedirectParams(redirectTo, { code, ...hint }) };
  };

  const spInitiated = async (
    orgId: string,
    open: OpenState,
    response: string,
    client: ClientInfo,
  ): Promise<{ readonly url: string }> => {
    const { scope, state } = open;
    if (scope.orgId !== orgId) throw samlInvalid();
    const connection = await connections.byId(scope, state.connectionId);
    if (!connection) throw samlInvalid();
    if (!connection.enabled) return refuse(scope, connection, 'disabled', client);
    const result = await verify(scope, connection, response, state.requestId);
    if (!result.ok) return refuse(scope, connection, result.reason, client);
    return accept({ scope, connection, identity: result.identity }, state, open, client);
  };

  const idpInitiated = async (
    orgId: string,
    response: string,
    client: ClientInfo,
  ): Promise<{ readonly url: string }> => {
    const issuer = await responseIssuerOf(response);
    const all = (await Promise.all(ENVIRONMENTS.map((environment) => scopes.ofOrg({ orgId, environment })))).flat();
    const candidates = issuer === null ? [] : await connections.byIdp(all, issuer);
    const allowed = candidates.filter(({ enabled, saml }) => enabled && saml?.idpInitiated);
    if (allowed.length === 0 || allowed.length > MAX_CANDIDATES) throw samlInvalid();
    const scopeOf = (scopeId: number): Scope => {
      const scope = all.find((one) => one.scopeId === scopeId);
      if (!scope) throw samlInvalid();
      return scope;
    };
    const refused: { readonly scope: Scope; readonly connection: SsoConnectionRow; readonly reason: string }[] = [];
    for (const connection of allowed) {
      const scope = scopeOf(connection.scopeId);
      const result = await verify(scope, connection, response, null);
      if (!result.ok) {
        refused.push({ scope, connection, reason: result.reason });
        continue;
      }
      await requirePlan(scope, 'sso');
      const { redirectUris } = await context.settings.load(scope);
      const page = connection.saml?.idpInitiatedRedirectTo ?? redirectUris[0];
      const redirectTo = registeredRedirectOf(page, redirectUris);
      if (redirectTo === null) return refuse(scope, connection, 'redirect_not_allowed', client);
      return accept(
        { scope, connection, identity: result.identity },
        { redirectTo, codeChallenge: null },
        null,
        client,
      );
    }
    for (const { scope, connection, reason } of refused) await recordRefusal(parts, scope, connection, reason, client);
    throw samlInvalid();
  };

  return async (
    { orgId, response, relayState }: SamlResponseInput,
    client: ClientInfo,
  ): Promise<{ readonly url: string }> => {
    requirePublicUrl(parts.publicUrl);
    const open = await openState(parts, 'saml_request', relayState);
    if (open) return spInitiated(orgId, open, response, client);
    // A state that is unknown or used is no reason to treat the response as one that the identity provider started.
    if (isSecret('state', relayState)) throw samlInvalid();
    return idpInitiated(orgId, response, client);
  };
};
