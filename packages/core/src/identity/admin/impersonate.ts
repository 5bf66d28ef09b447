import { conflict, notFound } from '../../foundation/errors.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { ClientInfo } from '../audit/client.ts';
import type { AuthContext } from '../flow/context.ts';
import { parseBody } from '../flow/input.ts';
import type { Impersonation } from '../shapes/answers.generated.ts';
import { impersonateBody } from '../shapes/bodies.ts';
import { userOf } from '../shapes/user.ts';

/** Life of an access token of an impersonation, in seconds. Source: auth.md, Administration. */
const LIFE_SECONDS = 900;

/**
 * Issues an access token with which an administrator acts as a user. The session has no refresh token, is never fresh, and
 * raises no event; the audit log has who acted and why.
 *
 * Throws VALIDATION_ERROR without a reason, NOT_FOUND, CONFLICT `user_disabled`, PROVIDER_NOT_CONFIGURED without
 * `publicUrl`.
 */
export const impersonate =
  (context: AuthContext) =>
  async (scope: Scope, id: string, body: unknown, actor: string, client: ClientInfo): Promise<Impersonation> => {
    const { reason } = parseBody(impersonateBody, body);
    context.tokens.requireIssuer();
    const { accounts, sessions, audit } = context;
    const { token } = await context.settings.load(scope);
    const { account, session } = await context.commit(scope, async (now) => {
      const current = await accounts.byId(scope, id);
      if (!current) throw notFound('user with this id', scope);
      if (current.disabledAt !== null) throw conflict('user_disabled');
      const acting = sessions.createActing(
        scope,
        { account: current, actor, client, lifeMs: LIFE_SECONDS * 1_000 },
        now,
      );
      const detail = { reason, sessionId: acting.session.id };
      const entry = { actor, action: 'user.impersonate', target: id, result: 'ok', client, detail };
      return {
        change: { writes: [accounts.unchanged(current), ...acting.writes, audit.record(scope, entry, now)] },
        result: { account: current, session: acting.session },
      };
    });
    const accessToken = await context.tokens.accessToken(scope, {
      ...{ account, session, alg: token.alg, ttlSeconds: LIFE_SECONDS },
    });
    return {
      ...{ accessToken, tokenType: 'Bearer', expiresIn: LIFE_SECONDS, expiresAt: session.absoluteExpiresAt },
      ...{ sessionId: session.id, user: userOf(account) },
    };
  };
