import { z } from 'zod';
import { ENVIRONMENTS } from '../../foundation/scope.ts';
import { KEY_SCOPES } from './scopes.ts';

/** The plan of orgs to which no plan was given. It opens everything. */
export const UNLIMITED = 'unlimited';
/** Characters of the name of an org, a project or a key; ours, as a workflow's name in the interface. */
export const MAX_NAME = 200;
/** Grants of one key; ours, far above any sensible key and far below what one statement can bind. */
export const MAX_GRANTS = 1_000;

const name = z
  .string()
  .trim()
  .min(1)
  .max(MAX_NAME)
  .refine((text) => text.isWellFormed() && !text.includes('\0'), 'must not contain the character U+0000');
const id = z.string().min(1);

/** The two kinds as read from a column. */
export const keyKind = z.enum(['public', 'secret']);
/** The two environments. */
const environment = z.enum(ENVIRONMENTS);

/** Input of `createOrg`. */
export const newOrg = z.strictObject({ name });
/** Input of `createProject`. */
export const newProject = z.strictObject({ orgId: id, name });
/** Input of `createKey`; what depends on the kind, the clock and other rows is checked by the engine. */
export const newKey = z.strictObject({
  kind: keyKind,
  environment,
  name: name.optional(),
  grants: z
    .array(z.strictObject({ orgId: id, projectId: id }))
    .min(1)
    .max(MAX_GRANTS),
  scopes: z.array(z.enum(KEY_SCOPES)).min(1).optional(),
  expiresAt: z.date().optional(),
});
