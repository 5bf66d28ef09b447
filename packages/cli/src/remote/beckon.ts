// What commands call of a service that runs elsewhere: the functions of the library as far as the API offers them.

import { randomUUID } from 'node:crypto';
import type { Beckon, BundleExport, FiguresQuery } from '@beckon/core';
import { usageError } from '../exit-codes.ts';
import type { Call, Client } from './client.ts';

type Functions = Readonly<Record<string, (...given: never[]) => Promise<unknown>>>;
type Query = NonNullable<Call['query']>;

const WORKFLOWS = '/automation/workflows';
const RUNS = '/automation/runs';

/** Every function takes the scope first, as the library's do; whose it is the key says. */
const groupsOf = (call: Client): Readonly<Record<string, Functions>> => {
  const data = async (asked: Call): Promise<unknown> => (await call(asked)).data;
  const page = async (path: string, query: Query = {}) => {
    const { data: rows, pagination } = await call({ method: 'GET', path, query });
    return { data: rows, pagination };
  };
  const at = (path: string, id: string, below = ''): string => `${path}/${encodeURIComponent(id)}${below}`;

  return {
    workflows: {
      list: (_: unknown, query?: Query) => page(WORKFLOWS, query),
      get: (_: unknown, id: string) => data({ method: 'GET', path: at(WORKFLOWS, id) }),
      update: (_: unknown, id: string, body: unknown, { ifVersion }: { ifVersion?: number } = {}) =>
        data({ method: 'PATCH', path: at(WORKFLOWS, id), query: { ifMatch: ifVersion }, body }),
      exportBundle: async (_: unknown, { workflows }: { workflows?: readonly string[] } = {}) => {
        const { data: exported, etag } = await call({ method: 'GET', path: `${WORKFLOWS}/export` });
        // Safe: the service's own description says so.
        const bundle = exported as BundleExport['bundle'];
        if (!workflows) return { bundle, etag };
        const found = bundle.workflows.filter(({ name }) => workflows.includes(name));
        if (found.length < new Set(workflows).size)
          throw Object.assign(new Error('The project has no workflow of such a name.'), {
            name: 'BeckonError',
            code: 'VALIDATION_ERROR',
            details: { fieldErrors: { workflows: ['The project has no workflow of such a name.'] } },
          });
        return { bundle: { ...bundle, workflows: found }, etag };
      },
      importBundle: (_: unknown, body: unknown, { dryRun, ifMatch, only, prune }: Query = {}) =>
        data({
          method: 'POST',
          path: `${WORKFLOWS}/import`,
          query: { dryRun, ifMatch, only, prune },
          body,
          idempotencyKey: randomUUID(),
        }),
      figures: (_: unknown, id: string, { from, to, interval, timezone }: FiguresQuery = {}) =>
        data({
          method: 'GET',
          path: at('/analytics/workflows', id),
          query: { from: from?.toISOString(), to: to?.toISOString(), interval, timezone },
        }),
      simulate: (_: unknown, id: string, body: unknown) =>
        data({ method: 'POST', path: at(WORKFLOWS, id, '/simulate'), body }),
      listRuns: (_: unknown, query?: Query) => page(RUNS, query),
      getRun: (_: unknown, id: string) => data({ method: 'GET', path: at(RUNS, id) }),
      cancelRun: (_: unknown, id: string) => data({ method: 'POST', path: at(RUNS, id, '/cancel') }),
      retryRun: (_: unknown, id: string) => data({ method: 'POST', path: at(RUNS, id, '/retry') }),
    },
  };
};

const lacking = (what: string) => (): never => {
  throw usageError(`${what} is not there with --url.`, 'Run the command where the database is, without --url.');
};

/** The library over a client; what the API does not offer throws a CliError (2) as it is called. */
export const remoteBeckon = (call: Client): Beckon => {
  const groups = groupsOf(call);
  const groupOf = (name: string): object =>
    new Proxy<object>(groups[name] ?? {}, {
      get: (functions, key) => Reflect.get(functions, key) ?? lacking(`${name}.${String(key)}`),
    });
  const beckon = new Proxy({}, { get: (_, name) => (typeof name === 'string' ? groupOf(name) : undefined) });
  // Safe: each function answers what the route of the same operation answers, which the description of the service
  // takes from the library's own types.
  return beckon as Beckon;
};
