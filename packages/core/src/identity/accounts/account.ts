import type { InScope } from '../../foundation/scope.ts';
import type { AccountSource } from './sources.ts';

/** A stored account. */
export type AccountRow = InScope & {
  readonly id: string;
  /** userId of the profile. */
  readonly userId: string;
  readonly externalId: string | null;
  /** As the user wrote it; null for a guest. */
  readonly email: string | null;
  /** As addresses are compared. */
  readonly emailNorm: string | null;
  readonly emailVerifiedAt: Date | null;
  readonly phone: string | null;
  readonly name: string | null;
  readonly locale: string | null;
  readonly timezone: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly isAnonymous: boolean;
  /** When `user.signed_up` was raised; null: not yet. */
  readonly usableAt: Date | null;
  readonly disabledAt: Date | null;
  /** SCIM directory that disabled the account, and may enable it again; null: none, or an operator decided. */
  readonly deactivatedBy: string | null;
  /** When the first second factor was confirmed; null: the user has none. */
  readonly mfaEnabledAt: Date | null;
  readonly source: AccountSource;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly lastSignInAt: Date | null;
  readonly version: number;
};

/** A stored password. */
export type PasswordRow = InScope & {
  readonly accountId: string;
  readonly hash: string;
  /** Parameters of an imported hash that are stored apart, such as a signer key; null: none. */
  readonly hashConfigId: string | null;
  readonly codeChallenge: string | null;
  readonly updatedAt: Date;
};

/** True for an account whose address the user has proven to own. */
export const isVerified = ({ emailVerifiedAt }: Pick<AccountRow, 'emailVerifiedAt'>): boolean =>
  emailVerifiedAt !== null;

/** A page by id. `after`: the last id of the page before; null: the first page. */
export type AccountPage = { readonly after: string | null; readonly limit: number };
