import type { InProject } from '../../foundation/scope.ts';
import type { StoredStep } from './cursor.ts';

/** One version of one workflow: what a run keeps from its start to its end. */
export type VersionKey = InProject & { readonly workflowId: string; readonly version: number };

/** Steps of versions that were asked for. Null: there is no such version. Throws TypeError for any other. */
export type StepsOf = (key: VersionKey) => readonly StoredStep[] | null;
