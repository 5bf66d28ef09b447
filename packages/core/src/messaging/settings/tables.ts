import type { Columns } from '../../database/columns.ts';

/** Delivery settings of projects besides provider credentials: one row per value that was set. */
export const settingsTables = (c: Columns) => ({
  settings: c.table(
    'settings',
    {
      scopeId: c.scope('scope_id').notNull(),
      /** A shared name, such as `frequencyCap`, or a channel's: `push.quietHours`. */
      name: c.text('name').notNull(),
      value: c.json<unknown>('value').notNull(),
      updatedAt: c.time('updated_at').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.name] })],
  ),
});

export type SettingsTables = ReturnType<typeof settingsTables>;
