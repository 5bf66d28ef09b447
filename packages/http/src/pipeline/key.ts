import { type Beckon, type Log, type Principal, unauthorized, validationError } from '@beckon/core';
import type { RequestView } from '../request.ts';
import type { OrgRoute, ProjectRoute } from '../route.ts';

const queryKey = (route: OrgRoute | ProjectRoute, query: URLSearchParams): string | undefined => {
  if (route.needs !== 'project' || !route.isBeacon) return undefined;
  const keys = query.getAll('key');
  if (keys.length > 1) throw unauthorized();
  return keys[0];
};

/**
 * Who is calling: the key of header `x-api-key` or, on a beacon route, a public key in `?key=`.
 *
 * @throws BeckonError UNAUTHORIZED for no key, two keys, anything that is no live key, and a key in the query that is
 * not public; VALIDATION_ERROR for a key in both places
 */
export const principalOf = async (
  beckon: Beckon,
  request: RequestView,
  route: OrgRoute | ProjectRoute,
  query: URLSearchParams,
  log: Log,
): Promise<Principal> => {
  const inHeader = request.header('x-api-key');
  const inQuery = queryKey(route, query);
  if (inHeader !== undefined && inQuery !== undefined) {
    throw validationError({ key: ['Send the key in the header or in the query, not in both.'] });
  }
  const key = inHeader ?? inQuery;
  // A comma is what joins two headers of one name; no key holds one.
  if (!key || key.includes(',')) throw unauthorized();
  const principal = await beckon.tenancy.authenticate(key);
  if (principal === null) throw unauthorized();
  if (inQuery !== undefined && principal.kind !== 'public') {
    // URLs end up in logs and histories: whoever owns this key should replace it.
    log.warn({ keyId: principal.keyId, code: 'UNAUTHORIZED' }, 'a key that is not public came in a query');
    throw unauthorized();
  }
  return principal;
};
