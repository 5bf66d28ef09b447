import { type Beckon, BeckonError, type Log, type Principal, unauthorized, validationError } from '@beckon/core';
import type { RequestView } from '../request.ts';
import type { OrgRoute, ProjectRoute } from '../route.ts';

const queryKey = (route: OrgRoute | ProjectRoute, query: URLSearchParams): string | undefined => {
  if (route.needs !== 'project' || !route.isBeacon) return undefined;
  const keys = query.getAll('key');
  if (keys.length > 1) throw unauthorized();
  return keys[0];
};

const missing = (request: RequestView): BeckonError =>
  request.header('authorization') === undefined
    ? unauthorized()
    : new BeckonError(
        'UNAUTHORIZED',
        'Missing API key. Send it in the header x-api-key; Beckon ignores the header Authorization.',
      );

/**
 * Authenticates the key in header `x-api-key` or, on a beacon route, a public key in `?key=`.
 *
 * A call with an unknown key takes one from a bucket of its client network, and gets 429 if that bucket is empty. Valid
 * keys take nothing from it and always pass: many clients may share a network.
 *
 * @throws BeckonError UNAUTHORIZED for no key, two keys, an invalid key, and a key in the query that is not public;
 * VALIDATION_ERROR for a key in both places; RATE_LIMITED
 */
export const principalOf = async (
  beckon: Beckon,
  request: RequestView,
  route: OrgRoute | ProjectRoute,
  { query, network, log }: { readonly query: URLSearchParams; readonly network: string; readonly log: Log },
): Promise<Principal> => {
  const inHeader = request.header('x-api-key');
  const inQuery = queryKey(route, query);
  if (inHeader !== undefined && inQuery !== undefined) {
    throw validationError({ key: ['must not be in the query if the header x-api-key is present'] });
  }
  const key = inHeader ?? inQuery;
  // A comma joins two headers of one name; no key contains one.
  if (!key) throw missing(request);
  const principal = key.includes(',') ? null : await beckon.tenancy.authenticate(key);
  if (principal === null) {
    await beckon.limits.calls.take(beckon.limits.calls.attempts('key', network));
    throw unauthorized();
  }
  if (inQuery !== undefined && principal.kind !== 'public') {
    // URLs end up in logs and histories, so the owner should replace this key.
    log.warn({ keyId: principal.keyId, code: 'UNAUTHORIZED' }, 'a key that is not public came in a query');
    throw unauthorized();
  }
  return principal;
};
