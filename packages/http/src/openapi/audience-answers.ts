import {
  AUDIENCE_KINDS,
  AUDIENCE_STATUSES,
  type Audience,
  type AudienceMember,
  type AudienceSummary,
} from '@beckon/core';
import { z } from 'zod';
import { answerOf, freeForm, id, moment, owner, word } from './wire.ts';

/** A node of a predicate with its verdict; of a leaf also what it saw. */
const explanation = z.looseObject({ verdict: z.enum(['true', 'false', 'unknown']) });

/** Schemas of this file, by the names that the document gives them. */
export const audienceAnswers = {
  Audience: answerOf<Audience>()(
    z.object({
      id,
      ...owner,
      name: z.string(),
      description: z.string().nullable(),
      kind: word(AUDIENCE_KINDS),
      // Safe: stored predicates were read by the schema of bodies, and JSON keeps them as they are.
      predicate: freeForm.nullable() as unknown as z.ZodType<Audience['predicate']>,
      memberCount: z.int(),
      countedAt: moment,
      status: word(AUDIENCE_STATUSES),
      version: z.int(),
      createdAt: moment,
      updatedAt: moment,
    }),
  ),
  AudienceSummary: answerOf<AudienceSummary>()(z.object({ id, name: z.string() })),
  AudienceMember: answerOf<AudienceMember>()(z.object({ userId: z.string(), joinedAt: moment })),
  AudienceExplanation: z.object({
    audienceId: id,
    name: z.string(),
    userId: z.string(),
    isMember: z.boolean(),
    explanation: explanation.nullable(),
  }),
  MembersAdded: z.object({ added: z.int(), known: z.int() }),
  MembersRemoved: z.object({ removed: z.int() }),
} as const;
