// Turns a proven first factor into a session. Every way to sign in ends here.

import type { Write } from '../../database/commit/write-set.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { AccountRow } from '../accounts/account.ts';
import type { ClientInfo } from '../audit/client.ts';
import type { AuthSettings } from '../auth-settings/schema.ts';
import type { AuthEvent } from '../commit/commit.ts';
import type { Aal } from '../sessions/reasons.ts';
import type { NewSession } from '../sessions/sessions.ts';
import type { AuthResult, TokenSet } from '../shapes/answers.generated.ts';
import type { AuthContext } from './context.ts';

/** How a user proved who they are. */
export type Proof = {
  readonly account: AccountRow;
  /** Way to sign in, as `user.signed_in` names it. */
  readonly method: 'password' | 'reset' | 'signup' | 'magic_link' | 'email_otp' | 'anonymous';
  /** Source: RFC 8176. */
  readonly amr: readonly string[];
  readonly aal: Aal;
  readonly client: ClientInfo;
  readonly deviceToken?: string | undefined;
  readonly isNewUser?: boolean | undefined;
};

/** A sign-in that is planned: its writes, its events, and the session. */
export type PlannedSignIn = NewSession & { readonly events: readonly AuthEvent[]; readonly writes: readonly Write[] };

type FinishContext = Pick<AuthContext, 'accounts' | 'sessions' | 'tokens'>;

export type Finish = {
  /** Plans a session of the account. `account`: as it is when the writes before it are done. */
  plan(scope: Scope, proof: Proof, settings: AuthSettings, now: Date): Promise<PlannedSignIn>;
  /** The answer to a sign-in that is on disk. */
  answer(scope: Scope, account: AccountRow, signIn: PlannedSignIn, settings: AuthSettings): Promise<AuthResult>;
  /** The tokens of a session that is on disk. */
  tokens(scope: Scope, account: AccountRow, session: NewSession, settings: AuthSettings): Promise<TokenSet>;
};

export const finishSignIn = ({ sessions, tokens }: FinishContext): Finish => ({
  plan: async (scope, { account, method, amr, aal, client, deviceToken, isNewUser = false }, settings, now) => {
    const device = tokens.readDevice(scope, deviceToken);
    const deviceId = device?.userId === account.id ? device.deviceId : null;
    const created = await sessions.create(
      scope,
      { account, amr, aal, client, deviceId, settings: settings.session },
      now,
    );
    const { id: sessionId } = created.session;
    const properties = { userId: account.userId, sessionId, method, mfa: aal === 'aal2', newUser: isNewUser };
    const signedIn: AuthEvent = { name: 'user.signed_in', userId: account.userId, subject: sessionId, properties };
    return { ...created, events: [signedIn] };
  },
  answer: (scope, account, { session, refreshToken }, settings) =>
    tokens.tokenSet(scope, { account, session, refreshToken, settings }),
  tokens: (scope, account, { session, refreshToken }, settings) =>
    tokens.tokenSet(scope, { account, session, refreshToken, settings }),
});
