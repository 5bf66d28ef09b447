import type { Columns } from '../../database/columns.ts';

/** Requests with an idempotency key, and their responses. */
export const idempotencyTables = (c: Columns) => ({
  idempotencyKeys: c.table(
    'idempotency_keys',
    {
      scopeId: c.scope('scope_id').notNull(),
      /** Method and path. */
      route: c.text('route').notNull(),
      key: c.text('key').notNull(),
      bodyHash: c.text('body_hash').notNull(),
      /** The request that holds the key; a request that takes over an expired mark has another one. */
      holder: c.text('holder').notNull(),
      /**
       * Until when the mark of a running request is valid; the row may be deleted afterwards. For a finished request:
       * 24 h.
       */
      expiresAt: c.time('expires_at').notNull(),
      /** The data of the first 2xx response as JSON text; null: still running. */
      answer: c.text('answer'),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.route, t.key] }),
      c.index('idempotency_keys_expired').on(t.expiresAt),
    ],
  ),
});

export type IdempotencyTables = ReturnType<typeof idempotencyTables>;
