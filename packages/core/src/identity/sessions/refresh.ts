import { type Write, write } from '../../database/commit/write-set.ts';
import { conflict } from '../../foundation/errors.ts';
import { type Scope, scopeOf } from '../../foundation/scope.ts';
import type { TokenSet } from '../answers.generated.ts';
import type { AuthContext } from '../context.ts';
import { unauthorizedFor } from '../errors.ts';
import type { Finish } from '../finish/finish.ts';
import { hashSecret, isSecret } from '../one-time/secrets.ts';
import { refreshBody } from '../schema.ts';
import { parseBody } from '../sign-in/input.ts';
import { decideRefresh, idleExpiryOf } from './refresh-rules.ts';
import type { RefreshTokenRow, SessionRow } from './session.ts';
import type { SessionStatements } from './statements.ts';

const GUARD = 'refresh';

type Outcome =
  | { readonly ok: true; readonly session: SessionRow; readonly refreshToken: string }
  | { readonly ok: false; readonly error: Error };

/**
 * Exchanges a refresh token for new tokens. A token works once; for ten seconds it also gives siblings, since its answer
 * may be lost and several tabs may send it at once. Any later use ends the session.
 *
 * Throws UNAUTHORIZED `refresh_invalid`, `session_expired` or `refresh_reused`, CONFLICT `refresh_in_progress`.
 */
export const refreshSession =
  (context: AuthContext, hot: SessionStatements, finish: Finish) =>
  async (scope: Scope, body: unknown): Promise<TokenSet> => {
    const input = parseBody(refreshBody, body);
    context.tokens.requireIssuer();
    const { accounts, sessions, storage, tokens } = context;
    if (!isSecret('refresh', input.refreshToken)) throw unauthorizedFor('refresh_invalid');
    const hash = hashSecret(input.refreshToken);
    const settings = await context.settings.load(scope);
    const { scopeId } = scope;

    const load = async () => {
      const [token] = await storage.select(hot.token, [[scopeId, hash]]);
      const session = token ? await sessions.byId(scope, token.sessionId) : null;
      const account = session ? await accounts.byId(scope, session.accountId) : null;
      if (!token || !session || !account) return null;
      const children =
        token.state === 'used' ? await storage.select(hot.childrenOf, [[scopeId, session.id, token.id]]) : [];
      return { token, session, account, hasUsedChild: children.some(({ state }) => state === 'used') };
    };

    const rotated = (session: SessionRow, token: RefreshTokenRow, isSibling: boolean, now: Date) => {
      const child = sessions.child(scope, token, now);
      const absoluteExpiresAtMs = session.absoluteExpiresAt.getTime();
      const idle = { nowMs: now.getTime(), idleDays: settings.session.idleDays, absoluteExpiresAtMs };
      const next = { ...session, lastSeenAt: now, idleExpiresAt: new Date(idleExpiryOf(idle)) };
      const key = { ...scopeOf(scope), hash };
      const use: Write = isSibling
        ? write(hot.addSibling, { ...key, siblings: token.siblings }, GUARD)
        : write(hot.useToken, { ...key, state: 'used', usedAt: now }, GUARD);
      const touch = { ...scopeOf(scope), id: session.id, lastSeenAt: now, idleExpiresAt: next.idleExpiresAt };
      return { next, refreshToken: child.refreshToken, writes: [write(hot.touch, touch, GUARD), use, child.write] };
    };

    const outcome = await context.commit<Outcome & { readonly account?: Parameters<Finish['answer']>[1] }>(
      scope,
      async (now) => {
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
        const { next, refreshToken, writes } = rotated(session, token, decision.action === 'sibling', now);
        return { change: { writes }, result: { ok: true, session: next, refreshToken, account } };
      },
    );
    if (!outcome.ok) throw outcome.error;
    if (!outcome.account) throw unauthorizedFor('refresh_invalid');
    return finish.answer(
      scope,
      outcome.account,
      { session: outcome.session, refreshToken: outcome.refreshToken, writes: [] },
      settings,
    );
  };
