import { sql } from 'drizzle-orm';
import type { Columns } from '../../database/columns.ts';
import type { KeyState } from './key-states.ts';
import type { PublicJwk, SigningAlg } from './signing-key.ts';

/** Keys that sign access tokens. */
export const signingKeyTables = (c: Columns) => ({
  authSigningKeys: c.table(
    'auth_signing_keys',
    {
      scopeId: c.scope('scope_id').notNull(),
      kid: c.text('kid').notNull(),
      alg: c.text('alg').$type<SigningAlg>().notNull(),
      state: c.text('state').$type<KeyState>().notNull(),
      publicJwk: c.json<PublicJwk>('public_jwk').notNull(),
      /** Private JWK, sealed. */
      sealed: c.text('sealed').notNull(),
      activateAt: c.time('activate_at').notNull(),
      retireAt: c.time('retire_at'),
      createdAt: c.time('created_at').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.kid] }),
      // Of two processes that create the first key, one does.
      c.unique('auth_signing_keys_state').on(t.scopeId, t.state).where(sql`state in ('active', 'next')`),
    ],
  ),
});

export type SigningKeyTables = ReturnType<typeof signingKeyTables>;
