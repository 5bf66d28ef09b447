import { z } from 'zod';
import { answersOf } from '../../foundation/answers.ts';
import { ENVIRONMENTS } from '../../foundation/scope.ts';
import type { Answers } from './answers.generated.ts';
import { KEY_SCOPES } from './scopes.ts';

/** Schemas of the answers about API keys. */
export const tenancyAnswers = answersOf<Answers>()(() => {
  const Grant = z
    .object({
      orgId: z.uuid().describe('Id of the organization.'),
      projectId: z.string().describe('Id of the project, or `*` for all projects of the organization.'),
    })
    .describe('An organization and project that an API key may access.');
  return {
    Grant,
    ApiKey: z
      .object({
        id: z.uuid().describe('Id of the key.'),
        name: z.string().describe('Name of the key.'),
        kind: z.enum(['public', 'secret']).describe('`public`: for apps. `secret`: for servers.'),
        environment: z.enum(ENVIRONMENTS).describe('Environment of the key.'),
        lastFour: z.string().describe('Last characters of the key.'),
        scopes: z.array(z.enum(KEY_SCOPES)).describe('Permissions of the key.'),
        grants: z.array(Grant).describe('Organizations and projects of the key.'),
        createdAt: z.date().describe('When the key was created.'),
        expiresAt: z.date().nullable().describe('When the key expires; null if it does not.'),
        revokedAt: z.date().nullable().describe('When the key was revoked; null if it was not.'),
        lastUsedAt: z.date().nullable().describe('When the key was last used; null if it was not.'),
      })
      .describe('An API key, without the key itself.'),
  };
});
