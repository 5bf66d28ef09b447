import type { Columns } from '../../database/columns.ts';

/** What projects set about their messages besides the credentials of providers: one row per value that was set. */
export const settingsTables = (c: Columns) => ({
  settings: c.table(
    'settings',
    {
      scopeId: c.scope('scope_id').notNull(),
      /** A name of all channels, such as `frequencyCap`, or of one: `push.quietHours`. */
      name: c.text('name').notNull(),
      value: c.json<unknown>('value').notNull(),
      updatedAt: c.time('updated_at').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.name] })],
  ),
});

export type SettingsTables = ReturnType<typeof settingsTables>;
