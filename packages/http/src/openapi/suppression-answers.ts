// What answers hold about the lists of addresses that nothing is sent to.

import { LIST_CHANNELS, LIST_REASONS, LIST_SOURCES, type Suppression } from '@beckon/core';
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

/** Schemas of this file, by the names that the document gives them. */
export const suppressionAnswers = {
  Suppression: suppression,
  SuppressionsAdded: z.object({ added: z.int(), known: z.int() }),
  SuppressionsRemoved: z.object({ removed: z.int() }),
} as const;
