import type { Step } from '../steps/list.ts';
import type { WorkflowFigures } from './answers.generated.ts';

// Statistics of a workflow's runs. Counted from the rows on request, so that later changes (bounces, retries, erasures)
// are included and runs cost nothing extra. Reads slices, newest first, by the index that makes runs unique: event ids
// begin with their time.

import { nextTurn } from '../../../foundation/contained.ts';
import { firstIdOf, millisecondOf } from '../../../foundation/derived-id.ts';
import { validationError } from '../../../foundation/errors.ts';
import { timeRange } from '../../../foundation/page.ts';
import type { InScope } from '../../../foundation/scope.ts';
import { zoneClock } from '../../../foundation/zone-clock.ts';
import type { Platform } from '../../../platform/platform.ts';
import { type ArmsOf, stepsWithPaths } from '../cursor.ts';
import { runStore } from '../store.ts';
import type { RunTables } from '../tables.ts';
import type { FiguresQuery } from './api.ts';
import { FIGURE_INTERVALS } from './api.ts';
import { type CountedRun, type CountedSteps, type CurrentStep, tallyOf } from './tally.ts';

/** Default range in days before `to`. Chosen. */
const DEFAULT_DAYS = 30;
const DAY_MS = 86_400_000;
/** Maximum counted runs. Chosen: some seconds of work in slices. */
export const MAX_COUNTED_RUNS = 100_000;
/** Runs per slice. Chosen: some milliseconds before others proceed. */
const SLICE = 500;

/** The current workflow. */
export type FiguredWorkflow = {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly steps: readonly Step[];
};

const rangeOf = ({ interval = 'day', timezone = 'UTC', ...query }: FiguresQuery, now: Date) => {
  const zone = zoneClock(timezone);
  if (!zone) throw validationError({ timezone: ['must be an IANA zone such as Europe/Berlin'] });
  if (!FIGURE_INTERVALS.includes(interval))
    throw validationError({ interval: [`must be one of ${FIGURE_INTERVALS.join(', ')}`] });
  const requested = timeRange(query);
  // Runs of the current millisecond count; later ones do not exist.
  const latestMs = now.getTime() + 1;
  const toMs = Math.min(requested.toMs ?? latestMs, latestMs);
  const isInFuture = requested.toMs !== null && requested.toMs > latestMs;
  const fromMs = Math.min(requested.fromMs ?? Math.min(toMs, now.getTime()) - DEFAULT_DAYS * DAY_MS, toMs);
  return { interval, zone, fromMs, toMs, isInFuture };
};

/** Statistics of the runs of a workflow. */
export type CountRuns = (scope: InScope, workflow: FiguredWorkflow, query?: FiguresQuery) => Promise<WorkflowFigures>;

/** Creates the counter. It throws VALIDATION_ERROR for an invalid interval, time zone or time, and INVALID_RANGE. */
export const runFigures = (
  { storage, tables, clock }: Pick<Platform<RunTables>, 'storage' | 'tables' | 'clock'>,
  armsOf: ArmsOf,
  maxRuns = MAX_COUNTED_RUNS,
): CountRuns => {
  const store = runStore({ db: storage.db, dialect: storage.dialect, tables });
  const stepsOf = async (scope: InScope, runs: readonly (CountedRun & { readonly id: string })[]) => {
    const ended: CountedSteps[] = [];
    for (const [version, ofVersion] of Map.groupBy(runs, ({ workflowVersion }) => workflowVersion)) {
      const ids = ofVersion.map(({ id }) => id);
      for (const counted of await store.countedSteps(scope, ids)) ended.push({ version, ...counted });
    }
    return ended;
  };
  return async (scope, workflow, query = {}) => {
    const computedAt = clock.now();
    const { interval, zone, fromMs, toMs, isInFuture } = rangeOf(query, computedAt);
    const currentSteps = stepsWithPaths(workflow.steps, armsOf).map(([path, { type, config }]): CurrentStep => {
      const { name } = config;
      // Safe: a stored step has a type of this program, or of a newer one, whose name is returned unchanged.
      return { path, type: type as CurrentStep['type'], name: typeof name === 'string' ? name : null };
    });
    const tally = tallyOf({ version: workflow.version, steps: currentSteps }, interval, zone);
    const from = firstIdOf(fromMs);
    let before = firstIdOf(toMs);
    let counted = 0;
    for (;;) {
      const limit = Math.min(SLICE, maxRuns - counted);
      const runs = limit === 0 ? [] : await store.countedRuns(scope, workflow.id, { from, before }, limit);
      const oldest = runs.at(-1)?.triggerEventId;
      if (oldest === undefined) break;
      tally.add(runs, await stepsOf(scope, runs));
      counted += runs.length;
      before = oldest;
      if (runs.length < limit) break;
      await nextTurn();
    }
    const isCut = counted === maxRuns && (await store.countedRuns(scope, workflow.id, { from, before }, 1)).length > 0;
    const range = {
      from: new Date(isCut ? millisecondOf(before) : fromMs),
      to: query.to === undefined || isInFuture ? computedAt : query.to,
      clamped: isCut || isInFuture,
    };
    return { workflowId: workflow.id, name: workflow.name, ...tally.result(), range, computedAt };
  };
};
