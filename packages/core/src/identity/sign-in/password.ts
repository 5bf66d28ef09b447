import { validationError } from '../../foundation/errors.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { AccountRow } from '../accounts/account.ts';
import { accountEmailOf } from '../accounts/email-norm.ts';
import type { ClientInfo } from '../audit/client.ts';
import type { AuthContext } from '../flow/context.ts';
import { recordFailedSignIn } from '../flow/failed-sign-in.ts';
import type { Finish } from '../flow/finish.ts';
import { parseBody } from '../flow/input.ts';
import { planNotice, provenAddress } from '../flow/notice.ts';
import { callerOf, isPasswordOf, type ProvenPassword, passwordProof } from '../flow/password-proof.ts';
import { requireEnabled } from '../flow/require.ts';
import type { AuthResult, SessionsRevoked } from '../shapes/answers.generated.ts';
import type { Bearer } from '../shapes/bearer.ts';
import { changePasswordBody, signInBody } from '../shapes/bodies.ts';
import { forbiddenFor, unauthorizedFor } from '../shapes/errors.ts';
import { requirePassword } from './sign-up.ts';

/**
 * Signs a user in with email address and password. Unknown addresses, wrong passwords, accounts without a password and
 * disabled ones are answered alike, after the same work.
 *
 * Throws UNAUTHORIZED `invalid_credentials`, FORBIDDEN `email_not_verified`, `captcha_failed` or `denied`, OVERLOADED,
 * PROVIDER_NOT_CONFIGURED.
 */
export const signInWithPassword =
  (context: AuthContext, finish: Finish) =>
  async (scope: Scope, body: unknown, client: ClientInfo): Promise<AuthResult> => {
    const input = parseBody(signInBody, body);
    context.tokens.requireIssuer();
    const settings = await context.settings.load(scope);
    const { accounts, hasher } = context;
    const device = context.tokens.readDevice(scope, input.deviceToken);
    const caller = { ...callerOf(client), isTrustedDevice: device !== null };
    const failed = (account: AccountRow | null, reason: string) =>
      recordFailedSignIn(context, scope, { method: 'password', accountId: account?.id ?? null, reason, client });
    await context.captcha.require(scope, input.captchaToken, client);
    const email = accountEmailOf(input.email)?.emailNorm ?? input.email;
    await context.before(scope, { action: 'sign_in', email, client });
    const next = async ({ account, stored, needsRehash }: ProvenPassword): Promise<AuthResult> => {
      if (settings.signup.requireVerifiedEmail && account.emailVerifiedAt === null) {
        await failed(account, 'email_not_verified');
        throw forbiddenFor('email_not_verified');
      }
      const better = needsRehash ? await hasher.rehash(input.password) : undefined;
      const signedIn = await context.commit(scope, async (now) => {
        const current = await accounts.byId(scope, account.id);
        if (!current || current.disabledAt !== null) throw unauthorizedFor('invalid_credentials');
        const proof = { account: current, method: 'password', amr: ['pwd'], aal: 'aal1' } as const;
        const signIn = await finish.plan(scope, { ...proof, client, deviceToken: input.deviceToken }, settings, now);
        const writes = [
          signIn.challenge === null ? accounts.signIn(current, now) : accounts.unchanged(current),
          ...(better === undefined ? [] : [accounts.rehash(current, stored.hash, better)]),
          ...signIn.writes,
        ];
        return {
          change: { writes, events: signIn.events },
          result: { signIn, account: { ...current, ...(signIn.challenge === null && { lastSignInAt: now }) } },
        };
      });
      return finish.answer(scope, signedIn.account, signedIn.signIn, settings);
    };
    return passwordProof(context)(scope, input, caller, next, (account) => failed(account, 'invalid_credentials'));
  };

/** Checks the present password of a signed-in user. Throws UNAUTHORIZED `invalid_credentials`, OVERLOADED. */
export const requirePresentPassword = async (
  context: Pick<AuthContext, 'accounts' | 'hasher' | 'hashConfigs'>,
  scope: Scope,
  accountId: string,
  password: string | undefined,
): Promise<void> => {
  const stored = await context.accounts.passwordOf(scope, accountId);
  if (!stored) return;
  if (password === undefined) throw validationError({ currentPassword: ['is required: the account has a password'] });
  if (!(await isPasswordOf(context, scope, stored, password))) throw unauthorizedFor('invalid_credentials');
};

/** Changes the password of a signed-in user, and ends the user's other sessions. */
export const changePassword =
  (context: AuthContext) =>
  async (scope: Scope, bearer: Bearer, body: unknown, client: ClientInfo): Promise<SessionsRevoked> => {
    const input = parseBody(changePasswordBody, body);
    const { accounts, hasher, sessions, audit } = context;
    const settings = await context.settings.load(scope);
    const { account } = bearer;
    await requirePresentPassword(context, scope, account.id, input.currentPassword);
    const rule = { password: input.newPassword, emailNorm: account.emailNorm, minLength: settings.password.minLength };
    await requirePassword(context, rule, 'newPassword');
    const hash = await hasher.hash(input.newPassword, { ...callerOf(client), owner: scope.projectKey });
    return context.commit(scope, async (now) => {
      const current = await requireEnabled(context, scope, account);
      const changed = accounts.change(current, {}, now);
      const revoked = await sessions.revokeAll(scope, current, 'password', now, bearer.session.id);
      const { userId } = current;
      const actor = `user:${current.id}`;
      const entry = { actor, action: 'password.change', target: current.id, result: 'ok', client };
      const about = { account: current, kind: 'password_changed', to: provenAddress(current) } as const;
      const notice = await planNotice(context, scope, about, settings, now);
      return {
        change: {
          writes: [
            changed.write,
            accounts.setPassword(current, hash, null, now),
            context.oneTime.removeOf(scope, current.id),
            context.mfa.endChallenges(scope, current.id),
            ...revoked.writes,
            audit.record(scope, entry, now),
            ...notice.writes,
          ],
          events: [
            ...revoked.events,
            {
              ...{ name: 'user.password_reset', userId, subject: `${current.id}/${changed.row.version}` },
              properties: { userId, by: 'change', sessionsRevoked: revoked.count },
            },
          ],
          emails: notice.emails,
        },
        result: { revoked: revoked.count },
      };
    });
  };
