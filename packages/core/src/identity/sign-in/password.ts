import { validationError } from '../../foundation/errors.ts';
import type { Scope } from '../../foundation/scope.ts';
import { accountEmailOf } from '../accounts/email-norm.ts';
import type { ClientInfo } from '../audit/client.ts';
import type { AuthContext } from '../flow/context.ts';
import type { Finish } from '../flow/finish.ts';
import { parseBody } from '../flow/input.ts';
import { lifeMsOf } from '../one-time/secrets.ts';
import { isLive, type NewSession } from '../sessions/sessions.ts';
import type { AuthResult, SessionsRevoked, TokenSet } from '../shapes/answers.generated.ts';
import type { Bearer } from '../shapes/bearer.ts';
import { changePasswordBody, reauthenticateBody, signInBody } from '../shapes/bodies.ts';
import { forbiddenFor, unauthorizedFor } from '../shapes/errors.ts';
import { requirePassword } from './sign-up.ts';

/** A caller that may go away: its place in the line of hashes is freed then. */
export type SignInOptions = { readonly signal?: AbortSignal | undefined };

/**
 * Signs a user in with email address and password. Unknown addresses, wrong passwords, accounts without a password and
 * disabled ones are answered alike, after the same work.
 *
 * Throws UNAUTHORIZED `invalid_credentials`, FORBIDDEN `email_not_verified`, OVERLOADED, PROVIDER_NOT_CONFIGURED.
 */
export const signInWithPassword =
  (context: AuthContext, finish: Finish) =>
  async (scope: Scope, body: unknown, client: ClientInfo, { signal }: SignInOptions = {}): Promise<AuthResult> => {
    const input = parseBody(signInBody, body);
    context.tokens.requireIssuer();
    const settings = await context.settings.load(scope);
    const { accounts, hasher } = context;
    // A text that is no address has no account; the work is the same.
    const emailNorm = accountEmailOf(input.email)?.emailNorm ?? '';
    const line = { owner: scope.projectKey, ...(signal && { signal }) };
    const device = context.tokens.readDevice(scope, input.deviceToken);
    const ticket = hasher.admit({ ...line, isTrustedDevice: device !== null });
    try {
      const account = await accounts.byEmail(scope, emailNorm);
      const stored = await accounts.passwordOf(scope, account?.id ?? null);
      const { isRight, needsRehash } = await hasher.verify(stored, input.password, { ...line, ticket });
      if (!account || !stored || !isRight || account.disabledAt !== null) throw unauthorizedFor('invalid_credentials');
      if (settings.signup.requireVerifiedEmail && account.emailVerifiedAt === null)
        throw forbiddenFor('email_not_verified');
      const better = needsRehash ? await hasher.rehash(input.password) : undefined;
      const signedIn = await context.commit(scope, async (now) => {
        const current = await accounts.byId(scope, account.id);
        if (!current || current.disabledAt !== null) throw unauthorizedFor('invalid_credentials');
        const proof = { account: current, method: 'password', amr: ['pwd'], aal: 'aal1' } as const;
        const signIn = await finish.plan(scope, { ...proof, client, deviceToken: input.deviceToken }, settings, now);
        const writes = [
          accounts.signIn(current, now),
          ...(better === undefined ? [] : [accounts.rehash(current, stored.hash, better)]),
          ...signIn.writes,
        ];
        return {
          change: { writes, events: signIn.events },
          result: { signIn, account: { ...current, lastSignInAt: now } },
        };
      });
      return await finish.answer(scope, signedIn.account, signedIn.signIn, settings);
    } finally {
      ticket.release();
    }
  };

/** Checks the present password of a signed-in user. Throws UNAUTHORIZED `invalid_credentials`, OVERLOADED. */
const requirePresent = async (
  { accounts, hasher }: AuthContext,
  scope: Scope,
  accountId: string,
  password: string | undefined,
): Promise<void> => {
  const stored = await accounts.passwordOf(scope, accountId);
  if (!stored) return;
  if (password === undefined) throw validationError({ currentPassword: ['is required: the account has a password'] });
  const ticket = hasher.admit({ owner: scope.projectKey });
  const { isRight } = await hasher
    .verify(stored, password, { owner: scope.projectKey, ticket })
    .finally(ticket.release);
  if (!isRight) throw unauthorizedFor('invalid_credentials');
};

/** Changes the password of a signed-in user, and ends the user's other sessions. */
export const changePassword =
  (context: AuthContext) =>
  async (scope: Scope, bearer: Bearer, body: unknown, client: ClientInfo): Promise<SessionsRevoked> => {
    const input = parseBody(changePasswordBody, body);
    const { accounts, hasher, sessions, audit, makeEmail } = context;
    const settings = await context.settings.load(scope);
    const { account } = bearer;
    await requirePresent(context, scope, account.id, input.currentPassword);
    const rule = { password: input.newPassword, emailNorm: account.emailNorm, minLength: settings.password.minLength };
    await requirePassword(context, rule, 'newPassword');
    const ticket = hasher.admit({ owner: scope.projectKey });
    const hash = await hasher.hash(input.newPassword, { owner: scope.projectKey, ticket }).finally(ticket.release);
    const isNoticed = settings.mail.notices.includes('password_changed') && account.emailVerifiedAt !== null;
    return context.commit(scope, async (now) => {
      const current = await accounts.byId(scope, account.id);
      if (!current || current.disabledAt !== null) throw unauthorizedFor('session_expired');
      const changed = accounts.change(current, {}, now);
      const revoked = await sessions.revokeAll(scope, current, 'password', now, bearer.session.id);
      const { userId } = current;
      const actor = `user:${current.id}`;
      const entry = { actor, action: 'password.change', target: current.id, result: 'ok', client };
      const expiresAt = new Date(now.getTime() + lifeMsOf('email_undo'));
      const to = current.email;
      const emails =
        isNoticed && to !== null
          ? [
              await makeEmail(scope, {
                kind: 'password_changed',
                to,
                link: null,
                code: null,
                expiresAt,
                locale: current.locale,
              }),
            ]
          : [];
      return {
        change: {
          writes: [
            changed.write,
            accounts.setPassword(current, hash, null, now),
            context.oneTime.removeOf(scope, current.id),
            ...revoked.writes,
            audit.record(scope, entry, now),
          ],
          events: [
            ...revoked.events,
            {
              ...{ name: 'user.password_reset', userId, subject: `${current.id}/${changed.row.version}` },
              properties: { userId, by: 'change', sessionsRevoked: revoked.count },
            },
          ],
          emails,
        },
        result: { revoked: revoked.count },
      };
    });
  };

/**
 * Renews the time of authentication of a session, so that it may do what needs a recent sign-in: by the password, or by the
 * code of an email. Throws UNAUTHORIZED `invalid_credentials` or `code_invalid`, OVERLOADED.
 */
export const reauthenticate =
  (context: AuthContext, finish: Finish) =>
  async (scope: Scope, bearer: Bearer, body: unknown): Promise<TokenSet> => {
    const { password, emailCode, challengeId } = parseBody(reauthenticateBody, body);
    const { accounts, oneTime, sessions } = context;
    const settings = await context.settings.load(scope);
    const { account, session } = bearer;
    const isCode = challengeId !== undefined;
    if (!isCode) {
      if (!(await accounts.passwordOf(scope, account.id))) throw unauthorizedFor('invalid_credentials');
      await requirePresent(context, scope, account.id, password);
    }
    const renewed = await context.commit<NewSession | null>(scope, async (now) => {
      const current = await sessions.byId(scope, session.id);
      if (!current || !isLive(current, now)) throw unauthorizedFor('session_expired');
      const emailNorm = account.emailNorm ?? '';
      const spent = isCode
        ? await oneTime.spendCode(scope, { kind: 'reauth', emailNorm, challengeId, code: emailCode }, now)
        : null;
      // A wrong code is counted, so it is committed before it is refused.
      if (spent && !(spent.ok && spent.row.accountId === account.id))
        return { change: { writes: spent.writes }, result: null };
      const next = sessions.authenticated(scope, current, { aal: current.aal, amr: current.amr }, now);
      return { change: { writes: [...(spent?.writes ?? []), ...next.writes] }, result: next };
    });
    if (renewed === null) throw unauthorizedFor('code_invalid');
    return finish.tokens(scope, account, renewed, settings);
  };
