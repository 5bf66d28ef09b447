import type { Columns } from '../../database/columns.ts';
import type { Channel } from '../../foundation/channel.ts';
import type { TemplateContent } from './kind.ts';

/** Stored templates. Earlier versions are not kept: a send stores its content at acceptance. */
export const templateTables = (c: Columns) => ({
  templates: c.table(
    'templates',
    {
      projectKey: c.scope('project_key').notNull(),
      id: c.id('id').notNull(),
      channel: c.text('channel').$type<Channel>().notNull(),
      name: c.text('name').notNull(),
      version: c.int('version').notNull(),
      /** The fields of a send body as received. */
      content: c.json<TemplateContent>('content').notNull(),
      createdAt: c.time('created_at').notNull(),
      updatedAt: c.time('updated_at').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.projectKey, t.id] }),
      c.unique('templates_name').on(t.projectKey, t.channel, t.name),
    ],
  ),
});

export type TemplateTables = ReturnType<typeof templateTables>;
