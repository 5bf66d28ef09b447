import { userIdOf } from '../foundation/person.ts';
import { type ErasedPerson, type Eraser, SLICE, sliced } from '../platform/erasure/eraser.ts';
import type { Trace } from '../platform/erasure/erasure.ts';
import type { Accounts } from './accounts/accounts.ts';
import type { accountStore } from './accounts/store.ts';
import type { auditStore } from './audit/store.ts';
import type { oneTimeStore } from './one-time/store.ts';
import type { sessionStore } from './sessions/store.ts';

export type IdentityStores = {
  readonly accounts: ReturnType<typeof accountStore>;
  readonly sessions: ReturnType<typeof sessionStore>;
  readonly oneTime: ReturnType<typeof oneTimeStore>;
  readonly audit: ReturnType<typeof auditStore>;
};

/** Erases accounts with their sessions, secrets and audit entries. The account comes last: it leads to the others. */
export const accountEraser = ({ accounts, sessions, oneTime, audit }: IdentityStores): Eraser =>
  sliced('accounts', async ({ scope, userId, addresses }: ErasedPerson) => {
    const ids = await accounts.ofUsers(scope, [userId]);
    const emails = addresses.map((address) => address.toLowerCase());
    const dependent =
      (await sessions.erase(scope, ids, SLICE)) +
      (await oneTime.erase(scope, ids, emails)) +
      (await audit.erase(scope, ids, SLICE));
    return dependent > 0 ? dependent : accounts.erase(scope, ids);
  });

/** A user is known if there is an account. */
export const accountTrace =
  ({ byUserId }: Pick<Accounts, 'byUserId'>): Trace =>
  async (scope, person) => {
    const userId = userIdOf(person);
    return userId !== null && (await byUserId(scope, userId)) !== null;
  };
