import { type Write, write } from '../../database/commit/write-set.ts';
import { type InScope, type Scope, scopeOf } from '../../foundation/scope.ts';
import type { AccountProfile } from '../../people/profiles/account-profile.ts';
import type { Platform } from '../../platform/platform.ts';
import type { AuthEvent } from '../commit/commit.ts';
import { type AccountRow, isVerified, type PasswordRow } from './account.ts';
import type { AccountEmail } from './email-norm.ts';
import type { AccountSource } from './sources.ts';
import { accountStatements } from './statements.ts';
import { type AccountStore, accountStore } from './store.ts';
import type { AccountTables } from './tables.ts';

export type AccountsPlatform = Platform<AccountTables>;

/** Names of the profile's traits that follow the account; null: none. */
type TraitNames = { readonly profileTraits: { readonly name: string | null } };

/** Fields of an account that a request may set. */
export type AccountFields = {
  readonly email?: AccountEmail | null | undefined;
  readonly isEmailVerified?: boolean | undefined;
  readonly externalId?: string | null | undefined;
  readonly phone?: string | null | undefined;
  readonly name?: string | null | undefined;
  readonly locale?: string | null | undefined;
  readonly timezone?: string | null | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
};

/** An account that becomes usable: its event, and what its profile gets. */
export type Usable = { readonly profile: AccountProfile; readonly events: readonly AuthEvent[] };

export type Accounts = AccountStore & {
  byEmail(scope: InScope, emailNorm: string): Promise<AccountRow | null>;
  byId(scope: InScope, id: string): Promise<AccountRow | null>;
  byUserId(scope: InScope, userId: string): Promise<AccountRow | null>;
  /** Null: the account has none. For an unknown account the same statement runs. */
  passwordOf(scope: InScope, accountId: string | null): Promise<PasswordRow | null>;
  /** Accounts with one of these ids, addresses or userIds. One look-up each for all of them. */
  allOf(
    scope: InScope,
    keys: {
      readonly ids: readonly string[];
      readonly emailNorms: readonly string[];
      readonly userIds: readonly string[];
    },
  ): Promise<readonly AccountRow[]>;
  passwordsOf(scope: InScope, accountIds: readonly string[]): Promise<readonly PasswordRow[]>;
  /** A new row, not yet written. */
  draft(scope: Scope, fields: AccountFields, source: AccountSource, now: Date): AccountRow;
  insert(row: AccountRow): Write;
  /** As `insert`, for an account that may lack an address. Throws a violation of uniqueness where `insert` is guarded. */
  insertImported(row: AccountRow): Write;
  /** The row with changes, and its write, guarded by the version that was read. */
  change(row: AccountRow, changes: Partial<AccountRow>, now: Date): { readonly row: AccountRow; readonly write: Write };
  /** `hashConfigId`: for an imported hash. */
  setPassword(
    row: AccountRow,
    hash: string,
    codeChallenge: string | null,
    now: Date,
    hashConfigId?: string | null,
  ): Write;
  deletePassword(row: Pick<AccountRow, 'scopeId' | 'id'>): Write;
  /** Improves a hash, unless the password has changed. */
  rehash(row: Pick<AccountRow, 'scopeId' | 'id'>, from: string, to: string): Write;
  /** Guards that an account is as it was read and may sign in, and notes the sign-in. */
  signIn(row: AccountRow, now: Date): Write;
  /** Guards that an account is as it was read. */
  unchanged(row: AccountRow): Write;
  /** Deletes an account and its password, guarded by the version that was read. */
  remove(row: AccountRow): readonly Write[];
  /** What follows when an account can be used for the first time. */
  usable(row: AccountRow, settings: TraitNames, extra?: Readonly<Record<string, unknown>>): Usable;
  /** What the profile of an account is. */
  profileOf(row: AccountRow, settings: TraitNames): AccountProfile;
};

const GUARD = 'account';
/** Id of no account, so that look-ups for unknown addresses do the same work. */
const NOBODY = '00000000-0000-7000-8000-000000000000';

export const accountsEngine = ({ storage, tables, ids }: AccountsPlatform): Accounts => {
  const hot = accountStatements(tables);
  const keyOf = ({ id, ...row }: Pick<AccountRow, 'scopeId' | 'id'>) => ({ ...scopeOf(row), id });
  const passwordKey = ({ id, ...row }: Pick<AccountRow, 'scopeId' | 'id'>) => ({ ...scopeOf(row), accountId: id });
  const unchanged: Accounts['unchanged'] = (row) =>
    write(hot.unchanged, { ...keyOf(row), version: row.version, count: 1 }, GUARD);
  const profileOf: Accounts['profileOf'] = (row, { profileTraits }) => ({
    userId: row.userId,
    email: isVerified(row) ? row.email : null,
    phone: null,
    traits: profileTraits.name !== null && row.name !== null ? { [profileTraits.name]: row.name } : {},
  });
  return {
    ...accountStore({ db: storage.db, tables }),
    byEmail: async ({ scopeId }, emailNorm) => (await storage.select(hot.byEmail, [[scopeId, emailNorm]]))[0] ?? null,
    byId: async ({ scopeId }, id) => (await storage.select(hot.byId, [[scopeId, id]]))[0] ?? null,
    byUserId: async ({ scopeId }, userId) => (await storage.select(hot.byUserId, [[scopeId, userId]]))[0] ?? null,
    passwordOf: async ({ scopeId }, accountId) =>
      (await storage.select(hot.password, [[scopeId, accountId ?? NOBODY]]))[0] ?? null,
    allOf: async ({ scopeId }, { ids: accountIds, emailNorms, userIds }) => {
      const keyed = (values: readonly string[]) => values.map((value) => [scopeId, value]);
      const found = await Promise.all([
        accountIds.length === 0 ? [] : storage.select(hot.byId, keyed(accountIds)),
        emailNorms.length === 0 ? [] : storage.select(hot.byEmail, keyed(emailNorms)),
        userIds.length === 0 ? [] : storage.select(hot.byUserId, keyed(userIds)),
      ]);
      return [...new Map(found.flat().map((row) => [row.id, row])).values()];
    },
    passwordsOf: async ({ scopeId }, accountIds) =>
      accountIds.length === 0
        ? []
        : storage.select(
            hot.password,
            accountIds.map((id) => [scopeId, id]),
          ),
    draft: (scope, fields, source, now) => {
      const id = ids.next();
      const { email = null, externalId = null, isEmailVerified = false, metadata = {} } = fields;
      return {
        ...scopeOf(scope),
        ...{ id, userId: externalId ?? id, externalId, source, metadata, createdAt: now, updatedAt: now, version: 1 },
        ...{ email: email?.email ?? null, emailNorm: email?.emailNorm ?? null },
        emailVerifiedAt: email && isEmailVerified ? now : null,
        ...{ phone: fields.phone ?? null, name: fields.name ?? null, locale: fields.locale ?? null },
        ...{
          timezone: fields.timezone ?? null,
          isAnonymous: false,
          usableAt: null,
          disabledAt: null,
          deactivatedBy: null,
          mfaEnabledAt: null,
          lastSignInAt: null,
        },
      };
    },
    insert: (row) => write(hot.insert, row, GUARD),
    insertImported: (row) => write(hot.importUser, row, GUARD),
    change: (row, changes, now) => {
      const next = { ...row, ...changes, updatedAt: now };
      return {
        row: { ...next, version: row.version + 1 },
        write: write(hot.change, { ...next, version: row.version }, GUARD),
      };
    },
    setPassword: (row, hash, codeChallenge, now, hashConfigId = null) =>
      write(hot.putPassword, { ...passwordKey(row), hash, hashConfigId, codeChallenge, updatedAt: now }),
    deletePassword: (row) => write(hot.deletePassword, passwordKey(row)),
    rehash: (row, from, to) => write(hot.rehash, { ...passwordKey(row), hash: from, newHash: to }),
    signIn: (row, now) => write(hot.signIn, { ...keyOf(row), version: row.version, lastSignInAt: now }, GUARD),
    unchanged,
    remove: (row) => [unchanged(row), write(hot.remove, keyOf(row)), write(hot.deletePassword, passwordKey(row))],
    profileOf,
    usable: (row, settings, extra = {}) => ({
      profile: profileOf(row, settings),
      events: [
        {
          ...{ name: 'user.signed_up', userId: row.userId, subject: row.id },
          properties: { userId: row.userId, source: row.source, ...extra },
        },
      ],
    }),
  };
};
