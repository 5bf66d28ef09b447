import type { Columns } from '../../database/columns.ts';
import type { Step } from '../runs/steps/list.ts';
import type { Trigger } from './schema.ts';

/** Definitions and their versions. */
export const workflowTables = (c: Columns) => ({
  workflows: c.table(
    'workflows',
    {
      projectKey: c.scope('project_key').notNull(),
      id: c.id('id').notNull(),
      name: c.text('name').notNull(),
      description: c.text('description'),
      trigger: c.json<Trigger>('trigger').notNull(),
      steps: c.json<Step[]>('steps').notNull(),
      isActive: c.bool('is_active').notNull(),
      version: c.int('version').notNull(),
      createdAt: c.time('created_at').notNull(),
      updatedAt: c.time('updated_at').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.projectKey, t.id] }), c.unique('workflows_name').on(t.projectKey, t.name)],
  ),
  /**
   * Immutable: a run keeps the version that it started with, and past decisions can be explained. The last version of a
   * deleted definition is marked as such and has no steps.
   */
  workflowVersions: c.table(
    'workflow_versions',
    {
      projectKey: c.scope('project_key').notNull(),
      workflowId: c.id('workflow_id').notNull(),
      version: c.int('version').notNull(),
      name: c.text('name').notNull(),
      trigger: c.json<Trigger>('trigger').notNull(),
      steps: c.json<Step[]>('steps').notNull(),
      isActive: c.bool('is_active').notNull(),
      isDeleted: c.bool('is_deleted').notNull(),
      createdAt: c.time('created_at').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.projectKey, t.workflowId, t.version] })],
  ),
  /** Names of events that any version, past or present, may wait for; never deleted. */
  awaitedEvents: c.table(
    'awaited_events',
    { projectKey: c.scope('project_key').notNull(), eventType: c.text('event_type').notNull() },
    (t) => [c.primaryKey({ columns: [t.projectKey, t.eventType] })],
  ),
});

export type WorkflowTables = ReturnType<typeof workflowTables>;
