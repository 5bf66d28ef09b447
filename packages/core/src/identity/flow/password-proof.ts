import type { Scope } from '../../foundation/scope.ts';
import type { AccountRow, PasswordRow } from '../accounts/account.ts';
import { accountEmailOf } from '../accounts/email-norm.ts';
import type { ClientInfo } from '../audit/client.ts';
import type { ImportedHash } from '../hash-configs/hash-configs.ts';
import type { HashCaller } from '../passwords/queue.ts';
import { unauthorizedFor } from '../shapes/errors.ts';
import type { AuthContext } from './context.ts';

/** The caller of a hash. Its task leaves the queue when the client disconnects. Throws nothing. */
export const callerOf = ({ signal }: Pick<ClientInfo, 'signal'>): Pick<HashCaller, 'signal'> =>
  signal === undefined ? {} : { signal };

/** An account whose password was right. */
export type ProvenPassword = {
  readonly account: AccountRow;
  readonly stored: PasswordRow;
  /** True: the hash is not what is made today. */
  readonly needsRehash: boolean;
};

/** Compares a password with the stored hash of a known account. Throws OVERLOADED. */
export const isPasswordOf = async (
  { hasher, hashConfigs }: Pick<AuthContext, 'hasher' | 'hashConfigs'>,
  scope: Scope,
  stored: ImportedHash,
  password: string,
): Promise<boolean> => {
  const ticket = hasher.admit({ owner: scope.projectKey });
  try {
    const { verifiable, standIns } = await hashConfigs.load(scope);
    const compared = { owner: scope.projectKey, ticket, standIns };
    return (await hasher.verify(verifiable(stored), password, compared)).isRight;
  } finally {
    ticket.release();
  }
};

/**
 * Checks address and password, and calls `next` with the account. The password hash has one permit of the hash queue.
 * `onRefused` gets the account of a refused sign-in; null: the address has none.
 * Unknown addresses, wrong passwords, accounts without a password and disabled ones are answered alike, after the same work.
 *
 * Throws UNAUTHORIZED `invalid_credentials`, OVERLOADED.
 */
export const passwordProof =
  ({ accounts, hasher, hashConfigs }: Pick<AuthContext, 'accounts' | 'hasher' | 'hashConfigs'>) =>
  async <T>(
    scope: Scope,
    { email, password }: { readonly email: string; readonly password: string },
    caller: Omit<HashCaller, 'owner'>,
    next: (proven: ProvenPassword) => Promise<T>,
    onRefused: (account: AccountRow | null) => Promise<unknown> = async () => null,
  ): Promise<T> => {
    // A text that is no address has no account; the work is the same.
    const emailNorm = accountEmailOf(email)?.emailNorm ?? '';
    const owned = { ...caller, owner: scope.projectKey };
    const ticket = hasher.admit(owned);
    try {
      // Before the look-up, so that the work is the same whether the account exists or not.
      const { verifiable, standIns } = await hashConfigs.load(scope);
      const account = await accounts.byEmail(scope, emailNorm);
      const stored = await accounts.passwordOf(scope, account?.id ?? null);
      const { isRight, needsRehash } = await hasher.verify(verifiable(stored), password, {
        ...owned,
        ticket,
        standIns,
      });
      if (!account || !stored || !isRight || account.disabledAt !== null) {
        await onRefused(account);
        throw unauthorizedFor('invalid_credentials');
      }
      return await next({ account, stored, needsRehash });
    } finally {
      ticket.release();
    }
  };
