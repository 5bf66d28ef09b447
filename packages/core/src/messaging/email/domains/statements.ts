import { bulkSelect } from '../../../database/statements/bulk.ts';
import type { EmailDomainTables } from './tables.ts';

/** The statement that each scope with email runs once in 10 s. */
export const emailDomainStatements = ({ emailDomains }: EmailDomainTables) => ({
  ofScope: bulkSelect(
    'email_domains.of_scope',
    emailDomains,
    ['scopeId'],
    ['scopeId', 'id', 'domain', 'status', 'dkimSelector', 'dkimSealed', 'dkimFound'],
  ),
});
