import type { Columns } from '../../database/columns.ts';
import type { Channel } from '../../foundation/channel.ts';
import type { ProviderName } from './names.ts';

/** What projects set about their channels: the credentials of providers, sealed. */
export const credentialTables = (c: Columns) => ({
  credentials: c.table(
    'credentials',
    {
      scopeId: c.scope('scope_id').notNull(),
      channel: c.text('channel').$type<Channel>().notNull(),
      provider: c.text('provider').$type<ProviderName>().notNull(),
      /** Raised by every change. A removed credential keeps its row, so that no version ever comes again. */
      version: c.int('version').notNull(),
      /** The settings as sealed JSON; null: removed. */
      sealed: c.text('sealed'),
      lastFour: c.text('last_four'),
      updatedAt: c.time('updated_at').notNull(),
      /** When the provider last accepted something with this version. */
      provenAt: c.time('proven_at'),
      /** Of the circuit of this version, for those who read health; null: closed. */
      circuitUntil: c.time('circuit_until'),
      circuitCode: c.text('circuit_code'),
      /** What workers of this version share, sealed, and when it was made in unix seconds: a provider token. */
      sharedToken: c.text('shared_token'),
      sharedTokenIssuedAt: c.big('shared_token_issued_at'),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.channel, t.provider] })],
  ),
});

export type CredentialTables = ReturnType<typeof credentialTables>;
