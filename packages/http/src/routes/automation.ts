import { RUN_STATUSES } from '@beckon/core';
import { z } from 'zod';
import { succeed, succeedWithPage } from '../pipeline/envelope.ts';
import { onceOnly } from '../pipeline/idempotency.ts';
import { filter, flag, listQuery, oneOf, readQuery } from '../pipeline/query.ts';
import { DEFAULT_BODY_CAP, type ProjectRoute, param } from '../route.ts';

const common = { shape: 'both', kind: 'secret', needs: 'project' } as const;
const read = { ...common, method: 'GET', scope: 'workflows:read', bodyCap: null } as const;

/** The quotes of an entity tag, which people copy together with the hash. */
const QUOTED = /^(?:W\/)?"(.*)"$/;
const importQuery = z.object({ dryRun: flag, ifMatch: filter.transform((tag) => tag?.replace(QUOTED, '$1')) });
const runQuery = listQuery.extend({ status: oneOf(RUN_STATUSES), workflowId: filter, userId: filter });

/** Workflows as a bundle, and the runs they made. */
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
    ...common,
    method: 'POST',
    scope: 'workflows:write',
    path: '/automation/workflows/import',
    bodyCap: DEFAULT_BODY_CAP,
    isBodyWhole: true,
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
    path: '/automation/runs',
    run: async (beckon, { scope, query }) =>
      succeedWithPage(await beckon.workflows.listRuns(scope, readQuery(query, runQuery))),
  },
  {
    ...read,
    path: '/automation/runs/:id',
    run: async (beckon, call) => succeed(await beckon.workflows.getRun(call.scope, param(call, 'id'))),
  },
];
