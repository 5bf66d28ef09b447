import type { z } from 'zod';
import type { Frozen } from '../../foundation/frozen.ts';
import type { Page, PageQuery } from '../../foundation/page.ts';
import type { ProjectScope, Scope } from '../../foundation/scope.ts';
import type { IdempotencyOptions } from '../../platform/idempotency/api.ts';
import type { WorkflowFigures } from '../runs/figures/answers.generated.ts';
import type { FiguresQuery } from '../runs/figures/api.ts';
import type {
  Bundle,
  ImportAnswer,
  WorkflowRecord,
  WorkflowRow,
  WorkflowSaved,
  WorkflowSummary,
} from './answers.generated.ts';
import type { bundleSchema, workflowBody, workflowPatch } from './schema.ts';
import type { Simulation } from './simulate/answers.generated.ts';
import type { SimulateInput } from './simulate/api.ts';

/** Workflows as they are exported, version 1. Names are distinct. */
export interface BundleInput extends Frozen<z.input<typeof bundleSchema>> {}

/** One workflow. What is left out: `description` is null, `isActive` false. */
export interface WorkflowInput extends Frozen<z.input<typeof workflowBody>> {}

/** What changes of a workflow; the rest stays. */
export interface WorkflowPatch extends Frozen<z.input<typeof workflowPatch>> {}

/** A bundle as the interface describes it; plain JSON. */
export type BundleExport = {
  readonly bundle: Bundle;
  /** SHA-256 over `workflows`, for `ifMatch`. */
  readonly etag: string;
};

export type ImportOptions = IdempotencyOptions & {
  /** Nothing is written; the answer is what would be. */
  readonly dryRun?: boolean | undefined;
  /** The `etag` of an export: refuses where anything changed since. */
  readonly ifMatch?: string | undefined;
} & ImportExtent;

export type WorkflowQuery = PageQuery & {
  /** The whole name, as it is. */
  readonly name?: string | undefined;
  readonly isActive?: boolean | undefined;
};

export type VersionOptions = {
  /** The `version` that was read: refuses where there is another by now. */
  readonly ifVersion?: number | undefined;
};

export type WorkflowsApi = {
  /**
   * Definitions belong to a project and serve both of its environments. Throws VALIDATION_ERROR, `tier_required` for steps
   * that name a template or an A/B test on a plan without, and CONFLICT `exists` (`details.id`) for a name that is taken.
   */
  create(scope: ProjectScope, workflow: WorkflowInput): Promise<WorkflowSaved>;
  /** Newest first. Throws VALIDATION_ERROR for a limit or a cursor that there is not. */
  list(scope: ProjectScope, query?: WorkflowQuery): Promise<Page<WorkflowRow>>;
  /** Throws NOT_FOUND. */
  get(scope: ProjectScope, id: string): Promise<WorkflowRecord>;
  /**
   * Changes what is given, as a new version where that differs; `{ isActive }` enables or disables. New runs start with
   * it, those under way keep theirs; other processes know it within 2 s. Throws NOT_FOUND, VALIDATION_ERROR, `tier_required`
   * as `create`, CONFLICT `exists`, and CONFLICT `version_changed` for another `ifVersion`.
   */
  update(scope: ProjectScope, id: string, patch: WorkflowPatch, options?: VersionOptions): Promise<WorkflowSaved>;
  /** Starts no more runs; those under way go on. Throws NOT_FOUND, and CONFLICT `version_changed`. */
  delete(scope: ProjectScope, id: string, options?: VersionOptions): Promise<WorkflowSummary>;
  /** All definitions of a project, or those of these names. Throws VALIDATION_ERROR for a name that there is not. */
  exportBundle(scope: ProjectScope, query?: { workflows?: readonly string[] | undefined }): Promise<BundleExport>;
  /**
   * One transaction. Throws VALIDATION_ERROR (nothing written), `tier_required` as `create`, CONFLICT `version_changed` for
   * another `ifMatch`, and what IdempotencyOptions says.
   */
  importBundle(scope: ProjectScope, bundle: BundleInput, options?: ImportOptions): Promise<ImportAnswer>;
  /**
   * What a run of it would do, step by step, and why none would start: over the person, the devices, the templates and the
   * providers that there are, or those of `user` and `answers`. Nothing is written, asked or sent. Throws NOT_FOUND and
   * VALIDATION_ERROR. Without a database: `simulate`.
   */
  simulate(scope: Scope, id: string, input: SimulateInput): Promise<Simulation>;
  /**
   * Results of the runs that began in a range, by step. Counted from their rows, at most 100,000 of them. Throws
   * NOT_FOUND, VALIDATION_ERROR for an invalid interval, zone or time, INVALID_RANGE.
   */
  figures(scope: Scope, id: string, query?: FiguresQuery): Promise<WorkflowFigures>;
};

/** What an import does besides: nothing, where nothing is said. */
export type ImportExtent = {
  /** Creates or updates, and leaves the other alone. */
  readonly only?: 'create' | 'update' | undefined;
  /** Deactivates workflows that the bundle does not name. */
  readonly prune?: boolean | undefined;
};
