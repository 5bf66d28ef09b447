import { z } from 'zod';
import { answersOf } from '../../foundation/answers.ts';
import type { Answers } from './answers.generated.ts';
import { IMPORT_PROBLEMS } from './contributor.ts';

/** Schemas of the answers of an import. */
export const importAnswers = answersOf<Answers>()(() => ({
  UsersImported: z
    .object({
      total: z.int().describe('Rows of the request.'),
      imported: z.int().describe('Users created.'),
      updated: z.int().describe('Users updated.'),
      skipped: z.int().describe('Rows whose user exists.'),
      failed: z.int().describe('Rows that were not imported.'),
      results: z
        .array(
          z.object({
            index: z.int().describe('Position of the row in the request, from 0.'),
            status: z.enum(['imported', 'updated', 'skipped', 'failed']).describe('What happened to the row.'),
            id: z.uuid().optional().describe('Account id.'),
            userId: z.string().optional().describe('userId of the profile.'),
            algorithm: z.string().optional().describe('Algorithm of the password hash.'),
            error: z
              .object({
                reason: z.enum(IMPORT_PROBLEMS).describe('Why the row was not imported.'),
                message: z.string().describe('The same in words.'),
              })
              .optional()
              .describe('For failed rows.'),
          }),
        )
        .describe('One entry per row, in the order of the request.'),
    })
    .describe('Result of an import of users. It never contains a hash.'),
}));
