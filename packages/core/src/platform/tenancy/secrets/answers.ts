import { z } from 'zod';
import { answersOf } from '../../../foundation/answers.ts';
import type { Answers } from './answers.generated.ts';

/** Schemas of the answers about secrets of workflows. */
export const secretAnswers = answersOf<Answers>()(() => ({
  WorkflowSecret: z
    .object({
      name: z.string().describe('Name of the secret; workflows read it as `{{secret.NAME}}`.'),
      updatedAt: z.date().describe('When the value was last set.'),
    })
    .describe('A secret of workflows, without its value.'),
  SecretRemoved: z.object({ name: z.string().describe('Name of the removed secret.') }).describe('A removed secret.'),
}));
