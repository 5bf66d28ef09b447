import type { Columns } from '../../database/columns.ts';

/** What imported password hashes of an environment need and cost. */
export const hashConfigTables = (c: Columns) => ({
  authHashConfigs: c.table(
    'auth_hash_configs',
    {
      scopeId: c.scope('scope_id').notNull(),
      /** Digest of the stand-in and the signer key. */
      id: c.text('id').notNull(),
      /** A hash of the same algorithm and cost that holds no secret: see `standInOf`. */
      standIn: c.text('stand_in').notNull(),
      /** Signer key of a Firebase project, sealed; null for other algorithms. */
      sealed: c.text('sealed'),
      createdAt: c.time('created_at').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.id] })],
  ),
});

export type HashConfigTables = ReturnType<typeof hashConfigTables>;
