import { type AiState, words } from '@beckon/core';
import { z } from 'zod';
import { answerOf, moment, word } from './wire.ts';

const model = z.string().optional();

/** Schemas of this file, by the names that the document gives them. */
export const aiAnswers = {
  AiSettings: answerOf<AiState>()(
    z.object({
      configured: z.boolean(),
      wire: word(words.aiWires).nullable(),
      baseUrl: z.string().nullable(),
      lastFour: z.string().nullable(),
      models: z.object({ generate: model, decide: model, extract: model }),
      prices: z.record(z.string(), z.object({ input: z.number(), output: z.number() })),
      faultyAt: moment.nullable(),
      faultyCode: z.string().nullable(),
      updatedAt: moment.nullable(),
      sharedTokens: z.object({ today: z.int(), perDay: z.int() }),
    }),
  ),
} as const;
