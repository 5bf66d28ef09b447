import { z } from 'zod';
import { answersOf, freeForm } from '../../../foundation/answers.ts';
import { CHANNELS, SEND_CLASSES } from '../../../foundation/channel.ts';
import { sendAnswers } from '../../../messaging/sends/answers.ts';
import { eventAnswers } from '../../../people/events/answers.ts';
import { runAnswers } from '../../runs/answers.ts';
import { EXIT_REASONS, RUN_OUTCOMES, RUN_STATUSES, STEP_OUTCOMES } from '../../runs/schema.ts';
import { STEP_TYPES } from '../../runs/steps/catalog.ts';
import type { Answers } from './answers.generated.ts';

const simulatedRun = () =>
  z.object({
    status: z.enum(RUN_STATUSES).describe('Status at the end.'),
    outcome: z.enum(RUN_OUTCOMES).nullable().describe('Result; null if the run did not end.'),
    exitReason: z.enum(EXIT_REASONS).nullable().describe('Why the run ended before its last step; null if it did not.'),
    error: z.string().nullable().describe('What failed, in one sentence; null if nothing did.'),
    startedAt: z.date().describe('When the run would start.'),
    completedAt: z.date().nullable().describe('When the run would end; null if it does not end.'),
    context: freeForm().describe('Outputs of steps by `saveAs`.'),
    traits: freeForm().describe('Traits of the user at the end.'),
  });

/** Schemas of the answers about simulations. */
export const simulationAnswers = answersOf<Answers>()(() => {
  const SimulatedSend = z
    .object({
      channel: z.enum(CHANNELS).describe('Channel.'),
      class: z.enum(SEND_CLASSES).describe('Class of the send.'),
      category: z.string().nullable().describe('Subscription category; null if there is none.'),
      abTestId: z.string().nullable().describe('A/B test of the step; null if there is none.'),
      variant: z
        .string()
        .nullable()
        .describe('Variant of the user; null without a running test, and without a database.'),
      messages: z.array(sendAnswers().DryRunMessage).describe('Messages that would be sent.'),
    })
    .describe('What a step would send.');
  const SimulatedStep = z
    .object({
      path: z.string().describe('Path of the step in the workflow.'),
      type: z.enum(STEP_TYPES).describe('Type of the step.'),
      name: z.string().nullable().describe('Name of the step; null if it has none.'),
      attempt: z.int().describe('Number of the attempt, from 1.'),
      startedAt: z.date().describe('When the step would start.'),
      finishedAt: z.date().describe('When the step would end.'),
      outcome: z.enum(STEP_OUTCOMES).describe('Result of the step.'),
      reason: z.string().nullable().describe('Why the step would not succeed; null if it would.'),
      output: freeForm().nullable().describe('Output of the step; null without output.'),
      httpStatus: z.int().nullable().describe('HTTP status of the called service; null if none is called.'),
      isMocked: z
        .boolean()
        .describe('Whether the result is mocked: taken from the request, or assumed because no service was called.'),
      send: SimulatedSend.nullable().describe('What the step would send; null if nothing.'),
      changes: freeForm().describe('Traits that the step would change; a null unsets a trait.'),
    })
    .describe('A step of a simulated run.');
  return {
    SimulatedSend,
    SimulatedStep,
    Simulation: z
      .object({
        workflow: z
          .object({
            name: z.string().describe('Name of the workflow.'),
            version: z.int().nullable().describe('Version of the workflow; null if it is not stored.'),
          })
          .describe('The simulated workflow.'),
        verdict: z
          .enum(['started', 'inactive', 'event', 'filter', 'audience'])
          .describe(
            '`event`: the trigger has another name; `filter`: a filter does not match; `audience`: the user is not a member; `inactive`: disabled, the steps show what it would do.',
          ),
        filters: z
          .array(eventAnswers().FilterMismatch)
          .optional()
          .describe('Filters that do not match; only for `filter`.'),
        audienceId: z.string().optional().describe('Audience without the user; only for `audience`.'),
        run: simulatedRun().nullable().describe('The simulated run; null if none would start.'),
        steps: z.array(SimulatedStep).describe('Steps, in the order of their execution.'),
        warnings: z
          .array(runAnswers().ImportWarning)
          .describe('Problems of the workflow that do not prevent saving it.'),
      })
      .describe('What a workflow would do for an event; nothing is written or sent.'),
  };
});
