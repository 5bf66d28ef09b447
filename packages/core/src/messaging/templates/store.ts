import { and, desc, eq, getTableColumns, lt } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import { lockName } from '../../database/statements/capped.ts';
import type { Channel } from '../../foundation/channel.ts';
import type { PageStart } from '../../foundation/page.ts';
import type { InProject } from '../../foundation/scope.ts';
import type { TemplateTables } from './tables.ts';

/** A stored template. */
export type TemplateRow = TemplateTables['templates']['$inferSelect'];
/** The same without its content, which may be large. */
export type TemplateListRow = Omit<TemplateRow, 'content'>;

/** Templates as they are created and changed; cold paths only. */
export const templateStore = ({ db, dialect, tables: { templates } }: StoreContext<TemplateTables>) => {
  const { content: _, ...listed } = getTableColumns(templates);
  const isOne = ({ projectKey }: InProject, channel: Channel, id: string) =>
    and(eq(templates.projectKey, projectKey), eq(templates.id, id), eq(templates.channel, channel));
  return {
    /** Serialises the changes of a project's templates; every writer calls it first. */
    async lock({ projectKey }: InProject): Promise<void> {
      await lockName(db, dialect, `templates/${projectKey}`);
    },

    /** Newest first. */
    async page(
      { projectKey }: InProject,
      channel: Channel,
      { name }: { readonly name?: string | undefined },
      { after, limit }: PageStart,
    ): Promise<TemplateListRow[]> {
      return db
        .select(listed)
        .from(templates)
        .where(
          and(
            eq(templates.projectKey, projectKey),
            eq(templates.channel, channel),
            name === undefined ? undefined : eq(templates.name, name),
            after === null ? undefined : lt(templates.id, after),
          ),
        )
        .orderBy(desc(templates.id))
        .limit(limit);
    },

    async get(scope: InProject, channel: Channel, id: string): Promise<TemplateRow | undefined> {
      const [row] = await db
        .select()
        .from(templates)
        .where(isOne(scope, channel, id));
      return row;
    },

    async insert(row: TemplateRow): Promise<void> {
      await db.insert(templates).values(row);
    },

    async update({ name, content, version, updatedAt, ...row }: TemplateRow): Promise<void> {
      await db
        .update(templates)
        .set({ name, content, version, updatedAt })
        .where(isOne(row, row.channel, row.id));
    },

    async remove(scope: InProject, channel: Channel, id: string): Promise<void> {
      await db.delete(templates).where(isOne(scope, channel, id));
    },
  };
};
