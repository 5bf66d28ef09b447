// Adds up runs by slices. Pure; independent of how they are read.

import type { ZoneClock } from '../../../foundation/zone-clock.ts';
import { comparePaths } from '../cursor.ts';
import type { RunRow, RunStepRow } from '../store.ts';
import type { StepFigures, WorkflowFigures, WorkflowTotals } from './answers.generated.ts';
import type { FigureInterval, FigurePoint } from './api.ts';
import { intervalOf } from './interval.ts';

/** The counted columns of a run. */
export type CountedRun = Pick<
  RunRow,
  'workflowVersion' | 'status' | 'outcome' | 'exitReason' | 'cursor' | 'startedAt' | 'dueAt'
>;
/** Number of runs of a version whose step ended with an outcome. */
export type CountedSteps = Pick<RunStepRow, 'path' | 'type' | 'outcome'> & {
  readonly version: number;
  readonly count: number;
};
/** A step of the current version. */
export type CurrentStep = Pick<StepFigures, 'path' | 'type' | 'name'>;

const SERIES = ['entered', 'completed', 'failed', 'cancelled'] as const;
type Counts = Record<string, number>;
type Tallied = { -readonly [Key in keyof StepFigures]: StepFigures[Key] } & { outcomes: Counts };

const add = (counts: Counts, key: string, n = 1): void => {
  counts[key] = (counts[key] ?? 0) + n;
};

/** Whether the run ended before the end of its steps; a completed run without exit reason did not. */
const isExit = ({ status, exitReason }: CountedRun): boolean =>
  status === 'failed' || status === 'cancelled' || exitReason !== null;

/** Creates a tally of one workflow's runs. */
export const tallyOf = (
  current: { readonly version: number; readonly steps: readonly CurrentStep[] },
  interval: FigureInterval,
  zone: ZoneClock,
) => {
  const totals = { entered: 0, active: 0, completed: 0, failed: 0, cancelled: 0 };
  const [outcomes, exits]: [Counts, Counts] = [{}, {}];
  const points = new Map(SERIES.map((key) => [key, new Map<string, number>()]));
  const steps = new Map<string, Tallied>();

  /** Undefined for an unknown step at which a run is positioned, such as one that never ran. */
  const stepAt = (
    version: number,
    path: string,
    type?: StepFigures['type'],
    name: string | null = null,
  ): Tallied | undefined => {
    const key = `${version}/${path}`;
    const there = steps.get(key);
    if (there || type === undefined) return there;
    const made: Tallied = { version, path, type, name, finished: 0, outcomes: {}, active: 0, exits: 0 };
    steps.set(key, made);
    return made;
  };
  for (const { path, type, name } of current.steps) stepAt(current.version, path, type, name);

  return {
    /** Adds a slice of runs, and the outcomes of their steps. */
    add: (runs: readonly CountedRun[], ended: readonly CountedSteps[]): void => {
      for (const { version, path, type, outcome, count } of ended) {
        const step = stepAt(version, path, type);
        if (!step) continue;
        step.finished += count;
        add(step.outcomes, outcome, count);
      }
      for (const run of runs) {
        const { workflowVersion, status, outcome, exitReason, cursor, startedAt, dueAt } = run;
        const at = intervalOf(startedAt.getTime(), interval, zone);
        totals.entered += 1;
        const keys: (typeof SERIES)[number][] = ['entered'];
        if (status === 'completed' || status === 'failed' || status === 'cancelled') {
          totals[status] += 1;
          keys.push(status);
        }
        for (const key of keys) {
          const series = points.get(key);
          series?.set(at, (series.get(at) ?? 0) + 1);
        }
        if (status === 'completed' && outcome !== null) add(outcomes, outcome);
        if (exitReason !== null) add(exits, exitReason);
        const step = stepAt(workflowVersion, cursor);
        if (dueAt !== null) totals.active += 1;
        if (step && dueAt !== null) step.active += 1;
        if (step && isExit(run)) step.exits += 1;
      }
    },
    result: (): Pick<WorkflowFigures, 'series' | 'steps'> & { readonly totals: WorkflowTotals } => ({
      series: SERIES.map((key) => ({
        key,
        points: [...(points.get(key) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1)) satisfies FigurePoint[],
      })),
      totals: { ...totals, outcomes, exits },
      steps: [...steps.values()].sort((a, b) => b.version - a.version || comparePaths(a.path, b.path)),
    }),
  };
};
