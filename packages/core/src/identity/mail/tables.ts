import type { Columns } from '../../database/columns.ts';

/** Sign-in emails of the last hour per environment, and of the last 24 hours per mailbox. Rows of mailboxes with scope 0 count for the whole deployment. */
export const mailBudgetTables = (c: Columns) => ({
  /**
   * Sign-in emails of an environment in ten minutes. Several rows share a count, so that requests at the same time rarely
   * wait for one row.
   */
  authMailCounts: c.table(
    'auth_mail_counts',
    {
      scopeId: c.scope('scope_id').notNull(),
      startsAt: c.time('starts_at').notNull(),
      part: c.int('part').notNull(),
      planned: c.int('planned').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.startsAt, t.part] }),
      c.index('auth_mail_counts_start').on(t.startsAt),
    ],
  ),
  authMailBudget: c.table(
    'auth_mail_budget',
    {
      scopeId: c.scope('scope_id').notNull(),
      /** HMAC of the mailbox, in base64url; `notices:` and the id of an account for notices. */
      mailbox: c.text('mailbox').notNull(),
      /** When each email was planned, in milliseconds since 1970, oldest first. */
      sentAt: c.json<readonly number[]>('sent_at').notNull(),
      version: c.int('version').notNull(),
      expiresAt: c.time('expires_at').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.mailbox] }), c.index('auth_mail_budget_expiry').on(t.expiresAt)],
  ),
});

export type MailBudgetTables = ReturnType<typeof mailBudgetTables>;
