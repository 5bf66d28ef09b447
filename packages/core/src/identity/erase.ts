import { userIdOf } from '../foundation/person.ts';
import { type ErasedPerson, type Eraser, SLICE, sliced } from '../platform/erasure/eraser.ts';
import type { Trace } from '../platform/erasure/erasure.ts';
import type { Accounts } from './accounts/accounts.ts';
import { accountEmailOf } from './accounts/email-norm.ts';
import type { AuthContext } from './flow/context.ts';
import { noticeKeyOf } from './mail/budget.ts';
import type { Scim } from './scim/scim.ts';

/**
 * Erases accounts with their sessions, passkeys, secrets, counts of emails and audit entries. The account comes last: it leads to the
 * others.
 */
export const accountEraser = ({
  accounts,
  sessions,
  oneTime,
  identities,
  audit,
  budget,
  mfa,
  passkeys,
  scim,
}: Pick<AuthContext, 'accounts' | 'sessions' | 'oneTime' | 'identities' | 'audit' | 'budget' | 'mfa' | 'passkeys'> & {
  readonly scim: Pick<Scim, 'erase'>;
}): Eraser =>
  sliced('accounts', async ({ scope, userId, addresses }: ErasedPerson) => {
    const found = await accounts.ofUsers(scope, [userId]);
    const ids = found.map(({ id }) => id);
    const texts = [...addresses, ...found.map(({ emailNorm }) => emailNorm)];
    const emails = [...new Set(texts.flatMap((address) => accountEmailOf(address)?.emailNorm ?? []))];
    const secrets = await oneTime.erase(scope, ids, emails);
    // Secrets also went to addresses that the account was about to change to.
    const mailboxes = [...[...new Set([...emails, ...secrets])].flatMap(budget.mailboxesOf), ...ids.map(noticeKeyOf)];
    const dependent =
      secrets.length +
      (await sessions.erase(scope, ids, SLICE)) +
      (await identities.erase(scope, ids)) +
      (await budget.erase(scope, mailboxes)) +
      (await mfa.erase(scope, ids)) +
      (await passkeys.erase(scope, ids)) +
      (await scim.erase(scope, ids)) +
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
