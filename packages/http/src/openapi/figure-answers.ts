// What answers hold about what became of things over time.

import { type WorkflowFigures, words } from '@beckon/core';
import { z } from 'zod';
import { answerOf, id, moment, word } from './wire.ts';

const count = z.int();
const workflowFigures = answerOf<WorkflowFigures>()(
  z.object({
    workflowId: id,
    name: z.string(),
    series: z.array(z.object({ key: z.string(), points: z.array(z.tuple([z.string(), count])) })),
    totals: z.object({
      entered: count,
      active: count,
      completed: count,
      failed: count,
      cancelled: count,
      outcomes: z.partialRecord(word(words.runOutcomes), count),
      exits: z.record(z.string(), count),
    }),
    steps: z.array(
      z.object({
        version: count,
        path: z.string(),
        type: word(words.stepTypes),
        name: z.string().nullable(),
        done: count,
        outcomes: z.partialRecord(word(words.stepOutcomes), count),
        active: count,
        exits: count,
      }),
    ),
    range: z.object({ from: moment, to: moment, clamped: z.boolean() }),
    computedAt: moment,
  }),
);

export const figureAnswers = { WorkflowFigures: workflowFigures };
