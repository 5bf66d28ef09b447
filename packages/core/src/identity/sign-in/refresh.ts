import { conflict } from '../../foundation/errors.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { AccountRow } from '../accounts/account.ts';
import type { AuthContext } from '../flow/context.ts';
import type { Finish } from '../flow/finish.ts';
import { parseBody } from '../flow/input.ts';
import { hashSecret, isSecret } from '../one-time/secrets.ts';
import { decideRefresh } from '../sessions/refresh-rules.ts';
import type { NewSession } from '../sessions/sessions.ts';
import type { TokenSet } from '../shapes/answers.generated.ts';
import { refreshBody } from '../shapes/bodies.ts';
import { unauthorizedFor } from '../shapes/errors.ts';

type Outcome =
  | { readonly ok: true; readonly rotated: NewSession; readonly account: AccountRow }
  | { readonly ok: false; readonly error: Error };

/**
 * Exchanges a refresh token for new tokens. A token works once; for ten seconds it also gives siblings, since its answer
 * may be lost and several tabs may send it at once. Any later use ends the session.
 *
 * Throws UNAUTHORIZED `refresh_invalid`, `session_expired` or `refresh_reused`, CONFLICT `refresh_in_progress`.
 */
export const refreshSession =
  (context: AuthContext, finish: Finish) =>
  async (scope: Scope, body: unknown): Promise<TokenSet> => {
    const input = parseBody(refreshBody, body);
    context.tokens.requireIssuer();
    const { accounts, sessions, tokens } = context;
    if (!isSecret('refresh', input.refreshToken)) throw unauthorizedFor('refresh_invalid');
    const hash = hashSecret(input.refreshToken);
    const settings = await context.settings.load(scope);
    const { scopeId } = scope;

    const load = async () => {
      const token = await sessions.tokenOf(scope, hash);
      const session = token ? await sessions.byId(scope, token.sessionId) : null;
      const account = session ? await accounts.byId(scope, session.accountId) : null;
      if (!token || !session || !account) return null;
      const hasUsedChild = token.state === 'used' && (await sessions.hasUsedChild(scope, token));
      return { token, session, account, hasUsedChild };
    };

    const outcome = await context.commit<Outcome>(scope, async (now) => {
      const stored = await load();
      const device = tokens.readDevice(scope, input.deviceToken);
      const decision = decideRefresh({
        scopeId,
        stored: stored && {
          token: {
            ...{ scopeId, state: stored.token.state, usedAtMs: stored.token.usedAt?.getTime() ?? null },
            // A token lives as long as its session.
            expiresAtMs: stored.session.absoluteExpiresAt.getTime(),
            ...{ siblings: stored.token.siblings, hasUsedChild: stored.hasUsedChild },
          },
          session: {
            revokedAtMs: stored.session.revokedAt?.getTime() ?? null,
            idleExpiresAtMs: stored.session.idleExpiresAt.getTime(),
            absoluteExpiresAtMs: stored.session.absoluteExpiresAt.getTime(),
          },
          user: { isDisabled: stored.account.disabledAt !== null, isScimInactive: false },
        },
        hasDeviceToken:
          stored !== null && device?.userId === stored.account.id && device.deviceId === stored.session.deviceId,
        nowMs: now.getTime(),
      });
      if (stored === null || decision.action === 'refuse') {
        const reason = decision.action === 'refuse' ? decision.reason : 'refresh_invalid';
        return { change: {}, result: { ok: false, error: unauthorizedFor(reason) } };
      }
      const { token, session, account } = stored;
      if (decision.action === 'conflict')
        return { change: {}, result: { ok: false, error: conflict('refresh_in_progress') } };
      if (decision.action === 'expire' || decision.action === 'revoke') {
        const isReuse = decision.action === 'revoke';
        const reason = isReuse ? 'refresh_reuse' : decision.limit;
        const { writes, events } = sessions.revoke(scope, session, account.userId, reason, now);
        const error = unauthorizedFor(isReuse ? 'refresh_reused' : 'session_expired');
        return { change: { writes, events }, result: { ok: false, error } };
      }
      const isSibling = decision.action === 'sibling';
      const rotated = sessions.rotate(scope, { session, token, isSibling, idleDays: settings.session.idleDays }, now);
      return { change: { writes: rotated.writes }, result: { ok: true, rotated, account } };
    });
    if (!outcome.ok) throw outcome.error;
    return finish.tokens(scope, outcome.account, outcome.rotated, settings);
  };
