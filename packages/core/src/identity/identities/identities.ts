// Identities of users at providers. An account is found by provider, issuer and subject, never by an address that the
// provider has not verified.

import { type Write, write } from '../../database/commit/write-set.ts';
import { type InScope, type Scope, scopeOf } from '../../foundation/scope.ts';
import type { Platform } from '../../platform/platform.ts';
import { identityStatements } from './statements.ts';
import { type IdentityStore, identityStore } from './store.ts';
import type { IdentityTables } from './tables.ts';

export type IdentitiesPlatform = Platform<IdentityTables>;
export type IdentityRow = IdentityTables['authIdentities']['$inferSelect'];

/** A user at a provider, as the provider states it. */
export type ExternalIdentity = {
  readonly provider: string;
  /** Connection of an organization's own provider; null: a social provider. */
  readonly connectionId: string | null;
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly name: string | null;
  readonly raw: Readonly<Record<string, unknown>>;
};

export type Identities = IdentityStore & {
  /** Null: no account has this identity. */
  bySubject(
    scope: InScope,
    identity: Pick<ExternalIdentity, 'provider' | 'issuer' | 'subject'>,
  ): Promise<IdentityRow | null>;
  /** Those of these identities that accounts have, with one look-up. */
  bySubjects(
    scope: InScope,
    identities: readonly Pick<ExternalIdentity, 'provider' | 'issuer' | 'subject'>[],
  ): Promise<readonly IdentityRow[]>;
  /** Of several accounts, with one look-up; oldest first. */
  ofAccounts(scope: InScope, accountIds: readonly string[]): Promise<readonly IdentityRow[]>;
  /** Oldest first. */
  ofAccount(scope: InScope, accountId: string): Promise<readonly IdentityRow[]>;
  /** A new row and its write, which fails if an account has the identity already. */
  link(
    scope: Scope,
    accountId: string,
    identity: ExternalIdentity,
    now: Date,
  ): { readonly row: IdentityRow; readonly write: Write };
  unlink(row: Pick<IdentityRow, 'scopeId' | 'id'>): Write;
  /** A write that removes all identities of an account. */
  unlinkAll(account: { readonly scopeId: number; readonly id: string }): Write;
};

const GUARD = 'identity';

export const identitiesEngine = ({ storage, tables, ids }: IdentitiesPlatform): Identities => {
  const hot = identityStatements(tables);
  const ofAccounts: Identities['ofAccounts'] = async ({ scopeId }, accountIds) => {
    if (accountIds.length === 0) return [];
    const rows = await storage.select(
      hot.ofAccount,
      accountIds.map((accountId) => [scopeId, accountId]),
    );
    return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  };
  return {
    ...identityStore({ db: storage.db, tables }),
    bySubject: async ({ scopeId }, { provider, issuer, subject }) =>
      (await storage.select(hot.bySubject, [[scopeId, provider, issuer, subject]]))[0] ?? null,
    bySubjects: async ({ scopeId }, identities) =>
      identities.length === 0
        ? []
        : storage.select(
            hot.bySubject,
            identities.map(({ provider, issuer, subject }) => [scopeId, provider, issuer, subject]),
          ),
    ofAccounts,
    ofAccount: (scope, accountId) => ofAccounts(scope, [accountId]),
    link: (scope, accountId, { provider, connectionId, issuer, subject, email, emailVerified, raw }, now) => {
      const row: IdentityRow = {
        ...scopeOf(scope),
        ...{ id: ids.next(), accountId, provider, connectionId, issuer, subject, email, emailVerified, raw },
        linkedAt: now,
      };
      return { row, write: write(hot.insert, row, GUARD) };
    },
    unlink: (row) => write(hot.remove, { ...scopeOf(row), id: row.id }),
    unlinkAll: (account) => write(hot.removeOfAccount, { ...scopeOf(account), accountId: account.id }),
  };
};
