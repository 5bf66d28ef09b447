import { succeed, succeedWithPage } from '../pipeline/envelope.ts';
import { pageQuery, readQuery } from '../pipeline/query.ts';
import { DEFAULT_BODY_CAP, type ProjectRoute, param } from '../route.ts';

const PATH = '/automation/secrets';
// A key that may only read workflows may not read the names of their secrets either.
const common = { shape: 'both', kind: 'secret', needs: 'project', scope: 'workflows:write' } as const;

/** Secrets of webhook steps. They are write-only. */
export const secretRoutes: readonly ProjectRoute[] = [
  {
    ...common,
    method: 'GET',
    path: PATH,
    summary: 'List secrets',
    description: 'Names only; values cannot be read.',
    answer: { page: 'WorkflowSecret' },
    query: pageQuery,
    bodyCap: null,
    run: async (beckon, { scope, query }) =>
      succeedWithPage(await beckon.secrets.list(scope, readQuery(query, pageQuery))),
  },
  {
    ...common,
    method: 'PUT',
    path: `${PATH}/:name`,
    summary: 'Set a secret',
    description: 'Creates or replaces the secret. Webhook steps use it as `{{secret.NAME}}` in headers.',
    takes: 'SecretInput',
    answer: { 200: 'WorkflowSecret' },
    bodyCap: DEFAULT_BODY_CAP,
    isBodyWhole: true,
    run: async (beckon, call) => succeed(await beckon.secrets.set(call.scope, param(call, 'name'), call.body)),
  },
  {
    ...common,
    method: 'DELETE',
    path: `${PATH}/:name`,
    summary: 'Delete a secret',
    description: 'Webhook steps that use the secret fail until it is set again.',
    answer: { 200: 'SecretRemoved' },
    bodyCap: null,
    run: async (beckon, call) => succeed(await beckon.secrets.delete(call.scope, param(call, 'name'))),
  },
];
