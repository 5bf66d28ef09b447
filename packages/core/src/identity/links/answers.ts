import { z } from 'zod';
import { answersOf } from '../../foundation/answers.ts';
import { authAnswers } from '../shapes/answers.ts';
import type { Answers } from './answers.generated.ts';

/** Schemas of the answers of sign-in by email. */
export const linkAnswers = answersOf<Answers>()(() => ({
  GuestUpgraded: z
    .union([authAnswers().SignedUp, authAnswers().TokenSet])
    .describe('An address to verify, or with the code of a redirect tokens of the same session.'),
  AuthChallengeSent: z
    .object({
      sent: z.literal(true).describe('Always true, whether the address has an account or not.'),
      challengeId: z.uuid().describe('Send it with the code of the email.'),
    })
    .describe('An email with a code was requested.'),
}));
