import { z } from 'zod';
import { answersOf } from '../../foundation/answers.ts';
import type { Answers } from './answers.generated.ts';

/** Schemas of the answers of the administration of SCIM directories. */
export const scimAnswers = answersOf<Answers>()(() => {
  const ScimToken = z
    .object({
      id: z.uuid().describe('Id of the token.'),
      directoryId: z.uuid().describe('Directory that the token gives access to.'),
      last4: z.string().describe('Last four characters of the token.'),
      createdAt: z.date().describe('When the token was created.'),
      expiresAt: z.date().describe('When the token expires.'),
      lastUsedAt: z.date().nullable().describe('When the token was last used, to the hour; null: never.'),
    })
    .describe('A token of a directory. The token itself is returned once, when it is created.');
  return {
    ScimDirectory: z
      .object({
        id: z.uuid().describe('Id of the directory.'),
        name: z.string().describe('Name of the directory.'),
        connectionId: z.uuid().nullable().describe('SSO connection with which its users sign in; null: none is named.'),
        baseUrl: z
          .string()
          .nullable()
          .describe('Base URL to enter at the identity provider; null if publicUrl is not set.'),
        createdAt: z.date().describe('When the directory was created.'),
        updatedAt: z.date().describe('When the directory last changed.'),
      })
      .describe('A directory of an identity provider, which provisions users by SCIM.'),
    ScimDirectoryDeleted: z
      .object({ deleted: z.literal(true).describe('The directory and its tokens are gone.') })
      .describe('Result of deleting a directory.'),
    ScimToken,
    NewScimToken: ScimToken.extend({
      token: z.string().describe('The token, for the header Authorization. It is shown once.'),
    }).describe('A new token of a directory.'),
    ScimTokenDeleted: z
      .object({ deleted: z.literal(true).describe('The token no longer works.') })
      .describe('Result of deleting a token.'),
  };
});
