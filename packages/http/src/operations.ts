import { type Beckon, notFound, type Principal, type Scope } from '@beckon/core';
import type { Route, Unvalidated } from './route.ts';
import { routes } from './route-table.ts';

/** What an operation is called with: the parts of its path by name, its query, and its body. */
export type OperationInput = {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
};

/** What a client of the interface reads: dates are text. `pagination` is there for lists, `etag` where it is answered. */
export type OperationAnswer = { readonly data: unknown; readonly pagination: unknown; readonly etag: string | null };

/** The program that calls stands where the database is, so it may do everything. */
const principalOf = ({ orgId, environment }: Scope): Principal => ({
  keyId: '',
  kind: 'secret',
  environment,
  scopes: new Set(),
  grants: [{ orgId, projectId: '*' }],
});

/** Without the rate limit of mail that a route keeps by itself. */
const unlimited = (beckon: Beckon): Beckon => ({
  ...beckon,
  limits: { ...beckon.limits, mailRequest: (_, work) => work() },
});

const nameOf = ({ method, path }: Route): string => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`;

const byName: ReadonlyMap<string, Route> = new Map(routes.map((route) => [nameOf(route), route]));

const queryOf = ({ query = {} }: OperationInput): URLSearchParams =>
  new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );

/**
 * Calls an operation such as `GET /events/{id}` where the database is, as a client would over HTTP: without a key, its
 * scopes and rate limits.
 *
 * @param scope whose rows; of an operation of a whole org its org alone counts
 * @throws what the engine throws; NOT_FOUND for an operation that does not exist or that is not for keys
 */
export const callOperation = async (
  beckon: Beckon,
  scope: Scope,
  operation: string,
  input: OperationInput = {},
): Promise<OperationAnswer> => {
  const route = byName.get(operation);
  if (route === undefined || route.needs === 'nothing') throw notFound();
  // Safe: the engine's schema looks at the body, whatever its type.
  const call = { params: input.params ?? {}, query: queryOf(input), body: input.body as Unvalidated };
  const { body, headers } =
    route.needs === 'org'
      ? await route.run(unlimited(beckon), { ...call, principal: principalOf(scope), orgId: scope.orgId })
      : await route.run(unlimited(beckon), {
          ...{ ...call, scope, keyKind: 'secret', keyId: 'operator', user: null, bodyBytes: 0, idempotency: null },
          client: { ip: null, userAgent: null },
        });
  const { data, pagination } = JSON.parse(typeof body === 'string' ? body : Buffer.from(body).toString('utf8'));
  return { data, pagination, etag: headers?.['ETag']?.replaceAll('"', '') ?? null };
};
