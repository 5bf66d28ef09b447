import type { Scope } from '../../foundation/scope.ts';
import type { AuditEntry } from '../audit/audit.ts';
import type { AuthContext } from './context.ts';

/** Records an action in a commit of its own, after an action that has no commit of sign-in. */
export const recordAction = async (
  { audit, commit }: Pick<AuthContext, 'audit' | 'commit'>,
  scope: Scope,
  entry: AuditEntry,
): Promise<void> => {
  await commit(scope, async (now) => ({ change: { writes: [audit.record(scope, entry, now)] }, result: null }));
};
