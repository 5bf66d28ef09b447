// Body of the exchange of a code.

import { z } from 'zod';

const MAX = 256;

export const exchangeBody = z.strictObject({
  code: z.string().max(MAX).describe('Code of the redirect. It works once, for 60 seconds.'),
  codeVerifier: z
    .string()
    .max(MAX)
    .optional()
    .describe(
      'PKCE code verifier of the client that began the flow. Only a sign-in that an identity provider started has none.',
    ),
  deviceToken: z.string().max(MAX).optional().describe('Device token of an earlier sign-in. Default: none.'),
});
