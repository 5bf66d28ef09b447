import type { Scope } from '../../foundation/scope.ts';
import type { ClientInfo } from '../audit/client.ts';
import type { AuthContext } from './context.ts';

/** Actor of a call that nobody has signed in for. */
export const NOBODY = 'anonymous';

/**
 * Records a sign-in that failed. One statement, the same for known and unknown accounts; the address is never stored.
 * Throws errors of the database.
 */
export const recordFailedSignIn = (
  { commit, audit }: Pick<AuthContext, 'commit' | 'audit'>,
  scope: Scope,
  {
    method,
    accountId,
    reason,
    client,
  }: {
    readonly method: string;
    /** Null: there is no account. */
    readonly accountId: string | null;
    readonly reason: string;
    readonly client: ClientInfo;
  },
): Promise<null> =>
  commit(scope, async (now) => {
    const entry = { actor: NOBODY, action: 'sign_in', target: accountId, result: reason, client, detail: { method } };
    return { change: { writes: [audit.record(scope, entry, now)] }, result: null };
  });
