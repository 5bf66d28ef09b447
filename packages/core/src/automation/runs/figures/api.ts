import type { RunOutcome, StepOutcome } from '../schema.ts';
import type { STEP_TYPES } from '../steps/catalog.ts';

/** How long the time of one point is. Source: contract, Analytics. */
export const FIGURE_INTERVALS = ['hour', 'day', 'week', 'month'] as const;
export type FigureInterval = (typeof FIGURE_INTERVALS)[number];

export type FiguresQuery = {
  /** Runs that began from here on; by default 30 days before `to`. */
  readonly from?: Date | undefined;
  /** Runs that began before; by default now. */
  readonly to?: Date | undefined;
  /** By default `day`. */
  readonly interval?: FigureInterval | undefined;
  /** An IANA zone, in which days, weeks and months begin; by default `UTC`. */
  readonly timezone?: string | undefined;
};

/** The beginning of an interval (a day as `2026-03-01`, weeks from Monday on; an hour as a moment) and how many. */
export type FigurePoint = readonly [t: string, n: number];

/** Runs that began in a range, by what has become of them until now. */
export type WorkflowTotals = {
  readonly entered: number;
  /** Not over yet. */
  readonly active: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Of those that are completed. */
  readonly outcomes: Readonly<Partial<Record<RunOutcome, number>>>;
  /** Of those that ended before their last step: why. */
  readonly exits: Readonly<Record<string, number>>;
};

/** One step of one version, over the same runs. */
export type StepFigures = {
  readonly version: number;
  readonly path: string;
  readonly type: (typeof STEP_TYPES)[number];
  /** Of a step of the current version that has one. */
  readonly name: string | null;
  /** Runs in which it ended, whatever its outcome; of several attempts the last one counts. */
  readonly done: number;
  readonly outcomes: Readonly<Partial<Record<StepOutcome, number>>>;
  /** Runs that stand at it now. */
  readonly active: number;
  /** Runs that ended at it before their last step: by its word, by its error, by a failure or a cancel. */
  readonly exits: number;
};

/**
 * The range that was counted. `clamped` is true when it is shorter than requested: it starts at the plan's retention at the
 * earliest and ends with the current interval, or now, at the latest.
 */
export type FiguresRange = { readonly from: Date; readonly to: Date; readonly clamped: boolean };

/** Counts of one thing over time; points of 0 are left out. */
export type FigureSeries = { readonly key: string; readonly points: readonly FigurePoint[] };

export type WorkflowFigures = {
  readonly workflowId: string;
  readonly name: string;
  /** Keys: `entered`, `completed`, `failed`, `cancelled`; points are by when runs began, those of 0 are left out. */
  readonly series: readonly FigureSeries[];
  readonly totals: WorkflowTotals;
  /** Newest version first, in the order of the definition; all steps of the current version, of others those with runs. */
  readonly steps: readonly StepFigures[];
  /** `clamped`: also where there were more than 100,000 runs, and the older ones were left out. */
  readonly range: FiguresRange;
  readonly computedAt: Date;
};
