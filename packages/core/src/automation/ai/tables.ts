import { sql } from 'drizzle-orm';
import type { Columns } from '../../database/columns.ts';
import type { AiWireName } from '../../delivery/transports/ai/port.ts';
import type { AiModels, AiPrices } from './schema.ts';

/** Model providers of orgs, usage of the shared provider, and waiting model calls. */
export const aiTables = (c: Columns) => ({
  aiSettings: c.table('ai_settings', {
    orgId: c.text('org_id').primaryKey(),
    wire: c.text('wire').$type<AiWireName>().notNull(),
    baseUrl: c.text('base_url').notNull(),
    /** The encrypted key; null: the provider needs none. */
    sealed: c.text('sealed'),
    lastFour: c.text('last_four'),
    models: c.json<AiModels>('models').notNull(),
    prices: c.json<AiPrices>('prices').notNull(),
    /** Since when the provider rejects the key, and its error code; null: it does not. */
    faultyAt: c.time('faulty_at'),
    faultyCode: c.text('faulty_code'),
    /** Unique among all settings that the org ever had: open providers are cached by it. */
    version: c.id('version').notNull(),
    updatedAt: c.time('updated_at').notNull(),
  }),
  /** Tokens of the deployment's provider per org and UTC day. */
  aiUsage: c.table(
    'ai_usage',
    {
      orgId: c.text('org_id').notNull(),
      day: c.text('day').notNull(),
      tokens: c.big('tokens').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.orgId, t.day] }), c.index('ai_usage_day').on(t.day)],
  ),
  /** A step that waits for an answer. The prompt is built when it is sent and not stored. */
  aiCalls: c.table(
    'ai_calls',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      runId: c.id('run_id').notNull(),
      path: c.text('path').notNull(),
      attempt: c.int('attempt').notNull(),
      /** Failed calls so far. */
      tries: c.int('tries').notNull(),
      dueAt: c.time('due_at'),
      leaseUntil: c.time('lease_until'),
      fence: c.int('fence').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.id] }),
      c.index('ai_calls_due').on(t.dueAt, t.id).where(sql`due_at is not null`),
    ],
  ),
});

export type AiTables = ReturnType<typeof aiTables>;
