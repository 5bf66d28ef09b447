// What answers hold about what became of things over time.

import {
  type EventCounts,
  type Funnel,
  type Overview,
  type Retention,
  type SendFigures,
  type Usage,
  type WorkflowFigures,
  words,
} from '@beckon/core';
import { z } from 'zod';
import { answerOf, id, moment, word } from './wire.ts';

const count = z.int();
const common = {
  series: z.array(z.object({ key: z.string(), points: z.array(z.tuple([z.string(), count])) })),
  range: z.object({ from: moment, to: moment, clamped: z.boolean() }),
  computedAt: moment,
};
const sendCounts = {
  targeted: count,
  sent: count,
  delivered: count,
  opened: count,
  clicked: count,
  bounced: count,
  failed: count,
  suppressed: count,
};
const isEstimated = z.boolean();
const overview = answerOf<Overview>()(
  z.object({ ...common, totals: z.object({ events: count, people: count, isEstimated, ...sendCounts }) }),
);
const eventCounts = answerOf<EventCounts>()(
  z.object({ ...common, totals: z.object({ events: count, others: count }) }),
);
const sendFigures = answerOf<SendFigures>()(
  z.object({
    ...common,
    totals: z.object({ ...sendCounts, groups: z.array(z.object({ key: z.string(), ...sendCounts })) }),
  }),
);
const funnel = answerOf<Funnel>()(
  z.object({
    ...common,
    totals: z.object({
      steps: z.array(z.object({ eventType: z.string(), people: count })),
      conversion: z.number(),
      isEstimated,
    }),
  }),
);
const retention = answerOf<Retention>()(z.object({ ...common, totals: z.object({ people: count, isEstimated }) }));
const usage = answerOf<Usage>()(
  z.object({ ...common, totals: z.object({ events: count, plan: z.string(), eventsPerMonth: count.nullable() }) }),
);
const workflowFigures = answerOf<WorkflowFigures>()(
  z.object({
    workflowId: id,
    name: z.string(),
    ...common,
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
  }),
);

export const figureAnswers = {
  WorkflowFigures: workflowFigures,
  Overview: overview,
  EventCounts: eventCounts,
  SendFigures: sendFigures,
  Funnel: funnel,
  Retention: retention,
  Usage: usage,
};
