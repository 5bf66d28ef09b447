import type { Storage } from '../../database/storage.ts';
import type { InProject } from '../../foundation/scope.ts';
import { workflowStore } from './store.ts';
import type { WorkflowTables } from './tables.ts';

/** The definitions of a project that name something of another engine's, wherever they do so, active or not. */
export const workflowsNaming =
  ({ storage, tables }: { readonly storage: Storage; readonly tables: WorkflowTables }) =>
  async (project: InProject, id: string): Promise<readonly { readonly id: string; readonly name: string }[]> =>
    (await workflowStore({ db: storage.db, dialect: storage.dialect, tables }).list(project))
      .filter(({ trigger, steps }) => JSON.stringify([trigger, steps]).includes(id))
      .map((row) => ({ id: row.id, name: row.name }));
