import type { Db } from '../../database/storage.ts';
import { conflict, validationError } from '../../foundation/errors.ts';
import type { InProject, InScope, ProjectScope, Scope } from '../../foundation/scope.ts';
import { type AnswerOnce, type Once, withoutKeys } from '../../platform/idempotency/once.ts';
import type { ImportAnswer, WorkflowSummary } from './answers.generated.ts';
import type { ImportExtent, WorkflowsApi } from './api.ts';
import { bundleOf, etagOf, type ImportPlan, orderedWorkflow, planImport } from './bundle.ts';
import { type DefinitionChange, refuseAboveCaps } from './caps.ts';
import type { DefinitionPlatform, DefinitionRules } from './records.ts';
import { parseBundle, type Workflow } from './schema.ts';
import { requireSteps } from './step-gates.ts';
import { refuseStepUrls } from './step-urls.ts';
import { type StoredWorkflow, workflowStore } from './store.ts';
import { nothingLacks, warningsOf } from './warnings.ts';

export type BundleRules = DefinitionRules & {
  /** Default: idempotency keys are rejected. */
  readonly answerOnce?: AnswerOnce | undefined;
  /** The `prod` scope of a project. */
  readonly prodScope: (project: ProjectScope) => Promise<InScope>;
};

/** Options of an import. */
type ImportRequest = ImportExtent & { readonly ifMatch: string | undefined };

/** Changes of an import with their paths in the bundle. */
const changesOf = (
  workflows: readonly Workflow[],
  { created, updated }: ImportPlan<StoredWorkflow>,
): readonly DefinitionChange[] => {
  const pathByName = new Map(workflows.map(({ name }, index) => [name, `workflows.${index}`]));
  const pathOf = ({ name }: Workflow): string => pathByName.get(name) ?? '';
  return [
    ...created.map((after) => ({ before: null, after, path: pathOf(after) })),
    ...updated.map(({ current, next }) => ({ before: current, after: next, path: pathOf(next) })),
  ];
};

const summary = ({ id, name }: WorkflowSummary): WorkflowSummary => ({ id, name });

/** Import and export of bundles. Definitions belong to a project and apply to both environments. */
export const workflowDefinitions = (
  { storage, tables, clock, ids }: DefinitionPlatform,
  {
    urls = {},
    answerOnce = withoutKeys,
    prodScope,
    lacking = nothingLacks,
    requirePlan = async () => undefined,
    changed,
  }: BundleRules,
): Pick<WorkflowsApi, 'exportBundle' | 'importBundle'> => {
  const store = (db: Db) => workflowStore({ db, dialect: storage.dialect, tables });
  const outside = store(storage.db);

  const rowsOf = (scope: InProject, { created, updated }: ImportPlan<StoredWorkflow>, now: Date) => ({
    created: created.map(
      (workflow): StoredWorkflow => ({
        ...workflow,
        projectKey: scope.projectKey,
        id: ids.next(),
        version: 1,
        createdAt: now,
        updatedAt: now,
      }),
    ),
    updated: updated.map(
      ({ current, next }): StoredWorkflow => ({ ...current, ...next, version: current.version + 1, updatedAt: now }),
    ),
  });

  /** Plans the import over the stored definitions; `write` writes the rows in the same transaction, or does nothing. */
  const apply = async (
    scope: InProject,
    workflows: readonly Workflow[],
    { ifMatch, ...extent }: ImportRequest,
    stored: readonly StoredWorkflow[],
    write: (rows: readonly StoredWorkflow[]) => Promise<void>,
  ): Promise<Pick<ImportAnswer, 'created' | 'updated' | 'unchanged' | 'skipped'>> => {
    if (ifMatch !== undefined && ifMatch !== etagOf(stored)) throw conflict('version_changed');
    const plan = planImport(stored, workflows, extent);
    const active = stored.flatMap(({ isActive, trigger }) => (isActive ? [trigger.eventType] : []));
    refuseAboveCaps(active, changesOf(workflows, plan));
    const rows = rowsOf(scope, plan, clock.now());
    await write([...rows.created, ...rows.updated]);
    return {
      created: rows.created.map(summary),
      updated: plan.updated.map(({ current, changes }) => ({
        ...summary(current),
        version: current.version + 1,
        changes,
      })),
      unchanged: plan.unchanged.map(summary),
      skipped: plan.skipped,
    };
  };

  /** Scope of the idempotency key: the caller's environment, or `prod` if it has none. */
  const keyScope = async (scope: ProjectScope | Scope): Promise<InScope> =>
    'scopeId' in scope ? scope : prodScope(scope);

  /**
   * Matches by name: creates new names, updates existing ones as a new version if they differ, and leaves or
   * deactivates those not in the bundle. Imports into one project run one after another. A dry run writes nothing, and
   * the ids in `created` do not exist.
   */
  const importOnce = async (
    scope: ProjectScope | Scope,
    bundle: unknown,
    { dryRun, ...request }: ImportRequest & { readonly dryRun: boolean },
    once: Once | undefined,
  ): Promise<ImportAnswer> => {
    const { workflows } = parseBundle(bundle);
    refuseStepUrls(
      workflows.map(({ steps }, index) => ({ steps, path: `workflows.${index}.steps` })),
      urls,
    );
    await requireSteps(requirePlan, scope, workflows);
    const about = {
      warnings: warningsOf(workflows, await lacking(scope, workflows)),
      dryRun,
      importId: ids.next(),
    };
    if (dryRun)
      return {
        ...(await apply(scope, workflows, request, await outside.list(scope), async () => undefined)),
        ...about,
      };
    try {
      return await storage.transaction(async (db) => {
        const inside = store(db);
        await inside.lock(scope);
        const answer = {
          ...(await apply(scope, workflows, request, await inside.list(scope), inside.save)),
          ...about,
        };
        await once?.inTransaction(db, answer, clock.now());
        return answer;
      });
    } finally {
      changed?.(scope);
    }
  };

  return {
    /**
     * `etag` covers all definitions of the project, whichever are exported, as `ifMatch` requires. Throws
     * VALIDATION_ERROR (`fieldErrors.workflows`) for an unknown name.
     */
    async exportBundle(scope, query = {}) {
      const stored = await outside.list(scope);
      const names = query.workflows && new Set(query.workflows);
      const selected = stored.filter(({ name }) => !names || names.has(name));
      if (names && selected.length < names.size)
        throw validationError({ workflows: ['must be names of workflows of the project'] });
      return { bundle: bundleOf(selected.map(orderedWorkflow), clock.now()), etag: etagOf(stored) };
    },

    importBundle: async (scope, bundle, { dryRun = false, ifMatch, only, prune, ...options } = {}) => {
      const request = { dryRun, ifMatch, only, prune };
      const work = (once?: Once) => importOnce(scope, bundle, request, once);
      if (options.idempotencyKey === undefined) return work();
      const call = {
        operation: 'workflows.importBundle',
        input: { bundle, ...request },
        options,
        // Safe: the stored value is a serialized ImportAnswer, which contains no dates.
        revive: (stored: unknown) => stored as ImportAnswer,
      };
      return answerOnce(await keyScope(scope), call, work);
    },
  };
};
