// Social sign-in: begins redirects, handles callbacks, and accepts native ID tokens.

import { overloaded, validationError } from '../../foundation/errors.ts';
import type { Scope, ScopeDirectory } from '../../foundation/scope.ts';
import type { AccountRow } from '../accounts/account.ts';
import type { ClientInfo } from '../audit/client.ts';
import { SOCIAL_PROVIDERS, type SocialProvider } from '../auth-settings/social-providers.ts';
import { type ExchangePayload, issueExchange, type LinkTarget } from '../exchange/exchange.ts';
import { accountOfIdentity } from '../exchange/identity.ts';
import { isAllowed } from '../flow/before.ts';
import type { AuthContext } from '../flow/context.ts';
import type { Finish, PlannedSignIn } from '../flow/finish.ts';
import { parseBody, redirectOf } from '../flow/input.ts';
import { recordAction } from '../flow/record.ts';
import type { ExternalIdentity } from '../identities/identities.ts';
import type { OneTimeRow } from '../one-time/row.ts';
import { lifeMsOf } from '../one-time/secrets.ts';
import type { Bearer } from '../shapes/bearer.ts';
import { publicUrlMissing, socialNotConfigured, unauthorizedFor } from '../shapes/errors.ts';
import type { SocialSignIn, SocialStarted } from './answers.generated.ts';
import { linkIdentityBody, socialSignInBody } from './bodies.ts';
import type { SocialContext, SocialCredentials } from './context.ts';
import type { SocialProviders } from './credentials.ts';
import { beginFlow, finishFlow, flowRedirect, type StoredFlow, stateHashOf } from './flow.ts';
import type { SocialIdentity } from './identity.ts';
import { verifyNativeToken } from './native.ts';

/** What a state row holds. JSON; sealed. */
type StatePayload = { readonly flow: StoredFlow; readonly redirectTo: string; readonly link: LinkTarget | null };

/** What social sign-in needs besides what all flows share. */
export type SocialParts = {
  readonly context: AuthContext;
  readonly finish: Finish;
  readonly social: SocialContext;
  readonly providers: Pick<SocialProviders, 'credentialsOf'>;
  readonly scopes: Pick<ScopeDirectory, 'load'>;
  readonly publicUrl: string | null;
};

const SECONDS = 1_000;

/** Reads the name of a provider. Throws VALIDATION_ERROR `provider_unknown`. */
export const providerIn = (name: string): SocialProvider => {
  const provider = SOCIAL_PROVIDERS.find((one) => one === name);
  if (provider === undefined)
    throw validationError({ provider: [`must be one of: ${SOCIAL_PROVIDERS.join(', ')}`] }, undefined, {
      reason: 'provider_unknown',
    });
  return provider;
};

/** The 400 of a callback whose state names no flow. It must not redirect: the target would come from the request. */
const stateInvalid = () =>
  validationError({ state: ['is not valid or has expired: start the sign-in again'] }, undefined, {
    reason: 'state_invalid',
  });

/** The address of a provider's callback at this service; null without `publicUrl`. Never from a request. Throws nothing. */
export const callbackUrlOf = (publicUrl: string | null, provider: SocialProvider): string | null =>
  publicUrl === null ? null : `${publicUrl.replace(/\/+$/, '')}/api/v1/auth-service/login/social/callback/${provider}`;

const external = ({
  provider,
  issuer,
  subject,
  email,
  emailVerified,
  name,
  raw,
}: SocialIdentity): ExternalIdentity => ({
  ...{ provider, connectionId: null, issuer, subject, email, emailVerified, name, raw },
});

export const socialSignIn = ({ context, finish, social, providers, scopes, publicUrl }: SocialParts) => {
  const { oneTime } = context;
  const credentialsOf = async (scope: Scope, provider: SocialProvider): Promise<SocialCredentials> => {
    const credentials = await providers.credentialsOf(scope, provider);
    if (!credentials) throw socialNotConfigured(provider);
    return credentials;
  };

  const begin = async (
    scope: Scope,
    input: {
      readonly provider: string;
      readonly redirectTo: string;
      readonly codeChallenge?: string | undefined;
      readonly codeChallengeMethod?: string | undefined;
    },
    link: LinkTarget | null,
  ): Promise<SocialStarted> => {
    const provider = providerIn(input.provider);
    const redirectUri = callbackUrlOf(publicUrl, provider);
    if (redirectUri === null) throw publicUrlMissing();
    const redirectTo = redirectOf(input.redirectTo, await context.settings.load(scope)) ?? input.redirectTo;
    const credentials = await credentialsOf(scope, provider);
    const { codeChallenge, codeChallengeMethod } = input;
    const { authorizationUrl, stored } = beginFlow(social, {
      ...{ provider, credentials, redirectUri, codeChallenge, codeChallengeMethod },
    });
    const payload: StatePayload = { flow: stored, redirectTo, link };
    await context.commit(scope, async (now) => {
      const { writes } = await oneTime.issue(
        scope,
        {
          ...{ kind: 'state', secret: { hash: stored.stateHash }, hasCode: false, emailNorm: null },
          ...{ accountId: link?.accountId ?? null, codeChallenge: null, payload, lifeMs: lifeMsOf('state') },
        },
        now,
      );
      return { change: { writes }, result: null };
    });
    return { authorizationUrl, expiresIn: lifeMsOf('state') / SECONDS };
  };

  const record = (scope: Scope, provider: string, reason: string, detail: string, client?: ClientInfo) =>
    recordAction(context, scope, {
      ...{ actor: 'system', action: 'social.sign_in', target: null, result: reason, client },
      detail: { provider, detail },
    });

  const native = async (
    scope: Scope,
    input: {
      readonly provider: string;
      readonly idToken: string;
      readonly nonce: string;
      readonly deviceToken?: string | undefined;
    },
    client: ClientInfo,
  ): Promise<SocialSignIn> => {
    const provider = providerIn(input.provider);
    context.tokens.requireIssuer();
    const { idToken, nonce, deviceToken } = input;
    const credentials = await credentialsOf(scope, provider);
    const checked = await verifyNativeToken(social, { provider, credentials, idToken, nonce });
    if (!checked.ok) {
      await record(scope, provider, checked.reason, checked.detail, client);
      if (checked.reason === 'provider_unavailable') throw overloaded(1);
      throw unauthorizedFor('invalid_id_token');
    }
    await context.before(scope, { action: 'sign_in', email: checked.identity.email, client });
    const settings = await context.settings.load(scope);
    const isAutoLinked = settings.linking.autoLinkProviders.includes(provider);
    const find = accountOfIdentity(context);
    const done = await context.commit<{ account: AccountRow; signIn: PlannedSignIn }>(scope, async (now) => {
      const rules = { settings, isAutoLinked, refusal: 'invalid_id_token', source: 'social' } as const;
      const { account, isNewUser, change } = await find(scope, external(checked.identity), rules, now);
      const signIn = await finish.plan(
        scope,
        {
          ...{ account, method: 'social', provider, amr: ['fed'], aal: 'aal1', client },
          ...{ deviceToken, isNewUser },
        },
        settings,
        now,
      );
      return {
        change: {
          writes: [...change.writes, ...signIn.writes],
          profile: change.profile,
          events: [...change.events, ...signIn.events],
        },
        result: { account, signIn },
      };
    });
    return finish.answer(scope, done.account, done.signIn, settings);
  };

  /** Uses up the state of a callback; null: it is unknown, used or expired. Of several callbacks at once, one gets it. */
  const spendState = async (hash: string) => {
    const found = await oneTime.openRow({ kind: 'state', hash }, context.clock.now());
    if (!found) return null;
    const scope = (await scopes.load([found.scopeId]))(found.scopeId);
    const row = await context.commit<OneTimeRow | null>(scope, async (now) => {
      const current = await oneTime.openRow({ kind: 'state', hash }, now);
      return { change: { writes: current ? oneTime.use(current, now) : [] }, result: current };
    });
    if (!row) return null;
    // Safe: `begin` alone writes rows of this kind, and the payload is sealed.
    const payload = (await oneTime.payloadOf(scope, row)) as StatePayload | null;
    return payload && { scope, payload };
  };

  return {
    /**
     * Begins a sign-in by redirect; with an ID token, signs the user in.
     *
     * Throws VALIDATION_ERROR `provider_unknown` or `redirect_not_allowed`, PROVIDER_NOT_CONFIGURED, UNAUTHORIZED
     * `invalid_id_token`, CONFLICT `account_exists_link_required`, FORBIDDEN `signup_disabled` or `denied`, OVERLOADED.
     */
    signIn: async (scope: Scope, body: unknown, client: ClientInfo): Promise<SocialSignIn> => {
      const { provider, redirectTo = '', idToken, nonce, ...rest } = parseBody(socialSignInBody, body);
      return idToken === undefined || nonce === undefined
        ? begin(scope, { ...rest, provider, redirectTo }, null)
        : native(scope, { ...rest, provider, idToken, nonce }, client);
    },
    /** Begins a redirect that links an identity to the user. Only the session that begins it can use its code. */
    link: (scope: Scope, { account, session }: Bearer, body: unknown): Promise<SocialStarted> =>
      begin(scope, parseBody(linkIdentityBody, body), { accountId: account.id, sessionId: session.id }),
    /**
     * Handles a provider's callback: the address of the client's page, with a one-time code or the reason of the failure.
     * The state names the environment, and the page is the one that was stored with it.
     *
     * Throws VALIDATION_ERROR `state_invalid` or `provider_unknown`.
     */
    callback: async (
      { provider: name, params }: { readonly provider: string; readonly params: URLSearchParams },
      client: ClientInfo,
    ): Promise<{ readonly url: string }> => {
      const provider = providerIn(name);
      const hash = stateHashOf(params);
      const begun = hash === null ? null : await spendState(hash);
      if (!begun) throw stateInvalid();
      const { scope } = begun;
      const { flow, redirectTo, link } = begun.payload;
      const credentials = await providers.credentialsOf(scope, provider);
      const result = credentials
        ? await finishFlow(social, { provider, credentials, stored: flow, params })
        : ({ ok: false, reason: 'provider_error', detail: 'not_configured' } as const);
      if (!result.ok) {
        await record(scope, provider, result.reason, result.detail, client);
        if (result.reason === 'state_invalid') throw stateInvalid();
        return { url: flowRedirect(redirectTo, flow, { error: result.reason }) };
      }
      const { email } = result.identity;
      if (!(await isAllowed(context.before, scope, { action: link === null ? 'sign_in' : 'link', email, client })))
        return { url: flowRedirect(redirectTo, flow, { error: 'denied' }) };
      const payload: ExchangePayload = { method: 'social', identity: external(result.identity), link };
      const code = await context.commit<string>(scope, async (now) => {
        const issued = await issueExchange(context, scope, { payload, codeChallenge: flow.codeChallenge }, now);
        return { change: { writes: issued.writes }, result: issued.secret ?? '' };
      });
      return { url: flowRedirect(redirectTo, flow, { code }) };
    },
  };
};
