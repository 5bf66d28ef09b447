// Bodies of social sign-in.

import { z } from 'zod';
import { SOCIAL_PROVIDERS } from '../auth-settings/social-providers.ts';

const MAX_URL = 2_048;
const MAX_ID_TOKEN = 32_768;
const MAX_ID = 512;
/** Characters of a secret. Chosen: Apple's key file has about 260. */
const MAX_CLIENT_SECRET = 4_096;

// Not an enumeration, so that an unknown name is answered with a reason of its own.
const provider = z
  .string()
  .max(32)
  .describe(`Social provider: ${SOCIAL_PROVIDERS.join(', ')}.`);
const codeChallenge = z
  .string()
  .max(128)
  .describe('PKCE code challenge (S256) of the client. Only the holder of its verifier can use the resulting code.');
const codeChallengeMethod = z.string().max(16).describe('Method of the challenge: S256.');
const redirectTo = z
  .string()
  .max(MAX_URL)
  .describe(
    'URL that the browser returns to, with `code` and `c`, or `error` and `c`. One of the redirectUris of the settings.',
  );

export const socialSignInBody = z
  .strictObject({
    provider,
    redirectTo: redirectTo.optional(),
    codeChallenge: codeChallenge.optional(),
    codeChallengeMethod: codeChallengeMethod.optional(),
    idToken: z
      .string()
      .max(MAX_ID_TOKEN)
      .optional()
      .describe("ID token from the provider's library on the device, in place of a redirect."),
    nonce: z.string().max(256).optional().describe('Nonce that the app created for the ID token.'),
    deviceToken: z.string().max(256).optional().describe('Device token of an earlier sign-in. Default: none.'),
  })
  .refine(({ idToken, nonce }) => (idToken === undefined) === (nonce === undefined), {
    path: ['nonce'],
    message: 'pass idToken and nonce together',
  })
  .refine(({ idToken, redirectTo: target }) => (idToken === undefined) !== (target === undefined), {
    path: ['redirectTo'],
    message: 'pass either redirectTo with codeChallenge and codeChallengeMethod, or idToken with nonce',
  });
export const linkIdentityBody = z.strictObject({ provider, redirectTo, codeChallenge, codeChallengeMethod });
/** A Microsoft tenant: an id or a domain, which becomes part of a URL. */
export const TENANT = /^[a-z\d][a-z\d.-]{0,252}$/i;
export const providerExtra = z.strictObject({
  teamId: z.string().min(1).max(64).optional().describe('Apple only: team id.'),
  keyId: z.string().min(1).max(64).optional().describe('Apple only: id of the key.'),
  tenant: z
    .string()
    .regex(TENANT, 'must be a tenant id, a domain, common, organizations or consumers')
    .optional()
    .describe('Microsoft only: tenant id or domain, `organizations`, `consumers` or `common`. Default: common.'),
  nativeClientIds: z
    .array(z.string().min(1).max(MAX_ID))
    .max(10)
    .optional()
    .describe('Client ids of apps that send native ID tokens, in addition to clientId. At most 10. Default: none.'),
});
export type ProviderExtra = Readonly<z.output<typeof providerExtra>>;
export const socialProviderBody = z.strictObject({
  enabled: z.boolean().default(true).describe('Whether users may sign in with this provider. Default: true.'),
  clientId: z.string().min(1).max(MAX_ID).describe('Client id of your app at the provider.'),
  clientSecret: z
    .string()
    .min(1)
    .max(MAX_CLIENT_SECRET)
    .optional()
    .describe('Client secret; for Apple the content of the .p8 file. Never returned. Omit it to keep the stored one.'),
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/, 'must be a scope without spaces'))
    .max(20)
    .default([])
    .describe('Scopes to request in addition to those that sign-in needs. At most 20. Default: none.'),
  extra: providerExtra.default({}).describe('Facts that only some providers need. Default: none.'),
});
