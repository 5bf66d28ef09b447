import type { Write } from '../../database/commit/write-set.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { AuthContext } from './context.ts';
import type { Proof } from './finish.ts';

/** Actor of a call that nobody has signed in for. */
const NOBODY = 'anonymous';

/** A sign-in that failed. The address is never stored. */
type FailedSignIn = Pick<Proof, 'method' | 'client'> & {
  /** Null: there is no account, or the attempt does not name one. */
  readonly accountId: string | null;
  /** Reason of the answer, such as `invalid_credentials`. */
  readonly reason: string;
};

/** The audit entry of a failed sign-in: one statement, the same for known and unknown accounts. Throws nothing. */
export const failedSignIn = (
  { audit }: Pick<AuthContext, 'audit'>,
  scope: Scope,
  { method, accountId, reason, client }: FailedSignIn,
  now: Date,
): Write => {
  const entry = { actor: NOBODY, action: 'sign_in', target: accountId, result: reason, client, detail: { method } };
  return audit.record(scope, entry, now);
};

/** Records a failed sign-in in a commit of its own. Throws errors of the database. */
export const recordFailedSignIn = (
  context: Pick<AuthContext, 'audit' | 'commit'>,
  scope: Scope,
  failed: FailedSignIn,
): Promise<null> =>
  context.commit(scope, async (now) => ({
    change: { writes: [failedSignIn(context, scope, failed, now)] },
    result: null,
  }));
