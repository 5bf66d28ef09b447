import { z } from 'zod';
import { answersOf } from '../../foundation/answers.ts';
import { SOCIAL_PROVIDERS } from '../auth-settings/social-providers.ts';
import { authAnswers } from '../shapes/answers.ts';
import type { Answers } from './answers.generated.ts';
import { providerExtra } from './bodies.ts';

/** Schemas of the answers of social sign-in. */
export const socialAnswers = answersOf<Answers>()(() => {
  const { AuthResult } = authAnswers();
  const provider = z.enum(SOCIAL_PROVIDERS).describe('Social provider.');
  const SocialStarted = z
    .object({
      authorizationUrl: z.string().describe('URL to open in the browser.'),
      expiresIn: z.int().describe('Seconds within which the user must finish.'),
    })
    .describe('A sign-in at a provider that has begun.');
  return {
    SocialStarted,
    SocialSignIn: z
      .union([SocialStarted, AuthResult])
      .describe('The URL to open; with an ID token, the result of the sign-in.'),
    SocialProviderEnabled: z
      .object({
        provider,
        enabled: z.literal(true).describe('Always true: other providers are not listed.'),
        clientId: z.string().describe('Client id of the app at the provider, for native sign-in.'),
      })
      .describe('A social provider that users can sign in with.'),
    SocialProviderSettings: z
      .object({
        provider,
        enabled: z.boolean().describe('Whether users may sign in with this provider.'),
        clientId: z.string().describe('Client id of your app at the provider.'),
        hasClientSecret: z.boolean().describe('Whether a client secret is stored. The secret is never returned.'),
        scopes: z.array(z.string()).describe('Scopes that are requested in addition.'),
        extra: providerExtra.describe('Facts that only some providers need.'),
        callbackUrl: z
          .string()
          .nullable()
          .describe('Callback URL to enter at the provider; null if publicUrl is not set.'),
        updatedAt: z.date().describe('When the settings last changed.'),
      })
      .describe('An app that is registered with a social provider.'),
    SocialProviderDeleted: z
      .object({ deleted: z.literal(true).describe('The provider is no longer set up.') })
      .describe('Result of deleting a provider.'),
  };
});
