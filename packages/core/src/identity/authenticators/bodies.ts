// Bodies of passkeys.

import { z } from 'zod';
import { passkeyAnswer, passkeyResponse } from '../shapes/bodies.ts';

const MAX_NAME = 100;
const name = z.string().trim().min(1).max(MAX_NAME);

export const passkeySignInBody = z.strictObject({
  ...passkeyAnswer.shape,
  deviceToken: z.string().max(256).optional().describe('Device token of an earlier sign-in here. Default: none.'),
});
export const newPasskeyBody = z.strictObject({
  challengeId: passkeyAnswer.shape.challengeId,
  response: passkeyResponse.describe(
    'What `navigator.credentials.create` returned, as JSON (`PublicKeyCredential.toJSON`).',
  ),
  name: name.default('Passkey').describe('Name that the user sees, 1 to 100 characters. Default: Passkey.'),
});
export const passkeyPatch = z.strictObject({ name: name.describe('Name that the user sees, 1 to 100 characters.') });
export const mfaPasskeyBody = z.strictObject({ token: z.string().max(256).describe('Secret of the challenge.') });
