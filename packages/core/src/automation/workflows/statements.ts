import { bulkSelect } from '../../database/statements/bulk.ts';
import type { WorkflowTables } from './tables.ts';

/** Frequent reads of definitions, for events and runs. */
export const workflowStatements = ({ workflows, workflowVersions, awaitedEvents }: WorkflowTables) => ({
  /** By project. */
  activeTriggers: bulkSelect(
    'workflows.active_triggers',
    workflows,
    ['projectKey'],
    ['projectKey', 'id', 'name', 'version', 'trigger'],
    (column) => column('is_active'),
  ),
  awaited: bulkSelect('workflows.awaited', awaitedEvents, ['projectKey'], ['projectKey', 'eventType']),
  versionSteps: bulkSelect(
    'workflows.version_steps',
    workflowVersions,
    ['projectKey', 'workflowId', 'version'],
    ['projectKey', 'workflowId', 'version', 'steps'],
  ),
});
