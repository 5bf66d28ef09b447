import type { Db } from '../../database/storage.ts';
import { conflict, notFound } from '../../foundation/errors.ts';
import { stableJson } from '../../foundation/hash.ts';
import type { UrlRules } from '../../foundation/net/urls.ts';
import { idOf, listPage } from '../../foundation/page.ts';
import type { InProject, ProjectScope } from '../../foundation/scope.ts';
import type { RequirePlan } from '../../platform/plans/plans.ts';
import type { Platform } from '../../platform/platform.ts';
import type { WorkflowRecord, WorkflowRow } from './answers.generated.ts';
import type { WorkflowsApi } from './api.ts';
import { diffWorkflow, orderedWorkflow } from './bundle.ts';
import { mayPassCap, refuseAboveCaps } from './caps.ts';
import { parseWorkflow, parseWorkflowPatch } from './schema.ts';
import { requireSteps } from './step-gates.ts';
import { refuseStepUrls } from './step-urls.ts';
import { type StoredWorkflow, type WorkflowListRow, type WorkflowStore, workflowStore } from './store.ts';
import type { WorkflowTables } from './tables.ts';
import { type Lacking, type LoadLacking, nothingLacks, warningsOf } from './warnings.ts';

/** Checks applied when definitions are saved. */
export type DefinitionRules = {
  /** Rules for URLs of webhook steps; default: any URL that the schema accepts. */
  readonly urls?: UrlRules | undefined;
  /**
   * Finds references that do not exist. Providers of channels are checked in the scope's environment, for a project
   * without one in `prod`. Default: all exist.
   */
  readonly lacking?: LoadLacking | undefined;
  /** Default: every plan includes everything. */
  readonly requirePlan?: RequirePlan | undefined;
  /** Called for each project whose definitions may have changed, after the transaction ended. */
  readonly changed?: ((scope: InProject) => void) | undefined;
};

export type DefinitionPlatform = Pick<Platform<WorkflowTables>, 'storage' | 'tables' | 'clock' | 'ids'>;

const rowOf = ({ orgId, projectId }: ProjectScope, row: WorkflowListRow): WorkflowRow => ({
  id: row.id,
  orgId,
  projectId,
  name: row.name,
  description: row.description,
  trigger: row.trigger,
  isActive: row.isActive,
  version: row.version,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
});

const recordOf = (scope: ProjectScope, row: StoredWorkflow): WorkflowRecord => {
  const { trigger, steps } = orderedWorkflow(row);
  return { ...rowOf(scope, { ...row, trigger }), steps };
};

/**
 * CRUD of single definitions. Writers hold the project's lock, like imports, so that concurrent writers cannot use one
 * name twice or both change one version. Public functions: see WorkflowsApi.
 */
export const workflowRecords = (
  { storage, tables, clock, ids }: DefinitionPlatform,
  { urls = {}, lacking = nothingLacks, requirePlan = async () => undefined, changed }: DefinitionRules = {},
): Pick<WorkflowsApi, 'create' | 'list' | 'get' | 'update' | 'delete'> => {
  const store = (db: Db) => workflowStore({ db, dialect: storage.dialect, tables });
  const outside = store(storage.db);

  const inTransaction = async <T>(scope: InProject, work: (inside: WorkflowStore) => Promise<T>): Promise<T> => {
    try {
      return await storage.transaction(async (db) => {
        const inside = store(db);
        await inside.lock(scope);
        return work(inside);
      });
    } finally {
      changed?.(scope);
    }
  };

  const findWorkflow = async (from: typeof outside, scope: InProject, id: string): Promise<StoredWorkflow> => {
    const row = await from.get(scope, id);
    if (!row) throw notFound('workflow with this id');
    return row;
  };

  const refuseDuplicateName = async (from: typeof outside, scope: InProject, name: string): Promise<void> => {
    const [duplicate] = await from.page(scope, { name }, { after: null, limit: 1 });
    if (duplicate) throw conflict('exists', { id: duplicate.id });
  };

  const refuseAbove = async (
    from: typeof outside,
    scope: InProject,
    before: StoredWorkflow | null,
    after: StoredWorkflow,
  ): Promise<void> => {
    if (mayPassCap({ before, after })) refuseAboveCaps(await from.activeEvents(scope), [{ before, after, path: '' }]);
  };

  const refuseOther = (row: StoredWorkflow, version: number | undefined): void => {
    if (version !== undefined && version !== row.version) throw conflict('version_changed', { version: row.version });
  };

  const answered = (scope: ProjectScope, row: StoredWorkflow, missing: Lacking) => ({
    ...recordOf(scope, row),
    warnings: warningsOf([row], missing),
  });

  return {
    create: async (scope, body) => {
      const workflow = orderedWorkflow(parseWorkflow(body));
      refuseStepUrls([{ steps: workflow.steps, path: 'steps' }], urls);
      await requireSteps(requirePlan, scope, [workflow]);
      // Before the write: a failing read must not hide that the workflow was saved.
      const missing = await lacking(scope, [workflow]);
      const now = clock.now();
      const { projectKey } = scope;
      const row = { ...workflow, projectKey, id: ids.next(), version: 1, createdAt: now, updatedAt: now };
      await inTransaction(scope, async (inside) => {
        await refuseDuplicateName(inside, scope, row.name);
        await refuseAbove(inside, scope, null, row);
        await inside.save([row]);
      });
      return answered(scope, row, missing);
    },

    list: (scope, { name, isActive, ...query } = {}) =>
      listPage(query, {
        binding: `workflows/${scope.projectKey}/${stableJson({ name, isActive })}`,
        read: async (place) => (await outside.page(scope, { name, isActive }, place)).map((row) => rowOf(scope, row)),
        positionOf: idOf,
      }),

    get: async (scope, id) => recordOf(scope, await findWorkflow(outside, scope, id)),

    update: async (scope, id, body, { ifVersion } = {}) => {
      const patch = parseWorkflowPatch(body);
      if (patch.steps) refuseStepUrls([{ steps: patch.steps, path: 'steps' }], urls);
      // A workflow from before a downgrade may still be changed except for its steps.
      if (patch.steps) await requireSteps(requirePlan, scope, [{ steps: patch.steps }]);
      const stored = await outside.get(scope, id);
      const steps = patch.steps ?? stored?.steps ?? [];
      const trigger = patch.trigger ?? stored?.trigger;
      const missing = await lacking(scope, [{ steps, ...(trigger ? { trigger } : {}) }]);
      const row = await inTransaction(scope, async (inside): Promise<StoredWorkflow> => {
        const current = await findWorkflow(inside, scope, id);
        refuseOther(current, ifVersion);
        const next = { ...current, ...patch };
        if (diffWorkflow(current, next).length === 0 && next.name === current.name) return current;
        if (next.name !== current.name) await refuseDuplicateName(inside, scope, next.name);
        const updated = { ...next, version: current.version + 1, updatedAt: clock.now() };
        await refuseAbove(inside, scope, current, updated);
        await inside.save([updated]);
        return updated;
      });
      return answered(scope, row, missing);
    },

    delete: async (scope, id, { ifVersion } = {}) => {
      const last = await inTransaction(scope, async (inside) => {
        const current = await findWorkflow(inside, scope, id);
        refuseOther(current, ifVersion);
        await inside.remove({ ...current, version: current.version + 1, updatedAt: clock.now() });
        return current;
      });
      return { id: last.id, name: last.name };
    },
  };
};
