import type { WorkflowSecret } from '@beckon/core';
import { z } from 'zod';
import { answerOf, moment } from './wire.ts';

const secret = answerOf<WorkflowSecret>()(z.object({ name: z.string(), updatedAt: moment }));

/** Schemas of this file, by the names that the document gives them. */
export const secretAnswers = { Secret: secret, SecretRemoved: z.object({ name: z.string() }) } as const;
