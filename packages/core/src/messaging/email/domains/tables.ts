import type { Columns } from '../../../database/columns.ts';

/** Sending domains. */
export const emailDomainTables = (c: Columns) => ({
  emailDomains: c.table(
    'email_domains',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      domain: c.text('domain').notNull(),
      /** Value of the ownership record. */
      nonce: c.text('nonce').notNull(),
      status: c.text('status').$type<'pending' | 'verified'>().notNull(),
      createdAt: c.time('created_at').notNull(),
      verifiedAt: c.time('verified_at'),
      checkedAt: c.time('checked_at'),
      /** Time of the next automatic verification. */
      recheckAt: c.time('recheck_at').notNull(),
      /** Null: Beckon does not sign. */
      dkimSelector: c.text('dkim_selector'),
      /** Base64 of the public key, as in its record. */
      dkimPublicKey: c.text('dkim_public_key'),
      /** The private key as PEM, encrypted. */
      dkimSealed: c.text('dkim_sealed'),
      dkimFound: c.bool('dkim_found'),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.id] }),
      c.unique('email_domains_name').on(t.scopeId, t.domain),
      c.index('email_domains_recheck').on(t.recheckAt, t.id),
    ],
  ),
});

export type EmailDomainTables = ReturnType<typeof emailDomainTables>;
