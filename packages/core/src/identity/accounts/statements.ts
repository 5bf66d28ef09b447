import { bulkDelete, bulkInsert, bulkPrecondition, bulkSelect, bulkUpdate } from '../../database/statements/bulk.ts';
import type { AccountTables } from './tables.ts';

const SCOPE = ['scopeId'] as const;
const KEY = [...SCOPE, 'id'] as const;
const PASSWORD = [...SCOPE, 'accountId'] as const;

const PASSWORD_COLUMNS = [...PASSWORD, 'hash', 'hashConfigId', 'codeChallenge', 'updatedAt'] as const;

const COLUMNS = [
  ...KEY,
  ...(['userId', 'externalId', 'email', 'emailNorm', 'emailVerifiedAt', 'phone', 'name', 'locale'] as const),
  ...(['timezone', 'metadata', 'isAnonymous', 'usableAt', 'disabledAt', 'source', 'createdAt', 'updatedAt'] as const),
  ...(['deactivatedBy', 'mfaEnabledAt', 'lastSignInAt', 'version'] as const),
] as const;

/** The statements of accounts and passwords. */
export const accountStatements = ({ authUsers, authPasswords }: AccountTables) => ({
  /** Of two sign-ups of one address, one fails. */
  insert: bulkInsert('auth.insert_user', authUsers, COLUMNS, {
    conflict: { target: [...SCOPE, 'emailNorm'] },
    isGuarded: true,
  }),
  /** An account of another system. Unlike a sign-up, it may lack an address; the unique columns are checked before. */
  importUser: bulkInsert('auth.import_user', authUsers, COLUMNS, { conflict: { target: KEY }, isGuarded: true }),
  change: bulkUpdate('auth.change_user', authUsers, {
    where: [...KEY, 'version'],
    set: {
      email: 'value',
      emailNorm: 'value',
      emailVerifiedAt: 'value',
      phone: 'value',
      name: 'value',
      locale: 'value',
      timezone: 'value',
      metadata: 'value',
      isAnonymous: 'value',
      usableAt: 'value',
      disabledAt: 'value',
      deactivatedBy: 'value',
      mfaEnabledAt: 'value',
      updatedAt: 'value',
      lastSignInAt: 'value',
      version: 'increment',
    },
    isGuarded: true,
  }),
  /** A sign-in of an account that has not changed since it was read. */
  signIn: bulkUpdate('auth.user_signed_in', authUsers, {
    where: [...KEY, 'version'],
    set: { lastSignInAt: 'greatest' },
    when: (column) => `${column('disabled_at')} is null`,
    isGuarded: true,
  }),
  /** Guards that an account has not changed since it was read. */
  unchanged: bulkPrecondition('auth.user_unchanged', authUsers, [...KEY, 'version']),
  remove: bulkDelete('auth.delete_user', authUsers, { where: KEY }),
  putPassword: bulkInsert('auth.put_password', authPasswords, PASSWORD_COLUMNS, {
    conflict: { target: PASSWORD, set: ['hash', 'hashConfigId', 'codeChallenge', 'updatedAt'] },
  }),
  /** Replaces a hash by a better one of the same password, unless the password has changed. */
  rehash: bulkUpdate('auth.rehash', authPasswords, {
    where: [...PASSWORD, 'hash'],
    set: { hash: 'value', hashConfigId: 'null' },
  }),
  deletePassword: bulkDelete('auth.delete_password', authPasswords, { where: PASSWORD }),
  byId: bulkSelect('auth.user_by_id', authUsers, KEY, COLUMNS),
  byEmail: bulkSelect('auth.user_by_email', authUsers, [...SCOPE, 'emailNorm'], COLUMNS),
  byUserId: bulkSelect('auth.user_by_user_id', authUsers, [...SCOPE, 'userId'], COLUMNS),
  password: bulkSelect('auth.password', authPasswords, PASSWORD, PASSWORD_COLUMNS),
});
