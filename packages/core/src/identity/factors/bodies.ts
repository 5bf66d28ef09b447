// Bodies of second factors.

import { z } from 'zod';
import { MAX_MFA_CODE, MAX_PASSWORD } from '../shapes/bodies.ts';

const code = z.string().max(MAX_MFA_CODE).describe('Code of an authenticator app, or a recovery code.');

export const verifyMfaBody = z.strictObject({
  token: z.string().max(256).describe('Secret of the challenge.'),
  code,
  factorId: z.uuid().optional().describe('Factor that the code is of. Default: any of the user.'),
});
export const confirmFactorBody = z.strictObject({
  factorId: z.uuid().describe('Factor of the enrollment.'),
  code: z.string().max(MAX_MFA_CODE).describe('Code that the authenticator app shows.'),
});
export const deleteFactorBody = z
  .strictObject({
    code: code.optional(),
    password: z.string().max(MAX_PASSWORD).optional().describe('Present password. In place of code.'),
  })
  .refine((body) => (body.code === undefined) !== (body.password === undefined), {
    path: ['code'],
    message: 'pass either code or password',
  });
