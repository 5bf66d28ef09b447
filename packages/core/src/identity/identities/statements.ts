import { bulkDelete, bulkInsert, bulkSelect } from '../../database/statements/bulk.ts';
import type { IdentityTables } from './tables.ts';

const SCOPE = ['scopeId'] as const;
const ACCOUNT = [...SCOPE, 'accountId'] as const;
const SUBJECT = [...SCOPE, 'provider', 'issuer', 'subject'] as const;
const COLUMNS = [
  ...SUBJECT,
  ...(['id', 'accountId', 'connectionId', 'email', 'emailVerified', 'raw', 'linkedAt'] as const),
] as const;

/** The statements of identities. */
export const identityStatements = ({ authIdentities }: IdentityTables) => ({
  removeOfAccount: bulkDelete('auth.remove_identities', authIdentities, { where: ACCOUNT }),
  remove: bulkDelete('auth.remove_identity', authIdentities, { where: [...SCOPE, 'id'] }),
  /** Of two accounts that link one identity, one fails. */
  insert: bulkInsert('auth.insert_identity', authIdentities, COLUMNS, {
    conflict: { target: SUBJECT },
    isGuarded: true,
  }),
  bySubject: bulkSelect('auth.identity_by_subject', authIdentities, SUBJECT, COLUMNS),
  ofAccount: bulkSelect('auth.identities_of', authIdentities, ACCOUNT, COLUMNS),
});
