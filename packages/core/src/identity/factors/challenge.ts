import type { Scope } from '../../foundation/scope.ts';
import type { AccountRow } from '../accounts/account.ts';
import type { ClientInfo } from '../audit/client.ts';
import type { AttemptMfa } from '../flow/attempt.ts';
import type { AuthContext } from '../flow/context.ts';
import type { Finish, PlannedSignIn, Proof } from '../flow/finish.ts';
import { parseBody } from '../flow/input.ts';
import { isTokenOf } from '../mfa/mfa.ts';
import type { TokenSet } from '../shapes/answers.generated.ts';
import { unauthorizedFor } from '../shapes/errors.ts';
import { verifyMfaBody } from './bodies.ts';

/** Ends a sign-in with a second factor. An id without its secret is answered like an unknown one. */
export const verifyMfa =
  (context: AuthContext, finish: Finish, attemptMfa: AttemptMfa) =>
  async (scope: Scope, challengeId: string, body: unknown, client: ClientInfo): Promise<TokenSet> => {
    const { token, code, factorId: named } = parseBody(verifyMfaBody, body);
    context.tokens.requireIssuer();
    const { accounts, mfa } = context;
    const settings = await context.settings.load(scope);
    const load = async () => {
      const row = await mfa.challenge(scope, challengeId);
      return row && isTokenOf(row, token) ? row : null;
    };
    const first = await load();
    if (!first) throw unauthorizedFor('challenge_expired');
    // Recovery codes are listed under the id of the challenge.
    const factorId = named === challengeId ? undefined : named;
    const signedIn = await attemptMfa<{ readonly signIn: PlannedSignIn; readonly account: AccountRow }>(scope, {
      ...{ accountId: first.accountId, challenge: load, proof: { kind: 'code', code, factorId }, client },
      onRight: async ({ account, challenge, amr, now }) => {
        const { pending } = challenge;
        const { deviceId, isNewUser, provider } = pending;
        const signIn = await finish.plan(
          scope,
          {
            ...{ account, provider, deviceId, isNewUser, client, aal: 'aal2', amr: [...pending.amr, ...amr] },
            // Safe: written by `finish.plan` from a Proof.
            method: pending.method as Proof['method'],
          },
          settings,
          now,
        );
        return {
          change: { writes: [accounts.signIn(account, now), ...signIn.writes], events: signIn.events },
          result: { signIn, account: { ...account, lastSignInAt: now } },
        };
      },
    });
    const answer = await finish.answer(scope, signedIn.account, signedIn.signIn, settings);
    // Never: a sign-in with two factors is planned as a session.
    if ('mfaRequired' in answer) throw unauthorizedFor('challenge_expired');
    return answer;
  };
