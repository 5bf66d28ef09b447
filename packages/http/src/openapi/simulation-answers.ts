// What answers hold about runs that did not take place.

import { CHANNELS, RUN_STATUSES, type Simulation, words } from '@beckon/core';
import { z } from 'zod';
import { dryRunMessage } from './delivery-answers.ts';
import { importWarning } from './import-warning.ts';
import { answerOf, freeForm, moment, word } from './wire.ts';

const simulation = answerOf<Simulation>()(
  z.object({
    workflow: z.object({ name: z.string(), version: z.int().nullable() }),
    verdict: z.enum(['started', 'inactive', 'event', 'filter', 'audience']),
    filters: z.array(z.object({ path: z.string(), wanted: z.string(), found: z.unknown().optional() })).exactOptional(),
    audienceId: z.string().exactOptional(),
    run: z
      .object({
        status: word(RUN_STATUSES),
        outcome: word(words.runOutcomes).nullable(),
        exitReason: word(words.exitReasons).nullable(),
        error: z.string().nullable(),
        startedAt: moment,
        completedAt: moment.nullable(),
        context: freeForm,
        traits: freeForm,
      })
      .nullable(),
    steps: z.array(
      z.object({
        path: z.string(),
        type: word(words.stepTypes),
        name: z.string().nullable(),
        attempt: z.int(),
        startedAt: moment,
        finishedAt: moment,
        outcome: word(words.stepOutcomes),
        reason: z.string().nullable(),
        output: freeForm.nullable(),
        httpStatus: z.int().nullable(),
        isStandIn: z.boolean(),
        send: z
          .object({
            channel: word(CHANNELS),
            class: word(words.sendClasses),
            category: z.string().nullable(),
            abTestId: z.string().nullable(),
            variant: z.string().nullable(),
            messages: z.array(dryRunMessage),
          })
          .nullable(),
        changes: freeForm,
      }),
    ),
    warnings: z.array(importWarning),
  }),
);

export const simulationAnswers = { Simulation: simulation };
