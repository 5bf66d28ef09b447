// Handles callbacks of OpenID providers. A callback signs nobody in: it makes a one-time code, or redirects with an error.

import { validationError } from '../../../foundation/errors.ts';
import type { ClientInfo } from '../../audit/client.ts';
import { withRedirectParams } from '../../auth-settings/redirect-uris.ts';
import { isAllowed } from '../../flow/before.ts';
import { challengeHint } from '../../one-time/pkce.ts';
import type { Claims } from '../../social/identity.ts';
import { attributeNamesOf } from '../connections/settings.ts';
import { issueSsoCode, openState, recordRefusal, type SsoParts } from '../parts.ts';
import { ssoProfile, type ValuesOf } from '../profile.ts';
import { oidcCallbackOf, requirePublicUrl } from '../urls.ts';
import { exchangeOidcCode } from './exchange.ts';

const stateInvalid = () =>
  validationError({ state: ['is not valid or has expired: start the sign-in again'] }, undefined, {
    reason: 'state_invalid',
  });

/** The values of a claim as texts. Throws nothing. */
const valuesIn =
  (claims: Claims): ValuesOf =>
  (name) => {
    const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
    return (Array.isArray(value) ? value : [value]).flatMap((one) =>
      typeof one === 'string' ? [one] : typeof one === 'number' ? [String(one)] : [],
    );
  };

export const handleOidcCallback =
  (parts: SsoParts) =>
  async (
    { connectionId, params }: { readonly connectionId: string; readonly params: URLSearchParams },
    client: ClientInfo,
  ): Promise<{ readonly url: string }> => {
    const { context, connections, domains, publicUrl } = parts;
    const { oneTime } = context;
    const [secret, ...others] = params.getAll('state');
    const open = others.length === 0 ? await openState(parts, 'oidc_request', secret) : null;
    if (!open || open.state.connectionId !== connectionId) throw stateInvalid();
    const { scope, state } = open;
    const hash = open.row.hash ?? '';
    // Of several callbacks at once, one gets the state.
    const isOurs = await context.commit<boolean>(scope, async (now) => {
      const row = await oneTime.openRow({ kind: 'oidc_request', hash }, now);
      return { change: { writes: row ? oneTime.use(row, now) : [] }, result: row !== null };
    });
    if (!isOurs) throw stateInvalid();

    const target = (outcome: { readonly code: string } | { readonly error: string }) => ({
      url: withRedirectParams(state.redirectTo, { ...outcome, c: challengeHint(state.codeChallenge) }),
    });
    const connection = await connections.byId(scope, connectionId);
    if (!connection?.oidc || !connection.enabled) return target({ error: 'provider_error' });
    const clientSecret = await connections.secretOf(scope, connection);
    const { email: emailNames } = attributeNamesOf(connection);
    const result = await exchangeOidcCode(parts.provider, {
      ...{ settings: connection.oidc, clientSecret: clientSecret ?? '', state, params },
      callbackUrl: oidcCallbackOf(requirePublicUrl(publicUrl), connectionId),
      isIncomplete: (claims) => emailNames.every((name) => valuesIn(claims)(name).length === 0),
    });
    if (!result.ok) {
      await recordRefusal(parts, scope, connection, `${result.reason}: ${result.detail}`, client);
      // A callback that contradicts the request may be forged, so it must not redirect.
      if (result.reason === 'state_invalid') throw stateInvalid();
      return target({ error: result.reason });
    }
    const { claims, subject } = result;
    const { nonce: _nonce, at_hash: _atHash, c_hash: _codeHash, ...raw } = claims;
    const isDenied = claims['email_verified'] === false || claims['email_verified'] === 'false';
    const profile = await ssoProfile(connection, {
      ...{ issuer: connection.oidc.issuer, subject, valuesOf: valuesIn(claims), raw },
      isProven: async (email) => !isDenied && domains.isProven(scope, connection.id, email),
    });
    const { email } = profile.identity;
    if (!(await isAllowed(parts.context.before, scope, { action: 'sign_in', email, client })))
      return target({ error: 'denied' });
    const code = await context.commit<string>(scope, async (now) => {
      const issued = await issueSsoCode(parts, scope, profile, state.codeChallenge, now);
      return { change: { writes: issued.writes }, result: issued.secret ?? '' };
    });
    return target({ code });
  };
