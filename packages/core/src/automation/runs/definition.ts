import type { InProject } from '../../foundation/scope.ts';
import type { StoredStep } from './cursor.ts';

/** A version of a workflow: a run keeps it from start to end. */
export type VersionKey = InProject & { readonly workflowId: string; readonly version: number };

/** Steps of loaded versions. Null: the version does not exist. Throws TypeError for a version that was not loaded. */
export type StepsOf = (key: VersionKey) => readonly StoredStep[] | null;
