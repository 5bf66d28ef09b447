import { sql } from 'drizzle-orm';
import type { Columns } from '../../database/columns.ts';

/** Identities of users at social and enterprise providers. */
export const identityTables = (c: Columns) => ({
  authIdentities: c.table(
    'auth_identities',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      accountId: c.id('account_id').notNull(),
      /** Name of the social provider, or of the protocol of a connection. */
      provider: c.text('provider').notNull(),
      /** Connection of an organization's own provider; null: a social provider. */
      connectionId: c.id('connection_id'),
      /** With the subject: the user at the provider. */
      issuer: c.text('issuer').notNull(),
      subject: c.text('subject').notNull(),
      /** As the provider stated it. A label: accounts are found by issuer and subject. */
      email: c.text('email'),
      emailVerified: c.bool('email_verified').notNull(),
      /** The provider's claims, at most 8 KB. */
      raw: c.json<Readonly<Record<string, unknown>>>('raw').notNull(),
      linkedAt: c.time('linked_at').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.id] }),
      c.unique('auth_identities_subject').on(t.scopeId, t.provider, t.issuer, t.subject),
      c.index('auth_identities_account').on(t.scopeId, t.accountId, t.id),
      c.index('auth_identities_connection').on(t.scopeId, t.connectionId, t.id).where(sql`connection_id is not null`),
    ],
  ),
});

export type IdentityTables = ReturnType<typeof identityTables>;
