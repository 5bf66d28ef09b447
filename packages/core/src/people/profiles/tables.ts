import { sql } from 'drizzle-orm';
import type { Columns } from '../../database/columns.ts';
import type { Traits } from './view.ts';

/** Profiles, and the anonymous ids merged into users. */
export const profileTables = (c: Columns) => ({
  profiles: c.table(
    'profiles',
    {
      scopeId: c.scope('scope_id').notNull(),
      person: c.text('person').notNull(),
      traits: c.json<Traits>('traits').notNull(),
      /** Incremented by every change of the row; a writer compares the version that it read. */
      version: c.int('version').notNull(),
      isTruncated: c.bool('is_truncated').notNull(),
      email: c.text('email'),
      phone: c.text('phone'),
      /** Verified address and number of the user's account. They override `email` and `phone`. */
      accountEmail: c.text('account_email'),
      accountPhone: c.text('account_phone'),
      locale: c.text('locale'),
      timezone: c.text('timezone'),
      /** Set by an operator. They override `locale` and `timezone`, which come from devices. */
      localeOverride: c.text('locale_override'),
      timezoneOverride: c.text('timezone_override'),
      createdAt: c.time('created_at').notNull(),
      lastSeenAt: c.time('last_seen_at').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.person] }),
      c.index('profiles_phone').on(t.scopeId, t.phone).where(sql`phone is not null`),
    ],
  ),
  aliases: c.table(
    'aliases',
    {
      scopeId: c.scope('scope_id').notNull(),
      anonymousId: c.text('anonymous_id').notNull(),
      userId: c.text('user_id').notNull(),
      createdAt: c.time('created_at').notNull(),
      /** Set until maintenance has moved the older event rows to the user. */
      moveDueAt: c.time('move_due_at'),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.anonymousId] }),
      c.index('aliases_user').on(t.scopeId, t.userId),
      c.index('aliases_move_due').on(t.moveDueAt).where(sql`move_due_at is not null`),
    ],
  ),
});

export type ProfileTables = ReturnType<typeof profileTables>;
