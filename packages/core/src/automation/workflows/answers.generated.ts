// Made of the schemas in answers.ts by `npm run openapi`.

import type { ImportWarning } from '../runs/answers.generated.ts';
import type { Step } from '../runs/steps/list.ts';
import type { Trigger } from './schema.ts';

/** Id and name of a workflow. */
export interface WorkflowSummary {
  /** Id of the workflow. */
  readonly id: string;
  /** Name of the workflow. */
  readonly name: string;
}

/** A workflow without its steps. */
export interface WorkflowRow {
  /** Id of the workflow. */
  readonly id: string;
  /** Name of the workflow. */
  readonly name: string;
  /** Organization of the workflow. */
  readonly orgId: string;
  /** Project of the workflow. */
  readonly projectId: string;
  /** Description; null if there is none. */
  readonly description: string | null;
  /** Event that starts the workflow. */
  readonly trigger: Trigger;
  /** Whether events start the workflow. */
  readonly isActive: boolean;
  /** Increases with every change, from 1; a run keeps the version that it started with. */
  readonly version: number;
  /** When the workflow was created. */
  readonly createdAt: Date;
  /** When this version was saved. */
  readonly updatedAt: Date;
}

/** A workflow. */
export interface WorkflowRecord extends WorkflowRow {
  /** Steps, in their order. */
  readonly steps: readonly Step[];
}

/** A saved workflow. */
export interface WorkflowSaved extends WorkflowRecord {
  /** Problems of the workflows. */
  readonly warnings: readonly ImportWarning[];
}

/** Result of an import of workflows. */
export interface ImportAnswer {
  /** Workflows that were created. */
  readonly created: readonly WorkflowSummary[];
  /** Workflows that were changed. */
  readonly updated: readonly {
    /** Id of the workflow. */
    readonly id: string;
    /** Name of the workflow. */
    readonly name: string;
    /** Version after the import. */
    readonly version: number;
    /** Paths of the changed fields. */
    readonly changes: readonly string[];
  }[];
  /** Workflows that were the same already. */
  readonly unchanged: readonly WorkflowSummary[];
  /** Names of workflows that the option `only` excluded. */
  readonly skipped: readonly string[];
  /** Problems of the workflows. */
  readonly warnings: readonly ImportWarning[];
  /** Whether nothing was written. */
  readonly dryRun: boolean;
  /** Id of the import. */
  readonly importId: string;
}

/** Workflows as a file, for git and for imports. */
export interface Bundle {
  /** Version of the format. */
  readonly version: 1;
  /** When the bundle was exported. */
  readonly exportedAt: string;
  /** Workflows with distinct names. */
  readonly workflows: readonly {
    /** Name of the workflow. */
    readonly name: string;
    /** Description; null if there is none. */
    readonly description: string | null;
    /** Event that starts the workflow. */
    readonly trigger: Trigger;
    /** Whether events start the workflow. */
    readonly isActive: boolean;
    /** Steps, in their order. */
    readonly steps: readonly Step[];
  }[];
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly WorkflowSummary: WorkflowSummary;
  readonly WorkflowRow: WorkflowRow;
  readonly WorkflowRecord: WorkflowRecord;
  readonly WorkflowSaved: WorkflowSaved;
  readonly ImportAnswer: ImportAnswer;
  readonly Bundle: Bundle;
}
