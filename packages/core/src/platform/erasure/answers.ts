import { z } from 'zod';
import { answersOf } from '../../foundation/answers.ts';
import type { Answers } from './answers.generated.ts';

/** Schemas of the answers about erasures. */
export const erasureAnswers = answersOf<Answers>()(() => ({
  ErasureRequested: z.object({ erasureId: z.uuid().describe('Id of the erasure.') }).describe('A requested erasure.'),
  Erasure: z
    .object({
      id: z.uuid().describe('Id of the erasure.'),
      status: z.enum(['pending', 'done']).describe('Whether everything was erased.'),
      createdAt: z.date().describe('When the erasure was requested.'),
      finishedAt: z.date().nullable().describe('When everything was erased; null before that.'),
    })
    .describe('An erasure of a user; it does not name the user.'),
}));
