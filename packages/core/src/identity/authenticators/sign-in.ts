import type { BeckonError } from '../../foundation/errors.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { AccountRow } from '../accounts/account.ts';
import type { ClientInfo } from '../audit/client.ts';
import type { AuthContext } from '../flow/context.ts';
import { failedSignIn } from '../flow/failed-sign-in.ts';
import type { Finish, PlannedSignIn } from '../flow/finish.ts';
import { parseBody } from '../flow/input.ts';
import { admitMfaAttempt } from '../mfa/ladder.ts';
import { challengeIn, isTokenOf } from '../mfa/mfa.ts';
import type { TokenSet } from '../shapes/answers.generated.ts';
import type { Bearer } from '../shapes/bearer.ts';
import { forbiddenFor, unauthorizedFor } from '../shapes/errors.ts';
import type { MfaPasskeyRequest, PasskeyRequest } from './answers.generated.ts';
import type { PasskeyCheck } from './assertion.ts';
import { mfaPasskeyBody, passkeySignInBody } from './bodies.ts';

type Outcome =
  | { readonly ok: true; readonly signIn: PlannedSignIn; readonly account: AccountRow }
  | { readonly ok: false; readonly error: BeckonError };

/** Options that say nothing about any user, or those of a signed-in user for a step-up. */
export const requestPasskey =
  (context: AuthContext, check: PasskeyCheck) =>
  async (scope: Scope, bearer: Bearer | null): Promise<PasskeyRequest> => {
    const settings = await context.settings.load(scope);
    check.partyOf(settings);
    return context.commit(scope, async (now) => {
      const challengeId = context.ids.next();
      const input = { id: challengeId, accountId: bearer?.account.id ?? null, settings };
      const { publicKey, writes } = await check.options(scope, input, now);
      return { change: { writes }, result: { challengeId, publicKey } };
    });
  };

/** Options for the second factor of a sign-in. An id without its secret is answered like an unknown one. */
export const requestMfaPasskey =
  (context: AuthContext, check: PasskeyCheck) =>
  async (scope: Scope, id: string, body: unknown): Promise<MfaPasskeyRequest> => {
    const { token } = parseBody(mfaPasskeyBody, body);
    const settings = await context.settings.load(scope);
    check.partyOf(settings);
    return context.commit(scope, async (now) => {
      const row = await context.mfa.challenge(scope, id);
      if (!row || !isTokenOf(row, token)) throw unauthorizedFor('challenge_expired');
      const { state } = await context.mfa.stateOf(scope, row.accountId);
      const admitted = admitMfaAttempt({ state, challenge: challengeIn(row), nowMs: now.getTime() });
      if (admitted.outcome === 'challenge_expired') throw unauthorizedFor('challenge_expired');
      const { publicKey, writes } = await check.options(scope, { id, accountId: row.accountId, settings }, now);
      return { change: { writes }, result: { publicKey } };
    });
  };

/** Signs a user in with a passkey alone. Every passkey that is not accepted gets the same answer. */
export const signInWithPasskey =
  (context: AuthContext, finish: Finish, check: PasskeyCheck) =>
  async (scope: Scope, body: unknown, client: ClientInfo): Promise<TokenSet> => {
    const { challengeId, response, deviceToken } = parseBody(passkeySignInBody, body);
    const { accounts, mfa } = context;
    const settings = await context.settings.load(scope);
    check.partyOf(settings);
    await context.before(scope, { action: 'sign_in', email: null, client });
    const signedIn = await context.commit<Outcome>(scope, async (now) => {
      const found = await check.verify(scope, { challengeId, accountId: null, response, settings }, now);
      const { writes } = found;
      const refuse = (error: BeckonError) => ({ change: { writes }, result: { ok: false, error } as const });
      // The check has recorded what is wrong with the passkey.
      if (found.passkey === null) return refuse(unauthorizedFor('passkey_invalid'));
      const { accountId } = found.passkey;
      const refuseAccount = (reason: string, error: BeckonError) => {
        const failed = failedSignIn(context, scope, { method: 'passkey', accountId, reason, client }, now);
        return { change: { writes: [...writes, failed] }, result: { ok: false, error } as const };
      };
      const account = await accounts.byId(scope, accountId);
      if (!account || account.disabledAt !== null)
        return refuseAccount('passkey_invalid', unauthorizedFor('passkey_invalid'));
      if (settings.signup.requireVerifiedEmail && account.email !== null && account.emailVerifiedAt === null)
        return refuseAccount('email_not_verified', forbiddenFor('email_not_verified'));
      const { state } = await mfa.stateOf(scope, account.id);
      if (state.blockedAtMs !== null) return refuseAccount('mfa_blocked', forbiddenFor('mfa_blocked'));
      const proof = { account, method: 'passkey', amr: found.amr, aal: 'aal2', client, deviceToken } as const;
      const signIn = await finish.plan(scope, proof, settings, now);
      return {
        change: { writes: [...writes, accounts.signIn(account, now), ...signIn.writes], events: signIn.events },
        result: { ok: true, signIn, account: { ...account, lastSignInAt: now } },
      };
    });
    if (!signedIn.ok) throw signedIn.error;
    const answer = await finish.answer(scope, signedIn.account, signedIn.signIn, settings);
    // Never: a sign-in with two factors is planned as a session.
    if ('mfaRequired' in answer) throw unauthorizedFor('passkey_invalid');
    return answer;
  };
