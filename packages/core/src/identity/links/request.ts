// Requests for an email with which a user signs in or confirms that it is them.

import type { Scope } from '../../foundation/scope.ts';
import type { ClientInfo } from '../audit/client.ts';
import type { AuthContext } from '../flow/context.ts';
import { emailIn, linkOf, parseBody, redirectOf } from '../flow/input.ts';
import { CODE_LIFE_MS } from '../one-time/secrets.ts';
import type { Bearer } from '../shapes/bearer.ts';
import { forbiddenFor, redirectNotAllowed } from '../shapes/errors.ts';
import type { AuthChallengeSent } from './answers.generated.ts';
import { emailOtpBody, magicLinkBody } from './bodies.ts';

type Request = {
  readonly email: string;
  readonly createUser: boolean;
  /** Page of the link; null: the email has a code only. */
  readonly target: string | null;
  readonly codeChallenge: string | null;
};

/**
 * Issues a code, and a link where there is a page for it. Known and unknown addresses take the same statements: an address
 * that gets no email also gets a row, which grants nothing.
 */
const request = async (
  { accounts, budget, commit, ids, makeEmail, oneTime, settings: engine }: AuthContext,
  scope: Scope,
  { email: text, createUser, target, codeChallenge }: Request,
): Promise<AuthChallengeSent> => {
  const settings = await engine.load(scope);
  const address = emailIn(text);
  const { emailNorm } = address;
  const mayCreate = createUser && settings.signup.mode === 'open';
  const challengeId = await commit(scope, async (now) => {
    const debit = await budget.debit(scope, emailNorm, now);
    // The earlier email still works; an answer without an id would show that there was one.
    if (debit === null)
      return { change: {}, result: (await oneTime.liveIdOf(scope, 'magic', emailNorm, now)) ?? ids.next() };
    const account = await accounts.byEmail(scope, emailNorm);
    const issued = await oneTime.issue(
      scope,
      {
        ...{ kind: 'magic', secret: target === null ? null : 'magic', hasCode: true, emailNorm },
        ...{ accountId: account?.id ?? null, codeChallenge, payload: { email: address.email, mayCreate } },
        lifeMs: CODE_LIFE_MS,
      },
      now,
    );
    const link = linkOf(target, { token: issued.secret, codeChallenge });
    const mail = await makeEmail(scope, {
      ...{ kind: target === null ? 'otp' : 'magic_link', to: account?.email ?? address.email },
      ...{ link, code: issued.code, expiresAt: issued.expiresAt, locale: account?.locale ?? null },
    });
    const isSent = account ? account.disabledAt === null : mayCreate;
    return {
      change: { writes: [...debit, ...issued.writes], ...(isSent ? { emails: [mail] } : { unsent: [mail] }) },
      result: issued.id,
    };
  });
  return { sent: true, challengeId };
};

/** Lets captcha and host refuse a request. Throws FORBIDDEN `captcha_failed` or `denied`. */
const requireAllowed = async (
  { before, captcha }: Pick<AuthContext, 'before' | 'captcha'>,
  scope: Scope,
  { email, captchaToken }: { readonly email: string; readonly captchaToken?: string | undefined },
  client: ClientInfo,
): Promise<void> => {
  const { emailNorm } = emailIn(email);
  await captcha.require(scope, captchaToken, client);
  await before(scope, { action: 'sign_in', email: emailNorm, client });
};

/**
 * Emails a link to sign in, with a code for where the link opens on another device or a scanner has followed it.
 *
 * Throws VALIDATION_ERROR `redirect_not_allowed`, PROVIDER_NOT_CONFIGURED, RATE_LIMITED `project_mail`, FORBIDDEN
 * `captcha_failed` or `denied`.
 */
export const requestMagicLink =
  (context: AuthContext) =>
  async (scope: Scope, body: unknown, client: ClientInfo): Promise<AuthChallengeSent> => {
    const { email, createUser, redirectTo, codeChallenge = null, captchaToken } = parseBody(magicLinkBody, body);
    const target = redirectOf(redirectTo, await context.settings.load(scope));
    if (target === null) throw redirectNotAllowed();
    await context.requireEmail(scope);
    await requireAllowed(context, scope, { email, captchaToken }, client);
    return request(context, scope, { email, createUser, target, codeChallenge });
  };

/** Emails a code to sign in. Throws as `requestMagicLink`, without `redirect_not_allowed`. */
export const requestEmailCode =
  (context: AuthContext) =>
  async (scope: Scope, body: unknown, client: ClientInfo): Promise<AuthChallengeSent> => {
    const { email, createUser, captchaToken } = parseBody(emailOtpBody, body);
    await context.requireEmail(scope);
    await requireAllowed(context, scope, { email, captchaToken }, client);
    return request(context, scope, { email, createUser, target: null, codeChallenge: null });
  };

/**
 * Emails a signed-in user a code for `reauthenticate`, which users without a password need. Throws FORBIDDEN
 * `email_not_verified`, PROVIDER_NOT_CONFIGURED, RATE_LIMITED `project_mail`.
 */
export const requestReauthentication =
  (context: AuthContext) =>
  async (scope: Scope, { account }: Bearer): Promise<AuthChallengeSent> => {
    const { budget, commit, ids, makeEmail, oneTime } = context;
    const { email, emailNorm, locale } = account;
    if (email === null || emailNorm === null || account.emailVerifiedAt === null)
      throw forbiddenFor('email_not_verified');
    await context.requireEmail(scope);
    const challengeId = await commit(scope, async (now) => {
      const debit = await budget.debit(scope, emailNorm, now);
      if (debit === null)
        return { change: {}, result: (await oneTime.liveIdOf(scope, 'reauth', emailNorm, now)) ?? ids.next() };
      const issued = await oneTime.issue(
        scope,
        {
          ...{ kind: 'reauth', secret: null, hasCode: true, emailNorm, accountId: account.id },
          ...{ codeChallenge: null, payload: null, lifeMs: CODE_LIFE_MS },
        },
        now,
      );
      const { code, expiresAt } = issued;
      const mail = await makeEmail(scope, { kind: 'reauth', to: email, link: null, code, expiresAt, locale });
      return { change: { writes: [...debit, ...issued.writes], emails: [mail] }, result: issued.id };
    });
    return { sent: true, challengeId };
  };
