// Bodies of guests.

import { z } from 'zod';
import { exchangeBody } from '../exchange/bodies.ts';
import { captchaToken, signUpBody } from '../shapes/bodies.ts';

export const guestBody = z.strictObject({
  metadata: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('Your own data about the guest. At most 4 KB; more is cut. Default: none.'),
  anonymousId: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe('anonymousId of the SDK. Its profile is merged into the profile of the guest. Default: none.'),
  captchaToken,
});
/** An upgrade with an email address and a password. */
export const guestSignUpBody = signUpBody.pick({
  email: true,
  password: true,
  redirectTo: true,
  codeChallenge: true,
  captchaToken: true,
});
/** Or with an identity at a provider: the code of a redirect. */
export const guestUpgradeBody = z.union([guestSignUpBody, exchangeBody.omit({ deviceToken: true })]);
