import { sql } from 'drizzle-orm';
import type { Columns } from '../storage/columns.ts';

export type Traits = Record<string, unknown>;

/** People, and which anonymous ones turned out to be whom. */
export const profileTables = (c: Columns) => ({
  profiles: c.table(
    'profiles',
    {
      orgId: c.text('org_id').notNull(),
      projectId: c.text('project_id').notNull(),
      environment: c.text('environment').notNull(),
      person: c.text('person').notNull(),
      traits: c.json<Traits>('traits').notNull(),
      /** Raised by every change of the row; whoever changes it compares the one it read. */
      version: c.int('version').notNull(),
      isTruncated: c.bool('is_truncated').notNull(),
      email: c.text('email'),
      phone: c.text('phone'),
      locale: c.text('locale'),
      timezone: c.text('timezone'),
      createdAt: c.time('created_at').notNull(),
      lastSeenAt: c.time('last_seen_at').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.orgId, t.projectId, t.environment, t.person] })],
  ),
  aliases: c.table(
    'aliases',
    {
      orgId: c.text('org_id').notNull(),
      projectId: c.text('project_id').notNull(),
      environment: c.text('environment').notNull(),
      anonymousId: c.text('anonymous_id').notNull(),
      userId: c.text('user_id').notNull(),
      createdAt: c.time('created_at').notNull(),
      /** Set until maintenance has moved the older event rows to the user. */
      moveDueAt: c.time('move_due_at'),
    },
    (t) => [
      c.primaryKey({ columns: [t.orgId, t.projectId, t.environment, t.anonymousId] }),
      c.index('aliases_user').on(t.orgId, t.projectId, t.environment, t.userId),
      c.index('aliases_moving').on(t.moveDueAt).where(sql`move_due_at is not null`),
    ],
  ),
});

export type ProfileTables = ReturnType<typeof profileTables>;
