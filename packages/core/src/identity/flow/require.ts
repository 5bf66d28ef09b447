import { notFound } from '../../foundation/errors.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { AccountRow } from '../accounts/account.ts';
import type { SessionRow } from '../sessions/session.ts';
import { isLive } from '../sessions/sessions.ts';
import { unauthorizedFor } from '../shapes/errors.ts';
import type { AuthContext } from './context.ts';

/** The account with this id. Throws NOT_FOUND. */
export const requireAccount = async (
  { accounts }: Pick<AuthContext, 'accounts'>,
  scope: Scope,
  id: string,
): Promise<AccountRow> => {
  const account = await accounts.byId(scope, id);
  if (!account) throw notFound('user with this id', scope);
  return account;
};

/** The account of a signed-in user as it is now. Throws UNAUTHORIZED `session_expired` if it is gone or disabled. */
export const requireEnabled = async (
  { accounts }: Pick<AuthContext, 'accounts'>,
  scope: Scope,
  { id }: Pick<AccountRow, 'id'>,
): Promise<AccountRow> => {
  const account = await accounts.byId(scope, id);
  if (!account || account.disabledAt !== null) throw unauthorizedFor('session_expired');
  return account;
};

/** The session of a signed-in user as it is now. Throws UNAUTHORIZED `session_expired` if it has ended. */
export const requireLive = async (
  { sessions }: Pick<AuthContext, 'sessions'>,
  scope: Scope,
  { id }: Pick<SessionRow, 'id'>,
  now: Date,
): Promise<SessionRow> => {
  const session = await sessions.byId(scope, id);
  if (!session || !isLive(session, now)) throw unauthorizedFor('session_expired');
  return session;
};
