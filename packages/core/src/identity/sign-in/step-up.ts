import type { Scope } from '../../foundation/scope.ts';
import type { ClientInfo } from '../audit/client.ts';
import type { AttemptMfa, MfaAttempt } from '../flow/attempt.ts';
import type { AuthContext } from '../flow/context.ts';
import type { Finish } from '../flow/finish.ts';
import { parseBody } from '../flow/input.ts';
import { requireLive } from '../flow/require.ts';
import { sessionChallenge } from '../mfa/mfa.ts';
import type { NewSession } from '../sessions/sessions.ts';
import type { TokenSet } from '../shapes/answers.generated.ts';
import type { Bearer } from '../shapes/bearer.ts';
import { reauthenticateBody } from '../shapes/bodies.ts';
import { unauthorizedFor } from '../shapes/errors.ts';
import { requirePresentPassword } from './password.ts';

/**
 * An attempt of a signed-in user with a code. The session is the challenge: five wrong codes end it for ten minutes, and a
 * right one starts it anew.
 */
export const sessionAttempt = (
  { mfa }: Pick<AuthContext, 'mfa'>,
  scope: Scope,
  { account, session }: Bearer,
  { code, factorId }: { readonly code: string; readonly factorId: string | undefined },
): Pick<MfaAttempt<never>, 'accountId' | 'challenge' | 'proof'> => ({
  accountId: account.id,
  proof: { kind: 'code', code, factorId },
  challenge: async (now) => {
    const row = await mfa.challenge(scope, session.id);
    const isOpen = row && row.consumedAt === null && row.expiresAt > now;
    return isOpen ? row : sessionChallenge(scope, account.id, session.id, now);
  },
});

/** Renews the time of authentication of a session, so that it may do what needs a recent sign-in. */
export const reauthenticate =
  (context: AuthContext, finish: Finish, attemptMfa: AttemptMfa) =>
  async (scope: Scope, bearer: Bearer, body: unknown, client: ClientInfo): Promise<TokenSet> => {
    const { password, code, factorId, emailCode, challengeId } = parseBody(reauthenticateBody, body);
    const { accounts, oneTime, sessions } = context;
    const settings = await context.settings.load(scope);
    const { account, session } = bearer;
    /** `amr`: methods of a second factor; null: a password, which keeps the level of the session. */
    const renew = async (amr: readonly string[] | null, now: Date) => {
      const current = await requireLive(context, scope, session, now);
      const by =
        amr === null
          ? { aal: current.aal, amr: current.amr }
          : { aal: 'aal2' as const, amr: [...new Set([...current.amr, ...amr])] };
      const next = sessions.authenticated(scope, current, by, now);
      return { change: { writes: next.writes }, result: next };
    };
    let renewed: NewSession;
    if (code !== undefined)
      renewed = await attemptMfa(scope, {
        ...sessionAttempt(context, scope, bearer, { code, factorId }),
        client,
        onRight: async ({ amr, now }) => renew(amr, now),
      });
    else if (challengeId !== undefined) {
      const done = await context.commit<NewSession | null>(scope, async (now) => {
        const emailNorm = account.emailNorm ?? '';
        const spent = await oneTime.spendCode(scope, { kind: 'reauth', emailNorm, challengeId, code: emailCode }, now);
        // A wrong code is counted, so it is committed before it is refused.
        if (!spent.ok || spent.row.accountId !== account.id) return { change: { writes: spent.writes }, result: null };
        const { change, result } = await renew(null, now);
        return { change: { writes: [...spent.writes, ...change.writes] }, result };
      });
      if (done === null) throw unauthorizedFor('code_invalid');
      renewed = done;
    } else {
      if (!(await accounts.passwordOf(scope, account.id))) throw unauthorizedFor('invalid_credentials');
      await requirePresentPassword(context, scope, account.id, password);
      renewed = await context.commit(scope, (now) => renew(null, now));
    }
    return finish.tokens(scope, account, renewed, settings);
  };
