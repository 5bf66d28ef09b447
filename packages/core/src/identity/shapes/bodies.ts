// Bodies of sign-in.

import { z } from 'zod';
import { isRowId } from '../../foundation/ids.ts';
import { isCodeChallenge } from '../one-time/pkce.ts';

/** Characters of a password. Source: auth.md, Passwords. The minimum is a setting. */
export const MAX_PASSWORD = 1_024;
const MAX_NAME = 256;
export const MAX_TOKEN = 256;
/** Characters of an emailed code. Chosen: six digits with separators. */
export const MAX_EMAILED_CODE = 32;
const MAX_URL = 2_048;
/** Characters of a code of a second factor, with blanks. Chosen: a recovery code with a blank between all characters. */
export const MAX_MFA_CODE = 64;

export const email = z.string().max(1_024).describe('Email address.');
const newPassword = z
  .string()
  .max(MAX_PASSWORD)
  .describe('New password. The minimum length is a setting (8 by default), the maximum 1,024 characters.');
const presentPassword = z.string().max(MAX_PASSWORD);
export const redirectTo = z
  .string()
  .max(MAX_URL)
  .optional()
  .describe(
    'URL that the link in the email opens. One of the redirectUris of the settings. Default: the first of them.',
  );
export const codeChallenge = z
  .string()
  .refine(isCodeChallenge, 'must be a PKCE code challenge of the method S256')
  .optional()
  .describe('PKCE code challenge (S256). Ties the link to the client that requested it. Default: none.');
export const codeVerifier = z.string().max(128).optional();
export const challengeId = z
  .string()
  .refine(isRowId, 'must be the challengeId of the request for the email')
  .describe('Challenge id, from the request for the email.');
const deviceToken = z
  .string()
  .max(MAX_TOKEN)
  .optional()
  .describe('Device token of an earlier sign-in on this device. Default: none.');

/** For every route that signs up, signs in or sends email to an address of the caller's choice. */
export const captchaToken = z
  .string()
  .max(8_192)
  .optional()
  .describe('Response of the captcha widget. Required if the settings have a captcha. Default: none.');

const profile = {
  name: z.string().max(MAX_NAME).nullable().optional().describe('Display name. Default: none.'),
  locale: z.string().max(64).nullable().optional().describe('Language, such as en or pt-BR. Default: none.'),
  timezone: z.string().max(64).nullable().optional().describe('IANA time zone. Default: none.'),
  metadata: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Your own data about the user. At most 16 KB; more is cut. Default: none.'),
};

export const signUpBody = z.strictObject({
  email,
  password: newPassword,
  ...profile,
  redirectTo,
  codeChallenge,
  captchaToken,
});
export const signInBody = z.strictObject({
  email,
  password: presentPassword.describe('Password.'),
  deviceToken,
  captchaToken,
});
export const forgotBody = z.strictObject({ email, redirectTo, captchaToken });
export const resetBody = z.strictObject({
  token: z.string().max(MAX_TOKEN).describe('Token of the link in the email.'),
  password: newPassword,
});
export const changePasswordBody = z.strictObject({
  currentPassword: presentPassword.optional().describe('Present password. Required if the account has one.'),
  newPassword,
});
/** Ways to confirm that it is the user, each with the fields that it takes. */
const STEP_UPS: readonly (readonly string[])[] = [
  ['password'],
  ['code'],
  ['code', 'factorId'],
  ['emailCode', 'challengeId'],
];
export const reauthenticateBody = z
  .strictObject({
    password: presentPassword.optional().describe('Present password.'),
    code: z
      .string()
      .max(MAX_MFA_CODE)
      .optional()
      .describe('Code of an authenticator app, or a recovery code. The session then counts as one with two factors.'),
    factorId: z.uuid().optional().describe('Factor that the code is of. Default: any of the user.'),
    emailCode: z
      .string()
      .max(MAX_EMAILED_CODE)
      .optional()
      .describe('Code of the email of POST /auth-service/reauthenticate/email. With challengeId.'),
    challengeId: challengeId.optional().describe('Challenge id of the email. With emailCode.'),
  })
  .refine(
    (body) => {
      const present = Object.entries(body).flatMap(([name, value]) => (value === undefined ? [] : [name]));
      return STEP_UPS.some((names) => names.length === present.length && present.every((name) => names.includes(name)));
    },
    { path: ['password'], message: 'pass either password, code, or emailCode and challengeId' },
  );
export const verificationBody = z.strictObject({ email, redirectTo, codeChallenge, captchaToken });
export const verifyEmailBody = z
  .strictObject({
    token: z.string().max(MAX_TOKEN).optional().describe('Token of the link in the email. Or pass email and code.'),
    email: email.optional(),
    code: z.string().max(MAX_EMAILED_CODE).optional().describe('Code in the email. With email, in place of token.'),
    codeVerifier: codeVerifier.describe('PKCE code verifier of the sign-up. It keeps the password of the sign-up.'),
    password: presentPassword
      .optional()
      .describe('Password of the sign-up. It keeps the password, as codeVerifier does.'),
  })
  .refine(
    ({ token, email: address, code }) => (token === undefined) !== (address === undefined || code === undefined),
    {
      path: ['token'],
      message: 'pass either token, or email and code',
    },
  );
export const changeEmailBody = z.strictObject({ newEmail: email, redirectTo, captchaToken });
export const undoEmailBody = z.strictObject({
  token: z.string().max(MAX_TOKEN).describe('Token of the link in the email.'),
});
export const refreshBody = z.strictObject({
  refreshToken: z.string().max(MAX_TOKEN).describe('Refresh token. It works once.'),
  deviceToken,
});
export const logoutBody = z.strictObject({
  scope: z
    .enum(['current', 'others', 'all'])
    .default('current')
    .describe('Which sessions of the user to end. Default: current.'),
});
export const meBody = z.strictObject(profile);
export const userBody = z.strictObject({
  ...profile,
  email: email.nullable().optional(),
  emailVerified: z.boolean().optional().describe('Whether the address is verified. Default: false.'),
  phone: z.string().max(32).nullable().optional().describe('Phone number in E.164 format. Default: none.'),
  externalId: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe('Your id of the user. Cannot be changed later. Default: none.'),
  password: newPassword.optional(),
});
export const impersonateBody = z.strictObject({
  reason: z.string().trim().min(1).max(500).describe('Why somebody acts as the user. Stored in the audit log.'),
});
export const userPatch = z.strictObject({
  ...profile,
  email: email.nullable().optional(),
  emailVerified: z
    .boolean()
    .optional()
    .describe(
      'Whether the address is verified. The first verification removes password, identities, second factors and sessions of the account. Omit it to keep the value.',
    ),
  phone: z.string().max(32).nullable().optional().describe('Phone number in E.164 format. Omit it to keep the value.'),
  disabled: z.boolean().optional().describe('Whether sign-in is disabled. Omit it to keep the value.'),
});
