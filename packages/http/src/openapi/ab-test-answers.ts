// What answers hold about A/B tests.

import { type AbTest, type AbTestStats, CHANNELS, words } from '@beckon/core';
import { z } from 'zod';
import { answerOf, id, moment, owner, word } from './wire.ts';

const count = z.int();
const status = word(words.abTestStatuses);
const metric = z.object({
  type: word(words.abTestMetrics),
  eventType: z.string().exactOptional(),
  windowHours: z.number(),
});
const abTest = answerOf<AbTest>()(
  z.object({
    id,
    ...owner,
    name: z.string(),
    channel: word(CHANNELS),
    status,
    variants: z.array(z.looseObject({ key: z.string(), weight: z.number() })),
    metric,
    winnerKey: z.string().nullable(),
    assignedAt: moment.nullable(),
    startedAt: moment,
    completedAt: moment.nullable(),
    updatedAt: moment,
  }),
);
const abTestStats = answerOf<AbTestStats>()(
  z.object({
    id,
    status,
    metric,
    variants: z.array(
      z.object({
        key: z.string(),
        weight: z.number(),
        assigned: count,
        reached: count,
        sent: count,
        delivered: count,
        failed: count,
        suppressed: count,
        uniqueOpened: count,
        uniqueClicked: count,
        opened: count,
        clicked: count,
        converted: count,
        openRate: z.number(),
        clickRate: z.number(),
        conversionRate: z.number(),
        lift: z.number().nullable(),
        ci95: z.tuple([z.number(), z.number()]),
        probabilityToBeBest: z.number(),
      }),
    ),
    srm: z.object({ chi2: z.number(), pValue: z.number(), warning: z.boolean() }),
    leader: z.string().nullable(),
    significant: z.boolean(),
    isPartial: z.boolean(),
    updatedAt: moment,
  }),
);

/** Schemas of this file, by the names that the document gives them. */
export const abTestAnswers = { AbTest: abTest, AbTestStats: abTestStats } as const;
