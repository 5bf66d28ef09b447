import type { Columns } from '../../database/columns.ts';
import type { ClaimsTemplate } from '../tokens/claims-template.ts';

/** Claims that environments add to their access tokens. */
export const claimsTables = (c: Columns) => ({
  authJwtTemplates: c.table(
    'auth_jwt_templates',
    {
      scopeId: c.scope('scope_id').notNull(),
      template: c.json<ClaimsTemplate>('template').notNull(),
      updatedAt: c.time('updated_at').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId] })],
  ),
});

export type ClaimsTables = ReturnType<typeof claimsTables>;
