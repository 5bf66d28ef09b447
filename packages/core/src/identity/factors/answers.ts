import { z } from 'zod';
import { answersOf } from '../../foundation/answers.ts';
import { authAnswers } from '../shapes/answers.ts';
import type { Answers } from './answers.generated.ts';

/** Schemas of the answers of second factors. */
export const factorAnswers = answersOf<Answers>()(() => {
  const MfaFactor = z
    .object({
      id: z.uuid().describe('Factor id.'),
      type: z.enum(['totp']).describe('Type of the factor.'),
      lost: z.boolean().describe('True if the secret is lost after a restore: only a recovery code or a reset helps.'),
      createdAt: z.date().describe('When the factor was enrolled.'),
      lastUsedAt: z.date().nullable().describe('When the factor was last used; null if never.'),
    })
    .describe('A second factor of a user.');
  return {
    MfaFactor,
    MfaEnrollment: z
      .object({
        factorId: z.uuid().describe('Factor id. Send it with the first code.'),
        secret: z.string().describe('Secret in base32, to enter by hand. It is shown once.'),
        otpauthUri: z.string().describe('URI to show as a QR code.'),
      })
      .describe('An authenticator app that waits for its first code.'),
    RecoveryCodes: z
      .object({ recoveryCodes: z.array(z.string()).describe('Ten codes that work once each. They are shown once.') })
      .describe('New recovery codes. Former ones no longer work.'),
    MfaConfirmed: z
      .object({
        recoveryCodes: z.array(z.string()).describe('Ten codes that work once each. They are shown once.'),
        tokens: authAnswers().TokenSet.describe('New tokens of the session, which now counts as one with two factors.'),
      })
      .describe('An enrolled factor.'),
    FactorDeleted: z
      .object({ mfaEnabled: z.boolean().describe('Whether the user still has a second factor.') })
      .describe('A removed factor.'),
    MfaStatus: z
      .object({
        factors: z.array(MfaFactor).describe('Factors of the user.'),
        recoveryCodesLeft: z.int().describe('Recovery codes that were not used.'),
        wrongCodes: z.int().describe('Wrong codes since the last reset. At 100 the user is blocked.'),
        waitUntil: z.date().nullable().describe('Until when no code is checked; null: no wait.'),
        blockedAt: z.date().nullable().describe('When wrong codes blocked the user; null: not blocked.'),
      })
      .describe('Second factors of a user, as support staff sees them.'),
    MfaReset: z
      .object({ revoked: z.int().describe('Sessions that were ended.') })
      .describe('A reset of the second factors of a user.'),
  };
});
