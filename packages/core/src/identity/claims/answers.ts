import { z } from 'zod';
import { answersOf } from '../../foundation/answers.ts';
import type { Answers } from './answers.generated.ts';

/** Schemas of the answers of claims templates. */
export const claimsAnswers = answersOf<Answers>()(() => ({
  ClaimsTemplate: z
    .object({
      template: z
        .record(z.string(), z.unknown())
        .nullable()
        .describe('Claims that access tokens get in addition, by name; null: none.'),
      updatedAt: z.date().nullable().describe('When the template was last changed; null without a template.'),
    })
    .describe('Claims template of an environment.'),
  ClaimsPreview: z
    .object({
      claims: z
        .record(z.string(), z.unknown())
        .nullable()
        .describe('Rendered claims; null if tokens are issued without them.'),
      skipped: z
        .enum(['too_large', 'profile_unreadable'])
        .nullable()
        .describe('Why tokens are issued without the claims: more than 4 KB, or the profile cannot be read.'),
    })
    .describe('Claims as an access token would have them.'),
}));
