import { z } from 'zod';
import { answersOf, freeForm, scopeFields } from '../../foundation/answers.ts';
import { aiAnswers } from '../ai/answers.ts';
import type { Answers } from './answers.generated.ts';
import { EXIT_REASONS, RUN_OUTCOMES, RUN_STATUSES, STEP_OUTCOMES } from './schema.ts';
import { STEP_TYPES } from './steps/catalog.ts';
import { IMPORT_WARNINGS } from './steps/import-warnings.ts';

const triggerEvent = () =>
  z
    .object({
      id: z.uuid().describe('Id of the event.'),
      eventType: z.string().describe('Name of the event.'),
      module: z.string().describe('Part of the application that sent the event.'),
      properties: freeForm().describe('Properties of the event.'),
      timestamp: z.iso.datetime().describe('When the event happened (ISO 8601).'),
      userId: z.string().nullable().describe('User of the event; null if only the anonymous id is known.'),
      anonymousId: z.string().nullable().describe('Anonymous id of the visitor; null if there is none.'),
    })
    .describe('The event that started a run, as the run stores it.');

const runFields = () => ({
  id: z.uuid().describe('Id of the run.'),
  ...scopeFields('run'),
  workflowId: z.uuid().describe('Id of the workflow.'),
  workflowName: z.string().describe('Name of the workflow.'),
  workflowVersion: z.int().describe('Version of the workflow that the run executes.'),
  userId: z.string().nullable().describe('User of the run; null if only the anonymous id is known.'),
  anonymousId: z.string().nullable().describe('Anonymous id of the visitor; null if there is none.'),
  triggerEventId: z.uuid().describe('Event that started the run.'),
});

/** Schemas of the answers about workflow runs. */
export const runAnswers = answersOf<Answers>()(() => {
  const TriggerEvent = triggerEvent();
  const Run = z
    .object({
      ...runFields(),
      triggerEvent: TriggerEvent.describe('Copy of the event that started the run.'),
      status: z.enum(RUN_STATUSES).describe('Status of the run.'),
      outcome: z
        .enum(RUN_OUTCOMES)
        .nullable()
        .describe('Result; `partial`: some steps failed. Null until the run ends or a step fails.'),
      depth: z.int().describe('Runs that caused this one, one after the other; 0 for an event from outside.'),
      exitReason: z
        .enum(EXIT_REASONS)
        .nullable()
        .describe('Why the run ended before its last step; null if it did not.'),
      cursor: z.string().describe('Path of the next step.'),
      next_step_at: z.date().nullable().describe('When the next step is due; null if the run has ended.'),
      attempt: z.int().describe('Attempts at the next step so far.'),
      startedAt: z.date().describe('When the run started.'),
      completedAt: z.date().nullable().describe('When the run ended; null before that.'),
      error: z.string().nullable().describe('What failed, in one sentence; null if nothing did.'),
      context: freeForm().describe('Outputs of steps by `saveAs`.'),
    })
    .describe('One execution of a workflow for one user and one event.');
  const RunStep = z
    .object({
      path: z.string().describe('Path of the step in the workflow.'),
      type: z.enum(STEP_TYPES).describe('Type of the step.'),
      outcome: z.enum(STEP_OUTCOMES).describe('Result of the step.'),
      reason: z
        .string()
        .nullable()
        .describe('Why the step did not succeed, such as `invalid_address`; null if it did.'),
      attempt: z.int().describe('Number of the attempt, from 1.'),
      startedAt: z.date().describe('When the attempt started.'),
      finishedAt: z.date().describe('When the attempt ended.'),
      sendId: z.uuid().nullable().describe('Send of the step; null if it sent nothing.'),
      httpStatus: z.int().nullable().describe('HTTP status of the called service; null if none was called.'),
      output: freeForm()
        .nullable()
        .describe('Output of the step, which later steps read by `saveAs`; null without output.'),
      usage: aiAnswers().StepUsage.nullable().describe('What an AI step used; null for other steps.'),
    })
    .describe('One attempt at a step of a run.');
  const ImportWarning = z
    .object({
      name: z.string().describe('Name of the workflow.'),
      path: z.string().describe('Field of the warning, such as `steps.0.config.subject`.'),
      code: z.enum(IMPORT_WARNINGS).describe('Stable code of the warning.'),
      message: z.string().describe('The warning, in one sentence.'),
    })
    .describe('A problem of a workflow that does not prevent saving it.');
  return {
    ImportWarning,
    TriggerEvent,
    Run,
    RunStep,
    RunWithSteps: Run.extend({ steps: z.array(RunStep).describe('Executed steps, in their order.') }).describe(
      'A run with its executed steps.',
    ),
  };
});
