import { bulkDelete, bulkInsert, bulkSelect } from '../../database/statements/bulk.ts';
import type { ClaimsTables } from './tables.ts';

const SCOPE = ['scopeId'] as const;

/** The statements of claims templates. `ofScope` runs once in 10 s for an environment that issues tokens. */
export const claimsStatements = ({ authJwtTemplates }: ClaimsTables) => ({
  put: bulkInsert('auth.put_jwt_template', authJwtTemplates, [...SCOPE, 'template', 'updatedAt'], {
    conflict: { target: SCOPE, set: ['template', 'updatedAt'] },
  }),
  remove: bulkDelete('auth.delete_jwt_template', authJwtTemplates, { where: SCOPE }),
  ofScope: bulkSelect('auth.jwt_template', authJwtTemplates, SCOPE, [...SCOPE, 'template', 'updatedAt']),
});
