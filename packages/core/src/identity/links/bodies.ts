// Bodies of sign-in by email: links and codes.

import { z } from 'zod';
import { isRowId } from '../../foundation/ids.ts';
import { isCodeChallenge } from '../one-time/pkce.ts';

const MAX_TOKEN = 256;
const MAX_CODE = 32;

const email = z.string().max(1_024).describe('Email address.');
const createUser = z
  .boolean()
  .default(true)
  .describe(
    'Whether an address without an account gets one when the link or code is used. Has no effect while sign-up is disabled. Default: true.',
  );
export const challengeId = z
  .string()
  .refine(isRowId, 'must be the challengeId of the request for the email')
  .describe('Challenge id, from the request for the email.');
export const emailedCode = z.string().max(MAX_CODE).describe('Code in the email. Blanks and hyphens are ignored.');

export const magicLinkBody = z.strictObject({
  email,
  redirectTo: z
    .string()
    .max(2_048)
    .optional()
    .describe(
      'URL that the link in the email opens. One of the redirectUris of the settings. Default: the first of them.',
    ),
  codeChallenge: z
    .string()
    .refine(isCodeChallenge, 'must be a PKCE code challenge of the method S256')
    .optional()
    .describe('PKCE code challenge (S256). The link then works only with its verifier. Default: none.'),
  createUser,
});
export const magicLinkVerifyBody = z.strictObject({
  token: z.string().max(MAX_TOKEN).describe('Token of the link in the email.'),
  codeVerifier: z
    .string()
    .max(128)
    .optional()
    .describe('PKCE code verifier. Required if the link was requested with a codeChallenge.'),
});
export const emailOtpBody = z.strictObject({ email, createUser });
export const emailOtpVerifyBody = z.strictObject({ challengeId, email, code: emailedCode });
