import type { Columns } from '../../database/columns.ts';

/** Requests that named a key of their own, and what they were answered. */
export const idempotencyTables = (c: Columns) => ({
  idempotencyKeys: c.table(
    'idempotency_keys',
    {
      scopeId: c.scope('scope_id').notNull(),
      /** Method and path. */
      route: c.text('route').notNull(),
      key: c.text('key').notNull(),
      bodyHash: c.text('body_hash').notNull(),
      /** Who is answering: a request that took over a lapsed mark has another one. */
      holder: c.text('holder').notNull(),
      /** Until when the mark of a running request holds; the row may go afterwards. Of an answered one: 24 h. */
      expiresAt: c.time('expires_at').notNull(),
      /** The data of the first 2xx answer as JSON text; null: still running. */
      answer: c.text('answer'),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.route, t.key] }),
      c.index('idempotency_keys_expired').on(t.expiresAt),
    ],
  ),
});

export type IdempotencyTables = ReturnType<typeof idempotencyTables>;
