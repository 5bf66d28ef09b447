import { z } from 'zod';
import { answersOf } from '../../../foundation/answers.ts';
import { RUN_OUTCOMES, STEP_OUTCOMES } from '../schema.ts';
import { STEP_TYPES } from '../steps/catalog.ts';
import type { Answers } from './answers.generated.ts';

const workflowTotals = () =>
  z
    .object({
      entered: z.int().describe('Runs that started in the range.'),
      active: z.int().describe('Runs that have not ended.'),
      completed: z.int().describe('Runs that completed.'),
      failed: z.int().describe('Runs that failed.'),
      cancelled: z.int().describe('Runs that were cancelled.'),
      outcomes: z.partialRecord(z.enum(RUN_OUTCOMES), z.int()).describe('Completed runs by result.'),
      exits: z.record(z.string(), z.int()).describe('Runs that ended before their last step, by reason.'),
    })
    .describe('Runs that started in a range, by their current state.');

const stepFigures = () =>
  z
    .object({
      version: z.int().describe('Version of the workflow.'),
      path: z.string().describe('Path of the step in the workflow.'),
      type: z.enum(STEP_TYPES).describe('Type of the step.'),
      name: z.string().nullable().describe('Name of the step; null if it has none or the version is not current.'),
      finished: z.int().describe('Runs in which the step ended; of several attempts the last one counts.'),
      outcomes: z.partialRecord(z.enum(STEP_OUTCOMES), z.int()).describe('Finished steps by result.'),
      active: z.int().describe('Runs that are at the step now.'),
      exits: z.int().describe('Runs that ended at the step before their last one.'),
    })
    .describe('Results of one step of one version of a workflow.');

/** Schemas of the answers about the results of workflows, and of what other figures have in common with them. */
export const figureAnswers = answersOf<Answers>()(() => {
  const FigureSeries = z
    .object({
      key: z.string().describe('Name of the series.'),
      points: z
        .array(z.tuple([z.string(), z.int()]))
        .describe('Start of the interval and count; a day is `2026-03-01`, points of 0 are omitted.'),
    })
    .describe('Counts over time.');
  const FiguresRange = z
    .object({
      from: z.date().describe('Start of the counted range.'),
      to: z.date().describe('End of the counted range.'),
      clamped: z.boolean().describe('Whether the range is shorter than requested.'),
    })
    .describe('The range that was counted.');
  const WorkflowTotals = workflowTotals();
  const StepFigures = stepFigures();
  return {
    FigureSeries,
    FiguresRange,
    WorkflowTotals,
    StepFigures,
    WorkflowFigures: z
      .object({
        workflowId: z.uuid().describe('Id of the workflow.'),
        name: z.string().describe('Name of the workflow.'),
        series: z
          .array(FigureSeries)
          .describe('Series `entered`, `completed`, `failed` and `cancelled`, by the start of the runs.'),
        range: FiguresRange.describe('Counted range; `clamped` also if more than 100,000 runs started in it.'),
        computedAt: z.date().describe('When the figures were computed.'),
        totals: WorkflowTotals.describe('Totals of the range.'),
        steps: z.array(StepFigures).describe('Steps, newest version first; of older versions only those with runs.'),
      })
      .describe('Results of a workflow over time.'),
  };
});
