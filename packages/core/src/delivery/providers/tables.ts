import type { Columns } from '../../database/columns.ts';
import type { Channel } from '../../foundation/channel.ts';
import type { ProviderName } from './names.ts';

/** The sealed credentials of projects' providers. */
export const credentialTables = (c: Columns) => ({
  credentials: c.table(
    'credentials',
    {
      scopeId: c.scope('scope_id').notNull(),
      channel: c.text('channel').$type<Channel>().notNull(),
      provider: c.text('provider').$type<ProviderName>().notNull(),
      /** Increases with every change. A removed credential keeps its row, so a version is never used again. */
      version: c.int('version').notNull(),
      /** The settings as sealed JSON; null: removed. */
      sealed: c.text('sealed'),
      lastFour: c.text('last_four'),
      updatedAt: c.time('updated_at').notNull(),
      /** When the provider last accepted a call with this version. */
      provenAt: c.time('proven_at'),
      /** Circuit of this version, for health; null: closed. */
      circuitUntil: c.time('circuit_until'),
      circuitCode: c.text('circuit_code'),
      /** Provider token shared by workers of this version, sealed, and its issue time in unix seconds. */
      sharedToken: c.text('shared_token'),
      sharedTokenIssuedAt: c.big('shared_token_issued_at'),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.channel, t.provider] })],
  ),
});

export type CredentialTables = ReturnType<typeof credentialTables>;
