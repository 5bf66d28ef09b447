// How modules take part in imports and exports of users: each reads and writes its own fields of a row.

import type { Write } from '../../database/commit/write-set.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { AccountRow } from '../accounts/account.ts';
import type { HashConfig } from '../passwords/formats/parsed.ts';
import type { ImportOptions, ImportRow } from './bodies.ts';

/** Why a row is not imported. */
export const IMPORT_PROBLEMS = [
  'invalid',
  'account_exists',
  'identity_exists',
  'unsupported_hash',
  'hash_over_cap',
  'passkey_exists',
] as const;
export type ImportProblem = {
  readonly reason: (typeof IMPORT_PROBLEMS)[number];
  /** A sentence without values of the row. */
  readonly message: string;
};

/** Fields of a row that the account does not have. */
export type ContributedField = 'passwordHash' | 'identities' | 'totpSecret' | 'passkeys';

/** What applies to all rows of a call. */
export type ImportCall = { readonly hashConfig: HashConfig | undefined; readonly options: ImportOptions };

/** A row whose account is about to be written. */
export type ImportEntry<Value> = {
  /** The account as it will be. */
  readonly account: AccountRow;
  readonly value: Value;
  /** True: the account has no credentials. It is new, or this commit removes those of a stranger. */
  readonly isNew: boolean;
};

/**
 * A module's part of an import. Its writes are in the commit of the account.
 *
 * `Value` is what it makes of the field. Functions are methods, so that contributors of different values fit one list: each
 * receives only values that its own `parse` returned.
 */
export type ImportContributor<Value = unknown> = {
  readonly field: ContributedField;
  /** Reads its field; null: the row has none. Throws nothing. `algorithm`: shown in the result of the row. */
  parse(
    row: ImportRow,
    call: ImportCall,
  ): { readonly value: Value; readonly algorithm?: string } | { readonly problem: ImportProblem } | null;
  /** Runs before a commit, at most once per 100 rows, for what must be stored first. */
  prepare?(scope: Scope, values: readonly Value[]): Promise<void>;
  /**
   * The writes of up to 100 rows, in their order; a problem: the row is not imported. Runs again if a guard of the commit
   * failed. Use one look-up for all entries.
   */
  writes(
    scope: Scope,
    entries: readonly ImportEntry<Value>[],
    call: ImportCall,
    now: Date,
  ): Promise<readonly (readonly Write[] | ImportProblem)[]>;
};

/** A module's part of an export: the values of its field by account id. Accounts without one are omitted. */
export type ExportContributor = {
  readonly field: ContributedField;
  load(scope: Scope, accountIds: readonly string[]): Promise<ReadonlyMap<string, unknown>>;
};

/** The modules of an import. A field without one would be lost in silence: a way to sign in, or a second factor. */
export type ImportContributors = { readonly [Field in ContributedField]: ImportContributor };
