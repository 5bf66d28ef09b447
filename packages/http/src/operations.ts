import { type Beckon, notFound, type Principal, type Scope } from '@beckon/core';
import type { Route, Unvalidated } from './route.ts';
import { routes } from './route-table.ts';

/** Input of an operation: the parameters of its path, its query, and its body. */
export type OperationInput = {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
};

/** What an HTTP client reads: dates are text. `pagination` is present for lists, `etag` if the route returns one. */
export type OperationAnswer = { readonly data: unknown; readonly pagination: unknown; readonly etag: string | null };

/** The calling program has the database, so it may do everything. */
const principalOf = ({ orgId, environment }: Scope): Principal => ({
  keyId: '',
  kind: 'secret',
  environment,
  scopes: new Set(),
  grants: [{ orgId, projectId: '*' }],
});

/** Without the email rate limit, which a route applies by itself. */
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
 * Runs an operation such as `GET /events/{id}` on a local database, as an HTTP client would, but without a key, its
 * scopes and rate limits.
 *
 * @param scope the rows to use; an operation of an organization uses its organization only
 * @throws what the engine throws; NOT_FOUND for an operation that does not exist or takes no key
 */
export const callOperation = async (
  beckon: Beckon,
  scope: Scope,
  operation: string,
  input: OperationInput = {},
): Promise<OperationAnswer> => {
  const route = byName.get(operation);
  if (route === undefined || route.needs === 'nothing') throw notFound();
  // Safe: the engine's schema validates the body.
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
