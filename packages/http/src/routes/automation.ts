import { RUN_STATUSES } from '@beckon/core';
import { z } from 'zod';
import { succeed, succeedWithPage } from '../pipeline/envelope.ts';
import { onceOnly } from '../pipeline/idempotency.ts';
import { filter, flag, listQuery, oneOf, pageQuery, readQuery } from '../pipeline/query.ts';
import { DEFAULT_BODY_CAP, type OpenCall, type ProjectRoute, param } from '../route.ts';

const common = { shape: 'both', kind: 'secret', needs: 'project' } as const;
const read = { ...common, method: 'GET', scope: 'workflows:read', bodyCap: null } as const;
const write = { ...common, scope: 'workflows:write', bodyCap: DEFAULT_BODY_CAP, isBodyWhole: true } as const;

/** Status of a created resource. Source: contract, Conventions. */
const CREATED = 201;
/** The quotes of an entity tag, which people copy together with the hash. */
const QUOTED = /^(?:W\/)?"(.*)"$/;
const importQuery = z.object({ dryRun: flag, ifMatch: filter.transform((tag) => tag?.replace(QUOTED, '$1')) });
const workflowQuery = pageQuery.extend({
  name: filter,
  isActive: oneOf(['true', 'false']).transform((word) => (word === undefined ? undefined : word === 'true')),
});
const versionQuery = z.object({
  ifMatch: filter
    .transform((tag) => tag?.replace(QUOTED, '$1'))
    .pipe(
      z
        .string()
        .regex(/^\d{1,9}$/, 'This must be a version such as 3.')
        .transform(Number)
        .optional(),
    ),
});
const runQuery = listQuery.extend({ status: oneOf(RUN_STATUSES), workflowId: filter, userId: filter });

const versionOf = ({ query }: OpenCall) => ({ ifVersion: readQuery(query, versionQuery).ifMatch });

/** Workflows one by one and as a bundle, and the runs they made. */
export const automationRoutes: readonly ProjectRoute[] = [
  {
    ...read,
    path: '/automation/workflows/export',
    run: async (beckon, { scope }) => {
      const { bundle, etag } = await beckon.workflows.exportBundle(scope);
      return succeed(bundle, 200, { ETag: `"${etag}"` });
    },
  },
  {
    ...write,
    method: 'POST',
    path: '/automation/workflows/import',
    isIdempotent: true,
    run: (beckon, call) => {
      const asked = readQuery(call.query, importQuery);
      return onceOnly(
        call,
        (options) => beckon.workflows.importBundle(call.scope, call.body, { ...asked, ...options }),
        succeed,
      );
    },
  },
  {
    ...read,
    path: '/automation/workflows',
    run: async (beckon, { scope, query }) =>
      succeedWithPage(await beckon.workflows.list(scope, readQuery(query, workflowQuery))),
  },
  {
    ...write,
    method: 'POST',
    path: '/automation/workflows',
    run: async (beckon, { scope, body }) => succeed(await beckon.workflows.create(scope, body), CREATED),
  },
  {
    ...read,
    path: '/automation/workflows/:id',
    run: async (beckon, call) => succeed(await beckon.workflows.get(call.scope, param(call, 'id'))),
  },
  {
    ...write,
    method: 'PATCH',
    path: '/automation/workflows/:id',
    run: async (beckon, call) =>
      succeed(await beckon.workflows.update(call.scope, param(call, 'id'), call.body, versionOf(call))),
  },
  {
    ...write,
    method: 'DELETE',
    path: '/automation/workflows/:id',
    bodyCap: null,
    run: async (beckon, call) => succeed(await beckon.workflows.remove(call.scope, param(call, 'id'), versionOf(call))),
  },
  {
    ...read,
    path: '/automation/runs',
    run: async (beckon, { scope, query }) =>
      succeedWithPage(await beckon.workflows.listRuns(scope, readQuery(query, runQuery))),
  },
  {
    ...read,
    path: '/automation/runs/:id',
    run: async (beckon, call) => succeed(await beckon.workflows.getRun(call.scope, param(call, 'id'))),
  },
  {
    ...write,
    method: 'POST',
    path: '/automation/runs/:id/cancel',
    bodyCap: null,
    run: async (beckon, call) => succeed(await beckon.workflows.cancelRun(call.scope, param(call, 'id'))),
  },
  {
    ...write,
    method: 'POST',
    path: '/automation/runs/:id/retry',
    bodyCap: null,
    run: async (beckon, call) => succeed(await beckon.workflows.retryRun(call.scope, param(call, 'id'))),
  },
];
