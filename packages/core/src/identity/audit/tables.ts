import type { Columns } from '../../database/columns.ts';

/** Who did what to accounts and sign-in settings. */
export const auditTables = (c: Columns) => ({
  authAudit: c.table(
    'auth_audit',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      /** `user:` and an account id, `key:` and a key id, `system`, or `anonymous` before a sign-in. */
      actor: c.text('actor').notNull(),
      action: c.text('action').notNull(),
      /** Id of the account or of the setting. */
      target: c.text('target'),
      result: c.text('result').notNull(),
      ipNet: c.text('ip_net'),
      /** Facts without secrets and addresses. */
      detail: c.json<Readonly<Record<string, unknown>>>('detail').notNull(),
      at: c.time('at').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.id] }), c.index('auth_audit_target').on(t.scopeId, t.target, t.id)],
  ),
});

export type AuditTables = ReturnType<typeof auditTables>;
