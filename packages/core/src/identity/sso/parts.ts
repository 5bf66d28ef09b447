import type { Scope } from '../../foundation/scope.ts';
import type { RequirePlan } from '../../platform/plans/plans.ts';
import type { Scopes } from '../../platform/tenancy/scope-directory.ts';
import type { ClientInfo } from '../audit/client.ts';
import { issueExchange } from '../exchange/exchange.ts';
import type { AuthContext } from '../flow/context.ts';
import { recordAction } from '../flow/record.ts';
import type { OneTimeKind } from '../one-time/kinds.ts';
import type { OneTimeRow } from '../one-time/row.ts';
import { hashSecret, isSecret } from '../one-time/secrets.ts';
import type { SocialContext } from '../social/context.ts';
import type { SsoConnectionRow, SsoConnections } from './connections/connections.ts';
import type { SsoDomains } from './domains.ts';
import type { Discover } from './oidc/discovery.ts';
import type { SsoProfile } from './profile.ts';

/** What sign-in with connections needs besides what all flows share. */
export type SsoParts = {
  readonly context: AuthContext;
  readonly connections: SsoConnections;
  readonly domains: SsoDomains;
  readonly scopes: Pick<Scopes, 'load' | 'ofOrg'>;
  readonly publicUrl: string | null;
  readonly requirePlan: RequirePlan;
  /** Requests to OpenID providers, and their signing keys. */
  readonly provider: Pick<SocialContext, 'clock' | 'http' | 'randomBytes' | 'keysAt'> & { readonly discover: Discover };
};

/** What a state row holds of a sign-in that has gone to its identity provider. JSON; sealed. */
export type SsoState = {
  readonly connectionId: string;
  readonly redirectTo: string;
  /** Challenge of the client, to which the one-time code is bound. */
  readonly codeChallenge: string;
  /** SAML: id of the request. */
  readonly requestId: string | null;
  /** OpenID Connect: what the provider must repeat, and the verifier of the request. */
  readonly nonce: string | null;
  readonly codeVerifier: string | null;
};

export type OpenState = { readonly scope: Scope; readonly row: OneTimeRow; readonly state: SsoState };

/** The state that a response names and that can still be used; null: none. Does not use it up. */
export const openState = async (
  { context, scopes }: Pick<SsoParts, 'context' | 'scopes'>,
  kind: Extract<OneTimeKind, 'saml_request' | 'oidc_request'>,
  secret: unknown,
): Promise<OpenState | null> => {
  if (!isSecret('state', secret)) return null;
  const row = await context.oneTime.openRow({ kind, hash: hashSecret(secret) }, context.clock.now());
  if (!row) return null;
  const scope = (await scopes.load([row.scopeId]))(row.scopeId);
  // Safe: `startSso` alone writes rows of these kinds, and the payload is sealed.
  const state = (await context.oneTime.payloadOf(scope, row)) as SsoState | null;
  return state && { scope, row, state };
};

/** Issues the one-time code after a sign-in at an identity provider. Its writes belong in the commit of the response. */
export const issueSsoCode = (
  { context }: Pick<SsoParts, 'context'>,
  scope: Scope,
  { identity, fields }: SsoProfile,
  codeChallenge: string | null,
  now: Date,
) =>
  issueExchange(
    context,
    scope,
    { payload: { method: 'sso', identity, fields, link: null, isTrusted: identity.emailVerified }, codeChallenge },
    now,
  );

/** Records a refused sign-in. The reason holds no text of the identity provider. */
export const recordRefusal = (
  { context }: Pick<SsoParts, 'context'>,
  scope: Scope,
  connection: Pick<SsoConnectionRow, 'id' | 'type'>,
  reason: string,
  client: ClientInfo,
): Promise<void> =>
  recordAction(context, scope, {
    ...{ actor: 'system', action: 'sso.sign_in', target: connection.id, result: reason, client },
    detail: { protocol: connection.type },
  });
