import type { Columns } from '../../../database/columns.ts';

/** Domains that mail is from. */
export const emailDomainTables = (c: Columns) => ({
  emailDomains: c.table(
    'email_domains',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      domain: c.text('domain').notNull(),
      /** What the record of ownership holds. */
      nonce: c.text('nonce').notNull(),
      status: c.text('status').$type<'pending' | 'verified'>().notNull(),
      createdAt: c.time('created_at').notNull(),
      verifiedAt: c.time('verified_at'),
      checkedAt: c.time('checked_at'),
      /** When it is looked up again without anybody asking. */
      recheckAt: c.time('recheck_at').notNull(),
      /** Null: nothing is signed here. */
      dkimSelector: c.text('dkim_selector'),
      /** Base64 of the public key, as its record holds it. */
      dkimPublicKey: c.text('dkim_public_key'),
      /** The private key as PEM, sealed. */
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
