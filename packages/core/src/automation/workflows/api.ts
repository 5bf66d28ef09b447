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

/** An exported bundle, version 1. Workflow names are distinct. */
export interface BundleInput extends Frozen<z.input<typeof bundleSchema>> {}

/** One workflow. Defaults: `description` null, `isActive` false. */
export interface WorkflowInput extends Frozen<z.input<typeof workflowBody>> {}

/** Changes to a workflow. Omitted fields keep their values. */
export interface WorkflowPatch extends Frozen<z.input<typeof workflowPatch>> {}

/** A bundle as the interface defines it; plain JSON. */
export type BundleExport = {
  readonly bundle: Bundle;
  /** SHA-256 of `workflows`, for `ifMatch`. */
  readonly etag: string;
};

export type ImportOptions = IdempotencyOptions & {
  /** Writes nothing and returns what an import would do. */
  readonly dryRun?: boolean | undefined;
  /** The `etag` of an export: the import is rejected if a definition changed since. */
  readonly ifMatch?: string | undefined;
} & ImportExtent;

export type WorkflowQuery = PageQuery & {
  /** Only the workflow with exactly this name. */
  readonly name?: string | undefined;
  readonly isActive?: boolean | undefined;
};

export type VersionOptions = {
  /** The `version` that was read: the change is rejected if the workflow has another version now. */
  readonly ifVersion?: number | undefined;
};

export type WorkflowsApi = {
  /**
   * Creates a workflow. Definitions belong to a project and apply to both environments. Throws VALIDATION_ERROR,
   * `tier_required` for steps with a template or an A/B test that the plan does not include, and CONFLICT `exists`
   * (`details.id`) if the name is in use.
   */
  create(scope: ProjectScope, workflow: WorkflowInput): Promise<WorkflowSaved>;
  /** Lists workflows, newest first. Throws VALIDATION_ERROR for an invalid limit or cursor. */
  list(scope: ProjectScope, query?: WorkflowQuery): Promise<Page<WorkflowRow>>;
  /** Gets one workflow. Throws NOT_FOUND. */
  get(scope: ProjectScope, id: string): Promise<WorkflowRecord>;
  /**
   * Updates a workflow; a difference creates a new version. `{ isActive }` enables or disables it. New runs use the new
   * version, running ones keep theirs; other processes use it within 2 s. Throws NOT_FOUND, VALIDATION_ERROR,
   * `tier_required` as `create`, CONFLICT `exists`, and CONFLICT `version_changed` if `ifVersion` differs.
   */
  update(scope: ProjectScope, id: string, patch: WorkflowPatch, options?: VersionOptions): Promise<WorkflowSaved>;
  /**
   * Deletes a workflow: no new runs start, and running ones continue. Throws NOT_FOUND, and CONFLICT `version_changed`.
   */
  delete(scope: ProjectScope, id: string, options?: VersionOptions): Promise<WorkflowSummary>;
  /**
   * Exports all definitions of a project, or those with the given names. Throws VALIDATION_ERROR for an unknown name.
   */
  exportBundle(scope: ProjectScope, query?: { workflows?: readonly string[] | undefined }): Promise<BundleExport>;
  /**
   * Imports a bundle in one transaction. Throws VALIDATION_ERROR (nothing is written), `tier_required` as `create`,
   * CONFLICT `version_changed` if `ifMatch` differs, and the errors of IdempotencyOptions.
   */
  importBundle(scope: ProjectScope, bundle: BundleInput, options?: ImportOptions): Promise<ImportAnswer>;
  /**
   * Simulates a run step by step, or explains why none would start. Uses the stored profile, devices, templates and
   * providers, overridden by `user` and `answers`. Writes nothing, calls no service and sends nothing. Throws NOT_FOUND
   * and VALIDATION_ERROR. Without a database: `simulate`.
   */
  simulate(scope: Scope, id: string, input: SimulateInput): Promise<Simulation>;
  /**
   * Results of the runs that began in a range, by step. Counted from their rows, at most 100,000 of them. Throws
   * NOT_FOUND, VALIDATION_ERROR for an invalid interval, zone or time, INVALID_RANGE.
   */
  figures(scope: Scope, id: string, query?: FiguresQuery): Promise<WorkflowFigures>;
};

/** What an import changes. Default: creates and updates. */
export type ImportExtent = {
  /** Only creates or only updates. */
  readonly only?: 'create' | 'update' | undefined;
  /** Deactivates workflows that are not in the bundle. */
  readonly prune?: boolean | undefined;
};
