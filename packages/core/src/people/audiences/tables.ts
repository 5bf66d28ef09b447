import { sql } from 'drizzle-orm';
import type { Columns } from '../../database/columns.ts';
import type { Predicate } from './predicate/types.ts';
import type { AudienceKind, AudienceStage } from './schema.ts';

/** Audiences, their members, and scheduled checks of users. */
export const audienceTables = (c: Columns) => ({
  audiences: c.table(
    'audiences',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      name: c.text('name').notNull(),
      description: c.text('description'),
      kind: c.text('kind').$type<AudienceKind>().notNull(),
      /** Null: a static list. */
      predicate: c.json<Predicate>('predicate'),
      /** Incremented by every change of the record. */
      version: c.int('version').notNull(),
      /** Null: nothing to build. */
      stage: c.text('stage').$type<AudienceStage>(),
      /** The last user that the build examined; null: none yet. */
      cursor: c.text('cursor'),
      createdAt: c.time('created_at').notNull(),
      updatedAt: c.time('updated_at').notNull(),
      dueAt: c.time('due_at'),
      leaseUntil: c.time('lease_until'),
      fence: c.int('fence').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.id] }),
      c.unique('audiences_name').on(t.scopeId, t.name),
      c.index('audiences_due').on(t.dueAt, t.id).where(sql`due_at is not null`),
    ],
  ),
  audienceMembers: c.table(
    'audience_members',
    {
      scopeId: c.scope('scope_id').notNull(),
      audienceId: c.id('audience_id').notNull(),
      person: c.text('person').notNull(),
      joinedAt: c.time('joined_at').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.audienceId, t.person] }),
      c.index('audience_members_person').on(t.scopeId, t.person, t.audienceId),
    ],
  ),
  /** Users whose memberships may change without an event of theirs: by time, or with a static list. */
  audienceChecks: c.table(
    'audience_checks',
    {
      scopeId: c.scope('scope_id').notNull(),
      /** The profile. */
      id: c.text('id').notNull(),
      dueAt: c.time('due_at'),
      leaseUntil: c.time('lease_until'),
      fence: c.int('fence').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.id] }),
      c.index('audience_checks_due').on(t.dueAt, t.id).where(sql`due_at is not null`),
    ],
  ),
});

export type AudienceTables = ReturnType<typeof audienceTables>;
export type AudienceRow = AudienceTables['audiences']['$inferSelect'];
export type MemberRow = AudienceTables['audienceMembers']['$inferSelect'];
export type CheckRow = AudienceTables['audienceChecks']['$inferSelect'];
