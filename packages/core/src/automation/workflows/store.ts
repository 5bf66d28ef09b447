import { and, desc, eq, getTableColumns, lt, lte, max, sql } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import { lockName } from '../../database/statements/capped.ts';
import type { PageStart } from '../../foundation/page.ts';
import type { InProject } from '../../foundation/scope.ts';
import { stepTypes } from '../runs/steps/list.ts';
import type { WorkflowTables } from './tables.ts';

/** A stored definition. */
export type StoredWorkflow = WorkflowTables['workflows']['$inferSelect'];

/** Without steps, which may be large. */
export type WorkflowListRow = Omit<StoredWorkflow, 'steps'>;
/** The columns of a past version that decide whether runs start. */
export type VersionAt = Pick<
  WorkflowTables['workflowVersions']['$inferSelect'],
  'workflowId' | 'version' | 'name' | 'trigger' | 'isActive' | 'isDeleted'
>;
/** Filter of a list of definitions. */
export type WorkflowFilter = { readonly name?: string | undefined; readonly isActive?: boolean | undefined };

const versionOf = ({ projectKey, id, version, name, trigger, steps, isActive, updatedAt }: StoredWorkflow) => ({
  projectKey,
  workflowId: id,
  version,
  name,
  trigger,
  steps,
  isActive,
  isDeleted: false,
  createdAt: updatedAt,
});

/** Definitions and their versions. */
export const workflowStore = ({
  db,
  dialect,
  tables: { workflows, workflowVersions, awaitedEvents },
}: StoreContext<WorkflowTables>) => {
  const { steps: _, ...listed } = getTableColumns(workflows);
  return {
    /**
     * Allows one transaction at a time to change a project's definitions; every writer must call it first, inside its
     * transaction. Later reads see the previous writer's result.
     */
    async lock({ projectKey }: InProject): Promise<void> {
      await lockName(db, dialect, `workflows/${projectKey}`);
    },

    /** All definitions of a project, in no order. */
    async list({ projectKey }: InProject): Promise<StoredWorkflow[]> {
      return db.select().from(workflows).where(eq(workflows.projectKey, projectKey));
    },

    /** Event name of each active definition. */
    async activeEvents({ projectKey }: InProject): Promise<string[]> {
      const rows = await db
        .select({ eventType: dialect.jsonText(workflows.trigger, 'eventType') })
        .from(workflows)
        .where(and(eq(workflows.projectKey, projectKey), eq(workflows.isActive, true)));
      return rows.map(({ eventType }) => eventType ?? '');
    },

    /** Writes definitions by id, their current version, and the events that they may wait for. Three statements. */
    async save(rows: readonly StoredWorkflow[]): Promise<void> {
      if (rows.length === 0) return;
      await db
        .insert(workflows)
        .values([...rows])
        .onConflictDoUpdate({
          target: [workflows.projectKey, workflows.id],
          set: {
            name: sql`excluded.name`,
            description: sql`excluded.description`,
            trigger: sql`excluded.trigger`,
            steps: sql`excluded.steps`,
            isActive: sql`excluded.is_active`,
            version: sql`excluded.version`,
            updatedAt: sql`excluded.updated_at`,
          },
        });
      await db.insert(workflowVersions).values(rows.map((row) => versionOf(row)));
      const awaited = rows.flatMap(({ projectKey, steps }) =>
        stepTypes.awaitedIn(steps).map((eventType) => ({ projectKey, eventType })),
      );
      if (awaited.length > 0) await db.insert(awaitedEvents).values(awaited).onConflictDoNothing();
    },

    /** Newest first. */
    async page(
      { projectKey }: InProject,
      filter: WorkflowFilter,
      { after, limit }: PageStart,
    ): Promise<WorkflowListRow[]> {
      return db
        .select(listed)
        .from(workflows)
        .where(
          and(
            eq(workflows.projectKey, projectKey),
            filter.name === undefined ? undefined : eq(workflows.name, filter.name),
            filter.isActive === undefined ? undefined : eq(workflows.isActive, filter.isActive),
            after === null ? undefined : lt(workflows.id, after),
          ),
        )
        .orderBy(desc(workflows.id))
        .limit(limit);
    },

    async get({ projectKey }: InProject, id: string): Promise<StoredWorkflow | undefined> {
      const [row] = await db
        .select()
        .from(workflows)
        .where(and(eq(workflows.projectKey, projectKey), eq(workflows.id, id)));
      return row;
    },

    /** For each workflow with this trigger event, its version at that time; `null`: today's versions. */
    async versionsAt({ projectKey }: InProject, eventType: string, at: Date | null): Promise<VersionAt[]> {
      const of = workflowVersions;
      const latest = db
        .select({ workflowId: of.workflowId, version: max(of.version).as('latest_version') })
        .from(of)
        .where(and(eq(of.projectKey, projectKey), at === null ? undefined : lte(of.createdAt, at)))
        .groupBy(of.workflowId)
        .as('latest');
      const { workflowId, version, name, trigger, isActive, isDeleted } = of;
      return db
        .select({ workflowId, version, name, trigger, isActive, isDeleted })
        .from(of)
        .innerJoin(latest, and(eq(of.workflowId, latest.workflowId), eq(of.version, latest.version)))
        .where(
          and(
            eq(of.projectKey, projectKey),
            eq(of.isDeleted, false),
            eq(dialect.jsonText(of.trigger, 'eventType'), eventType),
          ),
        );
    },

    /**
     * Deletes a definition. Its versions stay for running runs, and a last version records the deletion. Two
     * statements.
     */
    async remove(last: StoredWorkflow): Promise<void> {
      await db.delete(workflows).where(and(eq(workflows.projectKey, last.projectKey), eq(workflows.id, last.id)));
      await db
        .insert(workflowVersions)
        .values({ ...versionOf({ ...last, steps: [] }), isActive: false, isDeleted: true });
    },
  };
};
export type WorkflowStore = ReturnType<typeof workflowStore>;
