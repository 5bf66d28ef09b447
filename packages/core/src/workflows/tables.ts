import type { Columns } from '../storage/columns.ts';
import type { Step, Trigger } from './schema.ts';

/** Definitions and their versions. */
export const workflowTables = (c: Columns) => ({
  workflows: c.table(
    'workflows',
    {
      orgId: c.text('org_id').notNull(),
      projectId: c.text('project_id').notNull(),
      id: c.text('id').notNull(),
      name: c.text('name').notNull(),
      description: c.text('description'),
      trigger: c.json<Trigger>('trigger').notNull(),
      steps: c.json<Step[]>('steps').notNull(),
      isActive: c.bool('is_active').notNull(),
      version: c.int('version').notNull(),
      createdAt: c.time('created_at').notNull(),
      updatedAt: c.time('updated_at').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.orgId, t.projectId, t.id] }),
      c.unique('workflows_name').on(t.orgId, t.projectId, t.name),
    ],
  ),
  /** Never changed: a run keeps the definition that it started with. */
  workflowVersions: c.table(
    'workflow_versions',
    {
      orgId: c.text('org_id').notNull(),
      projectId: c.text('project_id').notNull(),
      workflowId: c.text('workflow_id').notNull(),
      version: c.int('version').notNull(),
      steps: c.json<Step[]>('steps').notNull(),
      createdAt: c.time('created_at').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.orgId, t.projectId, t.workflowId, t.version] })],
  ),
});

export type WorkflowTables = ReturnType<typeof workflowTables>;
