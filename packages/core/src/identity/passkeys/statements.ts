import { bulkDelete, bulkInsert, bulkSelect, bulkUpdate } from '../../database/statements/bulk.ts';
import type { PasskeyTables } from './tables.ts';

const SCOPE = ['scopeId'] as const;
const KEY = [...SCOPE, 'id'] as const;
const ACCOUNT = [...SCOPE, 'accountId'] as const;
const CREDENTIAL = [...SCOPE, 'credentialId'] as const;
const PASSKEY = [
  ...KEY,
  ...(['accountId', 'credentialId', 'publicKey', 'alg', 'counter', 'transports', 'isBackupEligible'] as const),
  ...(['isBackedUp', 'aaguid', 'name', 'createdAt', 'lastUsedAt', 'version'] as const),
] as const;
const HANDLE = [...ACCOUNT, 'handle'] as const;

/** The statements of passkeys. */
export const passkeyStatements = ({ authPasskeys, authPasskeyHandles }: PasskeyTables) => ({
  /** Of two registrations of one credential, one fails. */
  insert: bulkInsert('auth.insert_passkey', authPasskeys, PASSKEY, {
    conflict: { target: CREDENTIAL },
    isGuarded: true,
  }),
  use: bulkUpdate('auth.use_passkey', authPasskeys, {
    where: [...KEY, 'version'],
    set: {
      ...{ version: 'increment', counter: 'value', isBackupEligible: 'value', isBackedUp: 'value' },
      lastUsedAt: 'value',
    },
    isGuarded: true,
  }),
  rename: bulkUpdate('auth.rename_passkey', authPasskeys, { where: KEY, set: { name: 'value' }, isGuarded: true }),
  remove: bulkDelete('auth.delete_passkey', authPasskeys, { where: KEY, isGuarded: true }),
  removeOfAccount: bulkDelete('auth.delete_passkeys', authPasskeys, { where: ACCOUNT }),
  /** The first registration of an account: of two at once, one fails. */
  insertHandle: bulkInsert('auth.insert_passkey_handle', authPasskeyHandles, HANDLE, {
    conflict: { target: ACCOUNT },
    isGuarded: true,
  }),
  removeHandle: bulkDelete('auth.delete_passkey_handle', authPasskeyHandles, { where: ACCOUNT }),
  ofAccount: bulkSelect('auth.passkeys_of', authPasskeys, ACCOUNT, PASSKEY),
  byCredential: bulkSelect('auth.passkey_by_credential', authPasskeys, CREDENTIAL, PASSKEY),
  byHandle: bulkSelect('auth.passkey_user', authPasskeyHandles, [...SCOPE, 'handle'], HANDLE),
  handle: bulkSelect('auth.passkey_handle', authPasskeyHandles, ACCOUNT, HANDLE),
});
