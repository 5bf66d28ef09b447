// Turns a proven first factor into a session. Every way to sign in ends here.

import type { Write } from '../../database/commit/write-set.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { AccountRow } from '../accounts/account.ts';
import type { ClientInfo } from '../audit/client.ts';
import type { AuthSettings } from '../auth-settings/schema.ts';
import type { AuthEvent } from '../commit/commit.ts';
import { MAX_CHALLENGE_CODES, mfaRequirementOf } from '../mfa/ladder.ts';
import type { Aal } from '../sessions/reasons.ts';
import type { NewSession } from '../sessions/sessions.ts';
import type { AuthResult, MfaRequired, TokenSet } from '../shapes/answers.generated.ts';
import { forbiddenFor } from '../shapes/errors.ts';
import type { AuthContext } from './context.ts';

/** How a user proved who they are. */
export type Proof = {
  readonly account: AccountRow;
  /** Way to sign in, as `user.signed_in` names it. */
  readonly method:
    | 'password'
    | 'reset'
    | 'signup'
    | 'social'
    | 'sso'
    | 'magic_link'
    | 'email_otp'
    | 'anonymous'
    | 'passkey';
  /** Provider of the identity; absent: none. */
  readonly provider?: string | undefined;
  /** Source: RFC 8176. */
  readonly amr: readonly string[];
  readonly aal: Aal;
  readonly client: ClientInfo;
  readonly deviceToken?: string | undefined;
  /** Of the sign-in that a second factor ends; in place of `deviceToken`. */
  readonly deviceId?: string | null | undefined;
  readonly isNewUser?: boolean | undefined;
};

/** A sign-in that is planned: its writes and events, and either the session or the challenge of a second factor. */
export type PlannedSignIn = { readonly events: readonly AuthEvent[]; readonly writes: readonly Write[] } & (
  | { readonly session: NewSession; readonly challenge: null }
  | { readonly session: null; readonly challenge: MfaRequired['challenge'] }
);

type FinishContext = Pick<AuthContext, 'accounts' | 'mfa' | 'sessions' | 'tokens'>;

export type Finish = {
  /**
   * Plans a session of the account, or a challenge if the account has a second factor that was not proven. The caller
   * guards the account: `account` is as it is when the writes before it are done. Throws FORBIDDEN `mfa_blocked`.
   */
  plan(scope: Scope, proof: Proof, settings: AuthSettings, now: Date): Promise<PlannedSignIn>;
  /** The answer to a sign-in that is on disk. */
  answer(scope: Scope, account: AccountRow, signIn: PlannedSignIn, settings: AuthSettings): Promise<AuthResult>;
  /** The tokens of a session that is on disk. */
  tokens(scope: Scope, account: AccountRow, session: NewSession, settings: AuthSettings): Promise<TokenSet>;
};

export const finishSignIn = ({ mfa, sessions, tokens }: FinishContext): Finish => ({
  plan: async (scope, proof, settings, now) => {
    const { account, method, provider, amr, aal, client, deviceToken, isNewUser = false } = proof;
    const device = tokens.readDevice(scope, deviceToken);
    const deviceId = proof.deviceId ?? (device?.userId === account.id ? device.deviceId : null);
    // Without a factor nothing counts wrong codes, so there is no state to read.
    if (account.mfaEnabledAt !== null) {
      const [{ state }, factors] = await Promise.all([
        mfa.stateOf(scope, account.id),
        mfa.confirmedOf(scope, account.id),
      ]);
      const requirement = mfaRequirementOf({
        ...{ mode: settings.mfa.mode, factors: factors.length, isTwoFactor: aal === 'aal2' },
        blockedAtMs: state.blockedAtMs,
      });
      if (requirement === 'blocked') throw forbiddenFor('mfa_blocked');
      if (requirement === 'challenge') {
        const { row, token } = mfa.newChallenge(scope, account.id, { method, provider, amr, deviceId, isNewUser }, now);
        const codes = await mfa.codesOf(scope, account.id);
        const challenge = {
          ...{ id: row.id, token, expiresAt: row.expiresAt, attemptsLeft: MAX_CHALLENGE_CODES },
          factors: [
            ...factors.filter(({ secret }) => secret !== null).map(({ id, type }) => ({ id, type })),
            // Recovery codes have no factor of their own.
            ...(codes.some(({ usedAt }) => usedAt === null) ? [{ id: row.id, type: 'recovery' as const }] : []),
          ],
        };
        return { session: null, challenge, writes: [mfa.putChallenge(row)], events: [] };
      }
    }
    const created = await sessions.create(
      scope,
      { account, amr, aal, client, deviceId, settings: settings.session },
      now,
    );
    const { id: sessionId } = created.session;
    const properties = {
      ...{ userId: account.userId, sessionId, method, mfa: aal === 'aal2', newUser: isNewUser },
      ...(provider !== undefined && { provider }),
    };
    const signedIn: AuthEvent = { name: 'user.signed_in', userId: account.userId, subject: sessionId, properties };
    return { session: created, challenge: null, writes: created.writes, events: [signedIn] };
  },
  answer: async (scope, account, { session, challenge }, settings) => {
    if (challenge !== null) return { mfaRequired: true, challenge };
    const { refreshToken } = session;
    return tokens.tokenSet(scope, { account, session: session.session, refreshToken, settings });
  },
  tokens: (scope, account, { session, refreshToken }, settings) =>
    tokens.tokenSet(scope, { account, session, refreshToken, settings }),
});
