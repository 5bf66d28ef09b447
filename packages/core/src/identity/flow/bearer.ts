import type { Scope } from '../../foundation/scope.ts';
import { mustEnroll } from '../mfa/enrollment.ts';
import { isLive } from '../sessions/sessions.ts';
import type { Bearer, BearerNeeds } from '../shapes/bearer.ts';
import { forbiddenFor, unauthorizedFor } from '../shapes/errors.ts';
import type { AuthContext } from './context.ts';

/** Age of a sign-in that counts as recent. Source: auth.md, Conventions. */
export const FRESH_MS = 10 * 60_000;

/**
 * Checks the access token of a request: its signature and claims, and that its session is live. One read of the session
 * and one of the account, without a cache, so that the end of a session takes effect at once.
 *
 * Throws UNAUTHORIZED `token_invalid` or `session_expired`, FORBIDDEN `reauth_required`, `mfa_enrollment_required`,
 * `not_anonymous` or `anonymous`, PROVIDER_NOT_CONFIGURED.
 */
export const bearerCheck =
  ({
    tokens,
    sessions,
    accounts,
    clock,
    settings,
  }: Pick<AuthContext, 'tokens' | 'sessions' | 'accounts' | 'clock' | 'settings'>) =>
  async (
    scope: Scope,
    token: string | null,
    { fresh = false, aal2 = false, beforeEnrollment = false, anonymous }: BearerNeeds = {},
  ): Promise<Bearer> => {
    const verified = token === null ? null : await tokens.verify(scope, token);
    if (!verified?.ok) throw unauthorizedFor('token_invalid');
    const { sid, sub } = verified.claims;
    const [session, account] = await Promise.all([sessions.byId(scope, sid), accounts.byId(scope, sub)]);
    const now = clock.now();
    if (!session || session.accountId !== sub || !isLive(session, now) || !account || account.disabledAt !== null)
      throw unauthorizedFor('session_expired');
    // A guest has nothing to sign in with again.
    if (fresh && !account.isAnonymous && now.getTime() - session.authTime.getTime() > FRESH_MS)
      throw forbiddenFor('reauth_required');
    if (aal2 && account.mfaEnabledAt !== null && session.aal !== 'aal2')
      throw forbiddenFor('reauth_required', { aal: 'aal2' });
    if (!beforeEnrollment && mustEnroll(account, session, await settings.load(scope)))
      throw forbiddenFor('mfa_enrollment_required');
    if (anonymous === 'only' && !account.isAnonymous) throw forbiddenFor('not_anonymous');
    if (anonymous === 'refused' && account.isAnonymous) throw forbiddenFor('anonymous');
    return { account, session };
  };
