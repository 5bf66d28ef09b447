// Passkeys of accounts as rows. The ceremonies are in ceremony.ts; challenges are one-time rows.

import { type Write, write } from '../../database/commit/write-set.ts';
import type { BulkSelect } from '../../database/statements/bulk.ts';
import { type InScope, scopeOf } from '../../foundation/scope.ts';
import type { Platform } from '../../platform/platform.ts';
import { base64url, bytesOfBase64url } from './bytes.ts';
import { type NewPasskey, newUserHandle, type PasskeyUse, type StoredPasskey } from './ceremony.ts';
import type { PasskeyReference } from './options.ts';
import type { PasskeyHandleRow, PasskeyRow } from './rows.ts';
import { passkeyStatements } from './statements.ts';
import { type PasskeyStore, passkeyStore } from './store.ts';
import type { PasskeyTables } from './tables.ts';

export type PasskeysPlatform = Platform<PasskeyTables>;

/** A passkey to store. `isBackupEligible` null: unknown, as after an import. */
export type NewPasskeyRow = {
  readonly passkey: Omit<NewPasskey, 'isBackupEligible'> & { readonly isBackupEligible: boolean | null };
  readonly name: string;
};

export type Passkeys = PasskeyStore & {
  /** Passkeys of an account, oldest first. */
  ofAccount(scope: InScope, accountId: string): Promise<readonly PasskeyRow[]>;
  /** Of several accounts, with one look-up; oldest first. */
  ofAccounts(scope: InScope, accountIds: readonly string[]): Promise<readonly PasskeyRow[]>;
  /** Those of these credentials that any account has, with one look-up. */
  byCredentials(scope: InScope, credentialIds: readonly string[]): Promise<readonly PasskeyRow[]>;
  byCredential(scope: InScope, credentialId: string): Promise<PasskeyRow | null>;
  /** User handle of an account; null before its first registration. Runs the same statement without an account. */
  handleOf(scope: InScope, accountId: string | null): Promise<Uint8Array | null>;
  /** Handles of several accounts, with one look-up. */
  handlesOf(scope: InScope, accountIds: readonly string[]): Promise<readonly PasskeyHandleRow[]>;
  /** Those of these handles that any account has, with one look-up. */
  byHandles(scope: InScope, handles: readonly string[]): Promise<readonly PasskeyHandleRow[]>;
  /** A handle for an account that has none. */
  newHandle(scope: InScope, accountId: string): { readonly handle: Uint8Array; readonly write: Write };
  /** A passkey to add. Of two with one credential, one fails. */
  add(
    scope: InScope,
    input: NewPasskeyRow & { readonly accountId: string },
    now: Date,
  ): { readonly row: PasskeyRow; readonly write: Write };
  /** Notes a use, guarded by the version that was read. */
  use(row: PasskeyRow, use: PasskeyUse, now: Date): Write;
  rename(row: Pick<PasskeyRow, 'scopeId' | 'id'>, name: string): Write;
  remove(row: Pick<PasskeyRow, 'scopeId' | 'id'>): Write;
  /** Gives an account without passkeys the handle under which authenticators of another system know it. */
  replaceHandle(scope: InScope, accountId: string, handle: string): readonly Write[];
  /** Removes all passkeys of an account, and its handle: who added them may hold the handle. */
  removeAll(scope: InScope, accountId: string): readonly Write[];
};

const GUARD = 'passkey';
/** Id of no account, so that look-ups for unknown credentials do the same work. */
const NOBODY = '00000000-0000-7000-8000-000000000000';

/** How options name a stored passkey. Throws nothing. */
export const referenceOf = ({ credentialId, transports }: PasskeyRow): PasskeyReference => ({
  id: credentialId,
  transports,
});

/** A stored passkey as the ceremony checks it; null: its user has no handle. Throws nothing. */
export const storedOf = (row: PasskeyRow, userHandle: Uint8Array | null): StoredPasskey | null => {
  const publicKey = bytesOfBase64url(row.publicKey);
  if (!publicKey || !userHandle) return null;
  const { counter, isBackupEligible } = row;
  return { id: row.credentialId, publicKey, counter, isBackupEligible, userHandle };
};

export const passkeysEngine = ({ storage, tables, ids }: PasskeysPlatform): Passkeys => {
  const hot = passkeyStatements(tables);
  const keyOf = ({ id, ...row }: Pick<PasskeyRow, 'scopeId' | 'id'>) => ({ ...scopeOf(row), id });
  /** Rows of any of these texts. */
  const look = async <Row>(select: BulkSelect<Row>, { scopeId }: InScope, texts: readonly string[]) =>
    texts.length === 0
      ? []
      : storage.select(
          select,
          [...new Set(texts)].map((text) => [scopeId, text]),
        );
  const ofAccounts: Passkeys['ofAccounts'] = async (scope, accountIds) =>
    (await look(hot.ofAccount, scope, accountIds)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return {
    ...passkeyStore({ db: storage.db, tables }),
    ofAccount: (scope, accountId) => ofAccounts(scope, [accountId]),
    ofAccounts,
    byCredentials: (scope, ids) => look(hot.byCredential, scope, ids),
    byCredential: async ({ scopeId }, credentialId) =>
      (await storage.select(hot.byCredential, [[scopeId, credentialId]]))[0] ?? null,
    handleOf: async ({ scopeId }, accountId) => {
      const [row] = await storage.select(hot.handle, [[scopeId, accountId ?? NOBODY]]);
      return row ? bytesOfBase64url(row.handle) : null;
    },
    handlesOf: (scope, accountIds) => look(hot.handle, scope, accountIds),
    byHandles: (scope, handles) => look(hot.byHandle, scope, handles),
    newHandle: (scope, accountId) => {
      const handle = newUserHandle();
      const row = { ...scopeOf(scope), accountId, handle: base64url(handle) };
      return { handle, write: write(hot.insertHandle, row, GUARD) };
    },
    add: (scope, { accountId, passkey, name }, now) => {
      const { id: credentialId, publicKey, algorithm: alg, counter, transports, aaguid } = passkey;
      const { isBackupEligible, isBackedUp } = passkey;
      const row: PasskeyRow = {
        ...{ ...scopeOf(scope), id: ids.next(), accountId, credentialId, publicKey: base64url(publicKey), alg },
        ...{ counter, transports, isBackupEligible, isBackedUp, aaguid, name },
        ...{ createdAt: now, lastUsedAt: null, version: 1 },
      };
      return { row, write: write(hot.insert, row, GUARD) };
    },
    use: (row, { counter, isBackupEligible, isBackedUp }, now) =>
      write(
        hot.use,
        { ...keyOf(row), version: row.version, counter, isBackupEligible, isBackedUp, lastUsedAt: now },
        GUARD,
      ),
    rename: (row, name) => write(hot.rename, { ...keyOf(row), name }, GUARD),
    remove: (row) => write(hot.remove, keyOf(row), GUARD),
    replaceHandle: (scope, accountId, handle) => [
      write(hot.removeHandle, { ...scopeOf(scope), accountId }),
      write(hot.insertHandle, { ...scopeOf(scope), accountId, handle }, GUARD),
    ],
    removeAll: (scope, accountId) => [
      write(hot.removeOfAccount, { ...scopeOf(scope), accountId }),
      write(hot.removeHandle, { ...scopeOf(scope), accountId }),
    ],
  };
};
