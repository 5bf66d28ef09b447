// Bodies of sign-in by email: links and codes.

import { z } from 'zod';
import {
  captchaToken,
  challengeId,
  codeChallenge,
  codeVerifier,
  email,
  MAX_EMAILED_CODE,
  MAX_TOKEN,
  redirectTo,
} from '../shapes/bodies.ts';

const createUser = z
  .boolean()
  .default(true)
  .describe(
    'Whether an address without an account gets one when the link or code is used. Has no effect while sign-up is disabled. Default: true.',
  );
const code = z.string().max(MAX_EMAILED_CODE).describe('Code in the email. Blanks and hyphens are ignored.');

export const magicLinkBody = z.strictObject({
  email,
  redirectTo,
  codeChallenge: codeChallenge.describe(
    'PKCE code challenge (S256). The link then works only with its verifier. Default: none.',
  ),
  createUser,
  captchaToken,
});
export const magicLinkVerifyBody = z.strictObject({
  token: z.string().max(MAX_TOKEN).describe('Token of the link in the email.'),
  codeVerifier: codeVerifier.describe('PKCE code verifier. Required if the link was requested with a codeChallenge.'),
});
export const emailOtpBody = z.strictObject({ email, createUser, captchaToken });
export const emailOtpVerifyBody = z.strictObject({ challengeId, email, code });
