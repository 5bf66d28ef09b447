// What answers hold about what people do not want to get.

import { LIST_CHANNELS, LIST_REASONS, LIST_SOURCES, type Subscriptions, type Suppression } from '@beckon/core';
import { z } from 'zod';
import { answerOf, id, moment, word } from './wire.ts';

const suppression = answerOf<Suppression>()(
  z.object({
    channel: word(LIST_CHANNELS),
    address: z.string(),
    reason: word(LIST_REASONS),
    sender: z.string().nullable(),
    source: word(LIST_SOURCES),
    messageId: id.nullable(),
    createdAt: moment,
  }),
);

const ofChannel = z.object({ subscribed: z.boolean(), categories: z.record(z.string(), z.boolean()) });
const subscriptions = answerOf<Subscriptions>()(
  z.object({ userId: z.string(), push: ofChannel, email: ofChannel, sms: ofChannel }),
);

/** Schemas of this file, by the names that the document gives them. */
export const suppressionAnswers = {
  Subscriptions: subscriptions,
  Suppression: suppression,
  SuppressionsAdded: z.object({ added: z.int(), known: z.int() }),
  SuppressionsRemoved: z.object({ removed: z.int() }),
} as const;
