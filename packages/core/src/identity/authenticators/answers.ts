import { z } from 'zod';
import { answersOf } from '../../foundation/answers.ts';
import { ALGORITHMS, TRANSPORTS } from '../passkeys/options.ts';
import type { Answers } from './answers.generated.ts';

/** Schemas of the answers of passkeys. */
export const passkeyAnswers = answersOf<Answers>()(() => {
  const challenge = z.string().describe('Challenge in base64url.');
  const timeout = z.int().describe('Milliseconds that the browser waits.');
  const credentials = z.array(
    z.object({
      id: z.string().describe('Credential id in base64url.'),
      type: z.literal('public-key').describe('Always `public-key`.'),
      transports: z.array(z.enum(TRANSPORTS)).describe('How the browser reaches the authenticator.'),
    }),
  );
  const required = z.literal('required').describe('The authenticator verifies the user.');
  const request = z
    .object({
      rpId: z.string().describe('Domain that the passkeys belong to.'),
      challenge,
      timeout,
      allowCredentials: credentials.describe('Passkeys that are accepted. Empty: any passkey of the domain.'),
      userVerification: required,
    })
    .describe('Input of `navigator.credentials.get`, after `PublicKeyCredential.parseRequestOptionsFromJSON`.');
  const challengeId = z.uuid().describe('Challenge id. Send it with the response. It works once, for 5 minutes.');
  return {
    Passkey: z
      .object({
        id: z.uuid().describe('Passkey id.'),
        name: z.string().describe('Name that the user sees.'),
        createdAt: z.date().describe('When the passkey was added.'),
        lastUsedAt: z.date().nullable().describe('When the passkey was last used; null if never.'),
        backedUp: z.boolean().describe('Whether the passkey is copied to other devices of the user.'),
        transports: z.array(z.enum(TRANSPORTS)).describe('How the browser reaches the authenticator.'),
        aaguid: z.string().describe('Model of the authenticator; zeros if it does not tell.'),
      })
      .describe('A passkey of a user.'),
    PasskeyRequest: z.object({ challengeId, publicKey: request }).describe('Options to use a passkey.'),
    PasskeyRegistration: z
      .object({
        challengeId,
        publicKey: z
          .object({
            rp: z
              .object({
                id: z.string().describe('Domain that the passkey will belong to.'),
                name: z.string().describe('Name that the browser shows.'),
              })
              .describe('Your service.'),
            user: z
              .object({
                id: z.string().describe('Random handle of the user in base64url.'),
                name: z.string().describe('Email address or user id.'),
                displayName: z.string().describe('Name that the browser shows.'),
              })
              .describe('The user.'),
            challenge,
            pubKeyCredParams: z
              .array(
                z.object({
                  type: z.literal('public-key').describe('Always `public-key`.'),
                  alg: z.literal(ALGORITHMS).describe('COSE number of the algorithm.'),
                }),
              )
              .describe('Signature algorithms in order of preference: ES256, Ed25519, RS256.'),
            timeout,
            excludeCredentials: credentials.describe('Passkeys that the user has.'),
            authenticatorSelection: z
              .object({
                residentKey: z.literal('preferred').describe('The passkey should work without a user name.'),
                requireResidentKey: z.literal(false).describe('Always false.'),
                userVerification: required,
              })
              .describe('What the authenticator must do.'),
            attestation: z.literal('none').describe('No statement about the authenticator is asked for.'),
          })
          .describe(
            'Input of `navigator.credentials.create`, after `PublicKeyCredential.parseCreationOptionsFromJSON`.',
          ),
      })
      .describe('Options to create a passkey.'),
    MfaPasskeyRequest: z.object({ publicKey: request }).describe('Options to use a passkey as a second factor.'),
    PasskeyDeleted: z
      .object({
        rpId: z.string().describe('Domain that the passkey belonged to.'),
        credentialId: z.string().describe('Credential id in base64url.'),
      })
      .describe('A deleted passkey: input of `PublicKeyCredential.signalUnknownCredential`.'),
  };
});
