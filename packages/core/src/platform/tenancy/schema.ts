import { z } from 'zod';
import { ENVIRONMENTS } from '../../foundation/scope.ts';
import { KEY_SCOPES } from './scopes.ts';

/** The plan of organizations without a plan. It includes everything. */
export const UNLIMITED = 'unlimited';
/**
 * Maximum characters of the name of an organization, a project or a key. Chosen: as a workflow's name in the interface.
 */
export const MAX_NAME = 200;
/** Maximum grants of one key. Chosen: far above any sensible number and far below what one statement can bind. */
export const MAX_GRANTS = 1_000;

/** Name of an org, a project or a key. */
export const tenantName = z
  .string()
  .trim()
  .min(1)
  .max(MAX_NAME)
  .refine((text) => text.isWellFormed() && !text.includes('\0'), 'must not contain the character U+0000');
const id = z.string().min(1);

/** Kind of a key, as stored. */
export const keyKind = z.enum(['public', 'secret']);
/** The two environments. */
const environment = z.enum(ENVIRONMENTS);

/** Input of `createOrg`. */
export const newOrg = z.strictObject({ name: tenantName });
/** Input of `createProject`. */
export const newProject = z.strictObject({ orgId: id, name: tenantName });
/** Input of `createKey`; what depends on the kind, the clock and other rows is checked by the engine. */
export const newKey = z.strictObject({
  kind: keyKind,
  environment,
  name: tenantName.optional(),
  grants: z
    .array(z.strictObject({ orgId: id, projectId: id }))
    .min(1)
    .max(MAX_GRANTS),
  scopes: z.array(z.enum(KEY_SCOPES)).min(1).optional(),
  expiresAt: z.date().optional(),
});
