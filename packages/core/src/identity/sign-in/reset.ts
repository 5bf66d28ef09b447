import type { Scope } from '../../foundation/scope.ts';
import type { AccountRow } from '../accounts/account.ts';
import type { ClientInfo } from '../audit/client.ts';
import type { AuthContext } from '../flow/context.ts';
import type { Finish, PlannedSignIn } from '../flow/finish.ts';
import { emailIn, linkOf, parseBody, redirectOf } from '../flow/input.ts';
import { callerOf } from '../flow/password-proof.ts';
import { proveMailbox } from '../flow/prove.ts';
import { lifeMsOf } from '../one-time/secrets.ts';
import type { AuthMailSent, AuthResult } from '../shapes/answers.generated.ts';
import { forgotBody, resetBody } from '../shapes/bodies.ts';
import { unauthorizedFor } from '../shapes/errors.ts';
import { requirePassword } from './sign-up.ts';

export const SENT: AuthMailSent = { sent: true };

/**
 * Emails a link with which the owner of a mailbox sets a new password. Answers alike for every address, and over the limit
 * of emails, where nothing changes and an earlier link stays valid.
 *
 * Throws VALIDATION_ERROR `redirect_not_allowed`, PROVIDER_NOT_CONFIGURED, FORBIDDEN `captcha_failed` or `denied`.
 */
export const requestReset =
  (context: AuthContext) =>
  async (scope: Scope, body: unknown, client: ClientInfo): Promise<AuthMailSent> => {
    const { captchaToken, ...input } = parseBody(forgotBody, body);
    const settings = await context.settings.load(scope);
    const target = redirectOf(input.redirectTo, settings);
    await context.requireEmail(scope);
    const { emailNorm } = emailIn(input.email);
    await context.captcha.require(scope, captchaToken, client);
    await context.before(scope, { action: 'reset', email: emailNorm, client });
    return emailReset(context, scope, emailNorm, target);
  };

/** Emails the link of a reset. `target`: the page that it opens; null: the email shows the token only. */
export const emailReset = async (
  context: AuthContext,
  scope: Scope,
  emailNorm: string,
  target: string | null,
): Promise<AuthMailSent> => {
  const { accounts, budget, oneTime, makeEmail } = context;
  await context.commit(scope, async (now) => {
    const debit = await budget.debit(scope, emailNorm, now);
    if (debit === null) return { change: {}, result: null };
    const found = await accounts.byEmail(scope, emailNorm);
    const account = found?.disabledAt === null ? found : null;
    const issued = await oneTime.issue(
      scope,
      {
        ...{ kind: 'reset', secret: 'reset', hasCode: false, emailNorm, accountId: account?.id ?? null },
        ...{ codeChallenge: null, payload: null, lifeMs: lifeMsOf('reset') },
      },
      now,
    );
    const link = linkOf(target, { token: issued.secret }) ?? issued.secret;
    const email = await makeEmail(scope, {
      ...{ kind: 'reset', to: account?.email ?? emailNorm, link, code: null, expiresAt: issued.expiresAt },
      locale: account?.locale,
    });
    const mail = account ? { emails: [email] } : { unsent: [email] };
    return { change: { writes: [...debit, ...issued.writes], ...mail }, result: null };
  });
  return SENT;
};

/**
 * Sets a new password with the token of an email, ends all sessions, and signs the user in.
 *
 * Throws UNAUTHORIZED `token_invalid`, VALIDATION_ERROR for a weak password, OVERLOADED, PROVIDER_NOT_CONFIGURED.
 */
export const resetPassword =
  (context: AuthContext, finish: Finish) =>
  async (scope: Scope, body: unknown, client: ClientInfo): Promise<AuthResult> => {
    const input = parseBody(resetBody, body);
    context.tokens.requireIssuer();
    const settings = await context.settings.load(scope);
    const { accounts, sessions, hasher, oneTime, audit } = context;
    const spend = (now: Date) => oneTime.spendSecret(scope, { kind: 'reset', form: 'reset', secret: input.token }, now);
    // Looked up before the hash, so that a call without a valid token costs no hash.
    const first = await spend(context.clock.now());
    const owner = first.ok && first.row.accountId !== null ? await accounts.byId(scope, first.row.accountId) : null;
    if (!owner) throw unauthorizedFor('token_invalid');
    await context.before(scope, { action: 'reset', email: owner.emailNorm, client });
    await requirePassword(context, {
      ...{ password: input.password, emailNorm: owner.emailNorm, minLength: settings.password.minLength },
    });
    const hash = await hasher.hash(input.password, { ...callerOf(client), owner: scope.projectKey });
    const done = await context.commit<{ signIn: PlannedSignIn; account: AccountRow }>(scope, async (now) => {
      const spent = await spend(now);
      const account = spent.ok && spent.row.accountId !== null ? await accounts.byId(scope, spent.row.accountId) : null;
      if (!spent.ok || !account || account.disabledAt !== null) throw unauthorizedFor('token_invalid');
      const proven = await proveMailbox(context, scope, account, { keepsCredentials: false, settings, now });
      // The account row changes in either case, so that a sign-in with the former password cannot pass at the same time.
      const changed = proven.isFirst ? null : accounts.change(account, {}, now);
      const current = changed?.row ?? proven.account;
      const revoked = proven.isFirst ? null : await sessions.revokeAll(scope, account, 'password', now);
      const signIn = await finish.plan(
        scope,
        { account: current, method: 'reset', amr: ['otp'], aal: 'aal1', client, isNewUser: account.usableAt === null },
        settings,
        now,
      );
      const { userId } = current;
      const entry = { actor: `user:${current.id}`, action: 'password.reset', target: current.id, result: 'ok', client };
      return {
        change: {
          writes: [
            ...spent.writes,
            ...proven.writes,
            ...(changed ? [changed.write] : []),
            accounts.setPassword(current, hash, null, now),
            context.mfa.endChallenges(scope, current.id),
            ...(revoked?.writes ?? []),
            ...signIn.writes,
            audit.record(scope, entry, now),
          ],
          profile: proven.profile,
          events: [
            ...proven.events,
            {
              ...{ name: 'user.password_reset', userId, subject: `${current.id}/${current.version}` },
              properties: { userId, by: 'reset', sessionsRevoked: revoked?.count ?? 0 },
            },
            ...signIn.events,
          ],
        },
        result: { signIn, account: current },
      };
    });
    return finish.answer(scope, done.account, done.signIn, settings);
  };
