// One-time codes of redirects. A callback does not sign in: it issues a code, which works only with the PKCE verifier of the
// flow. The code of a link also needs the session that began the flow.

import { conflict } from '../../foundation/errors.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { AccountRow } from '../accounts/account.ts';
import { accountEmailOf } from '../accounts/email-norm.ts';
import type { ClientInfo } from '../audit/client.ts';
import { SOCIAL_PROVIDERS } from '../auth-settings/social-providers.ts';
import type { AuthContext } from '../flow/context.ts';
import type { Finish, PlannedSignIn } from '../flow/finish.ts';
import { parseBody } from '../flow/input.ts';
import { requireEnabled, requireLive } from '../flow/require.ts';
import type { ExternalIdentity, IdentityRow } from '../identities/identities.ts';
import type { Issued, Spend } from '../one-time/one-time.ts';
import { lifeMsOf } from '../one-time/secrets.ts';
import type { NewSession } from '../sessions/sessions.ts';
import { isLive } from '../sessions/sessions.ts';
import type { TokenSet } from '../shapes/answers.generated.ts';
import type { Bearer } from '../shapes/bearer.ts';
import { forbiddenFor, unauthorizedFor } from '../shapes/errors.ts';
import type { CodeExchanged, Identity } from './answers.generated.ts';
import { exchangeBody } from './bodies.ts';
import { accountOfIdentity, type IdentityFields, identitiesChanged, upgradeByIdentity } from './identity.ts';

/** The session that began a flow to link an identity. */
export type LinkTarget = { readonly accountId: string; readonly sessionId: string };

/** What a code grants. Stored in its row as sealed JSON. */
export type ExchangePayload = {
  readonly method: 'social' | 'sso';
  readonly identity: ExternalIdentity;
  /** What a new account takes over besides. */
  readonly fields?: IdentityFields;
  /** Null: a sign-in. */
  readonly link: LinkTarget | null;
  /** True: the connection's own rules allow the link to an account with the verified address. */
  readonly isTrusted?: boolean;
};

/** An identity as answers show it. Throws nothing. */
export const identityAnswer = (row: IdentityRow): Identity => ({
  ...{ id: row.id, provider: row.provider, connectionId: row.connectionId, subject: row.subject },
  ...{ email: row.email, emailVerified: row.emailVerified, linkedAt: row.linkedAt },
});

/** Issues the code of a finished redirect. Its writes belong in the commit of the callback. */
export const issueExchange = (
  { oneTime }: Pick<AuthContext, 'oneTime'>,
  scope: Scope,
  { payload, codeChallenge }: { readonly payload: ExchangePayload; readonly codeChallenge: string | null },
  now: Date,
): Promise<Issued> =>
  oneTime.issue(
    scope,
    {
      ...{ kind: 'exchange', secret: 'exchange', hasCode: false, codeChallenge, payload },
      // The address lets an erasure find the row.
      emailNorm: payload.identity.email === null ? null : (accountEmailOf(payload.identity.email)?.emailNorm ?? null),
      ...{ keepsOlder: true, accountId: payload.link?.accountId ?? null, lifeMs: lifeMsOf('exchange') },
    },
    now,
  );

const spendCode = async (
  { oneTime }: AuthContext,
  scope: Scope,
  { code, codeVerifier }: { readonly code: string; readonly codeVerifier?: string | undefined },
  now: Date,
): Promise<{ readonly spent: Spend; readonly payload: ExchangePayload | null }> => {
  const spent = await oneTime.spendSecret(
    scope,
    { kind: 'exchange', form: 'exchange', secret: code, verifier: codeVerifier, needsVerifier: true },
    now,
  );
  // Safe: `issueExchange` alone writes rows of this kind, and the payload is sealed.
  const payload = spent.ok ? ((await oneTime.payloadOf(scope, spent.row)) as ExchangePayload | null) : null;
  return { spent, payload };
};

const isLinked = (autoLinked: readonly string[], { identity, isTrusted = false }: ExchangePayload): boolean =>
  isTrusted || (SOCIAL_PROVIDERS.some((name) => name === identity.provider) && autoLinked.includes(identity.provider));

/**
 * Exchanges the code of a redirect for a sign-in, or for the link that its flow was about.
 *
 * Throws UNAUTHORIZED `invalid_grant`, CONFLICT `account_exists_link_required` or `credential_exists`, FORBIDDEN
 * `signup_disabled`, PROVIDER_NOT_CONFIGURED.
 */
export const exchangeCode =
  (context: AuthContext, finish: Finish) =>
  async (scope: Scope, body: unknown, client: ClientInfo, bearer: Bearer | null): Promise<CodeExchanged> => {
    const input = parseBody(exchangeBody, body);
    context.tokens.requireIssuer();
    const settings = await context.settings.load(scope);
    const { accounts, audit, identities, sessions } = context;
    const find = accountOfIdentity(context);
    type Done =
      | { readonly account: AccountRow; readonly signIn: PlannedSignIn }
      | { readonly linked: IdentityRow }
      | { readonly refused: Error };

    const link = async (payload: ExchangePayload, { accountId, sessionId }: LinkTarget, now: Date) => {
      const isTheirs = bearer?.session.id === sessionId && bearer.account.id === accountId;
      const session = isTheirs ? await sessions.byId(scope, sessionId) : null;
      const account = session && isLive(session, now) ? await accounts.byId(scope, accountId) : null;
      if (!account || account.disabledAt !== null) return null;
      const existing = await identities.bySubject(scope, payload.identity);
      if (existing && existing.accountId !== accountId) throw conflict('credential_exists');
      if (existing) return { writes: [], events: [], linked: existing };
      const changed = accounts.change(account, {}, now);
      const { row, write } = identities.link(scope, accountId, payload.identity, now);
      const { provider } = payload.identity;
      const actor = `user:${accountId}`;
      const entry = { actor, action: 'identity.link', target: accountId, result: 'ok', client, detail: { provider } };
      return {
        writes: [changed.write, write, audit.record(scope, entry, now)],
        events: [identitiesChanged(account, row.id)],
        linked: row,
      };
    };

    const done = await context.commit<Done>(scope, async (now) => {
      const { spent, payload } = await spendCode(context, scope, input, now);
      const refused = unauthorizedFor('invalid_grant');
      if (!spent.ok || !payload) return { change: { writes: spent.writes }, result: { refused } };
      if (payload.link) {
        const planned = await link(payload, payload.link, now);
        // Another person's browser: nothing is linked, and the session that began the flow can still use the code.
        if (!planned) return { change: {}, result: { refused } };
        const { linked, writes, events } = planned;
        return { change: { writes: [...spent.writes, ...writes], events }, result: { linked } };
      }
      const { method, identity, fields } = payload;
      // The connection may be gone since the code was issued.
      if (identity.connectionId !== null && !(await context.isConnectionEnabled(scope, identity.connectionId)))
        return { change: { writes: spent.writes }, result: { refused } };
      const isAutoLinked = isLinked(settings.linking.autoLinkProviders, payload);
      const rules = { settings, isAutoLinked, refusal: 'invalid_grant', source: method, fields } as const;
      const { account, isNewUser, change } = await find(scope, identity, rules, now);
      const { deviceToken } = input;
      const signIn = await finish.plan(
        scope,
        { account, method, provider: identity.provider, amr: ['fed'], aal: 'aal1', client, deviceToken, isNewUser },
        settings,
        now,
      );
      return {
        change: {
          writes: [...spent.writes, ...change.writes, ...signIn.writes],
          profile: change.profile,
          events: [...change.events, ...signIn.events],
        },
        result: { account, signIn },
      };
    });
    if ('refused' in done) throw done.refused;
    if ('linked' in done) return { linked: identityAnswer(done.linked) };
    return finish.answer(scope, done.account, done.signIn, settings);
  };

/**
 * Upgrades a guest with the code of a redirect: the guest keeps its id, its data and its session.
 *
 * Throws FORBIDDEN `not_anonymous`, UNAUTHORIZED `invalid_grant`, CONFLICT `account_exists`.
 */
export const exchangeInto =
  (context: AuthContext, finish: Finish) =>
  async (scope: Scope, bearer: Bearer, body: unknown): Promise<TokenSet> => {
    const input = parseBody(exchangeBody, body);
    if (!bearer.account.isAnonymous) throw forbiddenFor('not_anonymous');
    const settings = await context.settings.load(scope);
    const { sessions } = context;
    const upgrade = upgradeByIdentity(context);
    type Done = { readonly account: AccountRow; readonly session: NewSession };
    const done = await context.commit<Done | null>(scope, async (now) => {
      const { spent, payload } = await spendCode(context, scope, input, now);
      if (!spent.ok || !payload || payload.link) return { change: { writes: spent.writes }, result: null };
      const guest = await requireEnabled(context, scope, bearer.account);
      const session = await requireLive(context, scope, bearer.session, now);
      if (!guest.isAnonymous) throw forbiddenFor('not_anonymous');
      const { account, change } = await upgrade(scope, guest, payload.identity, settings, now);
      const renewed = sessions.authenticated(scope, session, { aal: 'aal1', amr: ['fed'] }, now);
      return {
        change: { ...change, writes: [...spent.writes, ...change.writes, ...renewed.writes] },
        result: { account, session: renewed },
      };
    });
    if (done === null) throw unauthorizedFor('invalid_grant');
    return finish.tokens(scope, done.account, done.session, settings);
  };
