import { type FieldErrors, validationError } from '../../foundation/errors.ts';
import { parse } from '../../foundation/parse.ts';
import { ALL_PROJECTS } from './access.ts';
import type { Grant } from './answers.generated.ts';
import type { NewKey } from './api.ts';
import { newKey } from './schema.ts';
import { type KeyScope, scopesOf } from './scopes.ts';

/** A key as it is to be made: every choice made, nothing twice. */
export type CheckedKey = Pick<NewKey, 'kind' | 'environment'> & {
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  readonly grants: readonly Grant[];
  readonly expiresAt: Date | null;
};

/** Each grant once; a grant for all projects of an org takes the place of those for single ones. */
const merged = (grants: readonly Grant[]): Grant[] => {
  const whole = new Set(grants.filter((grant) => grant.projectId === ALL_PROJECTS).map((grant) => grant.orgId));
  const kept = grants.filter(({ orgId, projectId }) => projectId === ALL_PROJECTS || !whole.has(orgId));
  return [...new Map(kept.map((grant) => [JSON.stringify([grant.orgId, grant.projectId]), grant])).values()];
};

/**
 * Checks what a new key is to be, against everything but other rows.
 *
 * @throws VALIDATION_ERROR: wrong shape, a scope that is not known or that a public key may not hold, more than one
 * org and project for a public key, an end that is not in the future
 */
export const checkNewKey = (input: NewKey, now: Date): CheckedKey => {
  const { kind, environment, ...asked } = parse(newKey, input);
  const allowed = scopesOf(kind);
  const grants = merged(asked.grants);
  const wrong: FieldErrors = {};
  if (asked.scopes?.some((scope) => !allowed.includes(scope)))
    wrong['scopes'] = [`A public key may stand in a client and holds nothing but ${allowed.join(' and ')}.`];
  if (kind === 'public' && (grants.length > 1 || grants[0]?.projectId === ALL_PROJECTS))
    wrong['grants'] = ['A public key acts for exactly one org and one project.'];
  if (asked.expiresAt && asked.expiresAt <= now) wrong['expiresAt'] = ['The end of a key lies in the future.'];
  if (Object.keys(wrong).length > 0) throw validationError(wrong);
  return {
    kind,
    environment,
    grants,
    name: asked.name ?? `${kind} ${environment}`,
    scopes: allowed.filter((scope) => asked.scopes?.includes(scope) ?? true),
    expiresAt: asked.expiresAt ?? null,
  };
};
