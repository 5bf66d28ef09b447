import type { InProject } from '../../foundation/scope.ts';
import type { Platform } from '../../platform/platform.ts';
import { workflowStore } from './store.ts';
import type { WorkflowTables } from './tables.ts';

export type NamingWorkflow = { readonly id: string; readonly name: string };

/** Definitions of a project that refer to an id of another module anywhere, active or not. */
export const workflowsNaming =
  ({ storage, tables }: Pick<Platform<WorkflowTables>, 'storage' | 'tables'>) =>
  async (project: InProject, id: string): Promise<readonly NamingWorkflow[]> =>
    (await workflowStore({ db: storage.db, dialect: storage.dialect, tables }).list(project))
      .filter(({ trigger, steps }) => JSON.stringify([trigger, steps]).includes(id))
      .map((row) => ({ id: row.id, name: row.name }));
