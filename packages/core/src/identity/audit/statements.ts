import { bulkInsert } from '../../database/statements/bulk.ts';
import type { AuditTables } from './tables.ts';

/** The statements of the audit log. */
export const auditStatements = ({ authAudit }: AuditTables) => ({
  insert: bulkInsert('auth.insert_audit', authAudit, [
    ...(['scopeId', 'id', 'actor', 'action', 'target', 'result', 'ipNet', 'detail', 'at'] as const),
  ]),
});
