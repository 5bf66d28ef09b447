import { type FieldErrors, validationError } from '../../foundation/errors.ts';
import { parse } from '../../foundation/parse.ts';
import { ALL_PROJECTS } from './access.ts';
import type { Grant } from './answers.generated.ts';
import type { NewKey } from './api.ts';
import { newKey } from './schema.ts';
import { type KeyScope, scopesOf } from './scopes.ts';

/** A validated new key: all defaults set, no duplicates. */
export type CheckedKey = Pick<NewKey, 'kind' | 'environment'> & {
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  readonly grants: readonly Grant[];
  readonly expiresAt: Date | null;
};

/** Each grant once; a grant for all projects replaces those for single ones. */
const merged = (grants: readonly Grant[]): Grant[] => {
  const whole = new Set(grants.filter((grant) => grant.projectId === ALL_PROJECTS).map((grant) => grant.orgId));
  const kept = grants.filter(({ orgId, projectId }) => projectId === ALL_PROJECTS || !whole.has(orgId));
  return [...new Map(kept.map((grant) => [JSON.stringify([grant.orgId, grant.projectId]), grant])).values()];
};

/**
 * Validates a new key against everything except other rows.
 *
 * @throws VALIDATION_ERROR: wrong shape, a scope that is unknown or that a public key may not have, more than one
 * organization and project for a public key, an expiry that is not in the future
 */
export const checkNewKey = (input: NewKey, now: Date): CheckedKey => {
  const { kind, environment, ...requested } = parse(newKey, input);
  const allowed = scopesOf(kind);
  const grants = merged(requested.grants);
  const errors: FieldErrors = {};
  if (requested.scopes?.some((scope) => !allowed.includes(scope)))
    errors['scopes'] = [`A public key may stand in a client and holds nothing but ${allowed.join(' and ')}.`];
  if (kind === 'public' && (grants.length > 1 || grants[0]?.projectId === ALL_PROJECTS))
    errors['grants'] = ['A public key acts for exactly one org and one project.'];
  if (requested.expiresAt && requested.expiresAt <= now) errors['expiresAt'] = ['The end of a key lies in the future.'];
  if (Object.keys(errors).length > 0) throw validationError(errors);
  return {
    kind,
    environment,
    grants,
    name: requested.name ?? `${kind} ${environment}`,
    scopes: allowed.filter((scope) => requested.scopes?.includes(scope) ?? true),
    expiresAt: requested.expiresAt ?? null,
  };
};
