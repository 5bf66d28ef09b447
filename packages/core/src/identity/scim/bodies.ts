// Bodies of the administration of SCIM directories.

import { z } from 'zod';
import { isRowId } from '../../foundation/ids.ts';

const MAX_NAME = 128;
const name = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(MAX_NAME)
  .describe('Name of the directory, such as Acme Okta.');
const connectionId = z.string().refine(isRowId, 'must be the id of a connection').nullable().optional();

export const scimDirectoryBody = z.strictObject({
  name,
  connectionId: connectionId.describe(
    'SSO connection with which the users of the directory sign in. Users with an address in one of its verified domains are linked to their accounts. Default: none.',
  ),
});
export const scimDirectoryPatch = z.strictObject({
  name: name.optional(),
  connectionId: connectionId.describe('SSO connection with which the users of the directory sign in; null: none.'),
});
export const scimTokenBody = z.strictObject({
  directoryId: z
    .string()
    .refine(isRowId, 'must be the id of a directory')
    .describe('Directory that the token gives access to.'),
  expiresAt: z.iso
    .datetime({ offset: true })
    .optional()
    .describe('When the token expires, at most two years ahead. ISO 8601 with an offset. Default: in a year.'),
});
