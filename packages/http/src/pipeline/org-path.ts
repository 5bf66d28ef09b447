import { notFound, type Principal, validationError } from '@beckon/core';

/**
 * The organization of a call.
 *
 * @param explicit the organization of an `/orgs/:orgId` path; undefined on an auto-scoped one
 * @throws BeckonError NOT_FOUND for an organization without a grant, whether it exists or not; VALIDATION_ERROR
 * `fieldErrors.orgId` if the key covers several and the path names none
 * Source: contract, Keys and scopes.
 */
export const orgOf = ({ grants }: Principal, explicit: string | undefined): string => {
  if (explicit !== undefined) {
    if (grants.some((grant) => grant.orgId === explicit)) return explicit;
    throw notFound();
  }
  const first = grants[0];
  if (first === undefined) throw notFound();
  if (grants.length > 1 && grants.some((grant) => grant.orgId !== first.orgId)) {
    throw validationError({
      orgId: ['is required, because the API key covers several organizations: use the path /orgs/:orgId'],
    });
  }
  return first.orgId;
};
