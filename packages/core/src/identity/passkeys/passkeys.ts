// Passkeys of accounts as rows. The ceremonies are in ceremony.ts; challenges are one-time rows.

import { type Write, write } from '../../database/commit/write-set.ts';
import { type InScope, scopeOf } from '../../foundation/scope.ts';
import type { Platform } from '../../platform/platform.ts';
import { base64url, bytesOfBase64url } from './bytes.ts';
import { type NewPasskey, newUserHandle, type PasskeyUse, type StoredPasskey } from './ceremony.ts';
import type { PasskeyReference } from './options.ts';
import type { PasskeyRow } from './rows.ts';
import { passkeyStatements } from './statements.ts';
import { type PasskeyStore, passkeyStore } from './store.ts';
import type { PasskeyTables } from './tables.ts';

export type PasskeysPlatform = Platform<PasskeyTables>;

export type Passkeys = PasskeyStore & {
  /** Passkeys of an account, oldest first. */
  ofAccount(scope: InScope, accountId: string): Promise<readonly PasskeyRow[]>;
  byCredential(scope: InScope, credentialId: string): Promise<PasskeyRow | null>;
  /** Null: the account has never begun a registration. For no account the same statement runs. */
  handleOf(scope: InScope, accountId: string | null): Promise<Uint8Array | null>;
  /** A handle for an account that has none. */
  newHandle(scope: InScope, accountId: string): { readonly handle: Uint8Array; readonly write: Write };
  /** A passkey to add. Of two with one credential, one fails. */
  add(
    scope: InScope,
    input: { readonly accountId: string; readonly passkey: NewPasskey; readonly name: string },
    now: Date,
  ): { readonly row: PasskeyRow; readonly write: Write };
  /** Notes a use, guarded by the version that was read. */
  use(row: PasskeyRow, use: PasskeyUse, now: Date): Write;
  rename(row: Pick<PasskeyRow, 'scopeId' | 'id'>, name: string): Write;
  remove(row: Pick<PasskeyRow, 'scopeId' | 'id'>): Write;
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
  return {
    ...passkeyStore({ db: storage.db, tables }),
    ofAccount: async ({ scopeId }, accountId) =>
      (await storage.select(hot.ofAccount, [[scopeId, accountId]])).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    byCredential: async ({ scopeId }, credentialId) =>
      (await storage.select(hot.byCredential, [[scopeId, credentialId]]))[0] ?? null,
    handleOf: async ({ scopeId }, accountId) => {
      const [row] = await storage.select(hot.handle, [[scopeId, accountId ?? NOBODY]]);
      return row ? bytesOfBase64url(row.handle) : null;
    },
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
    removeAll: (scope, accountId) => [
      write(hot.removeOfAccount, { ...scopeOf(scope), accountId }),
      write(hot.removeHandle, { ...scopeOf(scope), accountId }),
    ],
  };
};
