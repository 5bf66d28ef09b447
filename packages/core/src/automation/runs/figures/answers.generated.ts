// Made of the schemas in answers.ts by `npm run openapi`.

/** Counts over time. */
export interface FigureSeries {
  /** Name of the series. */
  readonly key: string;
  /** Start of the interval and count; a day is `2026-03-01`, points of 0 are omitted. */
  readonly points: readonly (readonly [string, number])[];
}

/** The range that was counted. */
export interface FiguresRange {
  /** Start of the counted range. */
  readonly from: Date;
  /** End of the counted range. */
  readonly to: Date;
  /** Whether the range is shorter than requested. */
  readonly clamped: boolean;
}

/** Runs that started in a range, by their current state. */
export interface WorkflowTotals {
  /** Runs that started in the range. */
  readonly entered: number;
  /** Runs that have not ended. */
  readonly active: number;
  /** Runs that completed. */
  readonly completed: number;
  /** Runs that failed. */
  readonly failed: number;
  /** Runs that were cancelled. */
  readonly cancelled: number;
  /** Completed runs by result. */
  readonly outcomes: Readonly<Partial<Record<'ok' | 'partial' | 'error', number>>>;
  /** Runs that ended before their last step, by reason. */
  readonly exits: Readonly<Record<string, number>>;
}

/** Results of one step of one version of a workflow. */
export interface StepFigures {
  /** Version of the workflow. */
  readonly version: number;
  /** Path of the step in the workflow. */
  readonly path: string;
  /** Type of the step. */
  readonly type: 'send_email' | 'send_push' | 'send_sms' | 'update_profile' | 'webhook' | 'branch' | 'wait' | 'ai_action';
  /** Name of the step; null if it has none or the version is not current. */
  readonly name: string | null;
  /** Runs in which the step ended; of several attempts the last one counts. */
  readonly finished: number;
  /** Finished steps by result. */
  readonly outcomes: Readonly<Partial<Record<'ok' | 'skipped' | 'suppressed' | 'error' | 'ai_unavailable' | 'timed_out' | 'cancelled', number>>>;
  /** Runs that are at the step now. */
  readonly active: number;
  /** Runs that ended at the step before their last one. */
  readonly exits: number;
}

/** Results of a workflow over time. */
export interface WorkflowFigures {
  /** Id of the workflow. */
  readonly workflowId: string;
  /** Name of the workflow. */
  readonly name: string;
  /** Series `entered`, `completed`, `failed` and `cancelled`, by the start of the runs. */
  readonly series: readonly FigureSeries[];
  /** Counted range; `clamped` also if more than 100,000 runs started in it. */
  readonly range: FiguresRange;
  /** When the figures were computed. */
  readonly computedAt: Date;
  /** Totals of the range. */
  readonly totals: WorkflowTotals;
  /** Steps, newest version first; of older versions only those with runs. */
  readonly steps: readonly StepFigures[];
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly FigureSeries: FigureSeries;
  readonly FiguresRange: FiguresRange;
  readonly WorkflowTotals: WorkflowTotals;
  readonly StepFigures: StepFigures;
  readonly WorkflowFigures: WorkflowFigures;
}
