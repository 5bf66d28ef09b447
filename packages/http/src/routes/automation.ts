import { DEFINITION_CAPS, RUN_STATUSES } from '@beckon/core';
import { z } from 'zod';
import { succeed, succeedWithPage } from '../pipeline/envelope.ts';
import { onceOnly } from '../pipeline/idempotency.ts';
import { filter, flag, listQuery, oneOf, pageQuery, readQuery } from '../pipeline/query.ts';
import { DEFAULT_BODY_CAP, type OpenCall, type ProjectRoute, param } from '../route.ts';
import { capsText } from './caps.ts';

const common = { shape: 'both', kind: 'secret', needs: 'project' } as const;
const read = { ...common, method: 'GET', scope: 'workflows:read', bodyCap: null } as const;
/** What steps of a workflow have of a plan. Source: contract, Plan gates. */
const STEP_PLAN = { 'steps.config.templateId': 'templates', 'steps.config.abTestId': 'abTests' } as const;
const write = { ...common, scope: 'workflows:write', bodyCap: DEFAULT_BODY_CAP, isBodyWhole: true } as const;

/** Status of a created resource. Source: contract, Conventions. */
const CREATED = 201;
/** The quotes of an entity tag, which people copy together with the hash. */
const QUOTED = /^(?:W\/)?"(.*)"$/;
const importQuery = z.object({
  dryRun: flag,
  ifMatch: filter.transform((tag) => tag?.replace(QUOTED, '$1')),
  only: oneOf(['create', 'update']),
  prune: flag,
});
const workflowQuery = pageQuery.extend({
  name: filter,
  isActive: oneOf(['true', 'false'])
    .transform((word) => (word === undefined ? undefined : word === 'true'))
    .meta({ type: 'boolean' }),
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
    plan: 'workflowBundles',
    path: '/automation/workflows/export',
    summary: 'Export all workflows as a bundle',
    answer: { 200: 'Bundle' },
    run: async (beckon, { scope }) => {
      const { bundle, etag } = await beckon.workflows.exportBundle(scope);
      return succeed(bundle, 200, { ETag: `"${etag}"` });
    },
  },
  {
    ...write,
    method: 'POST',
    plan: 'workflowBundles',
    path: '/automation/workflows/import',
    summary: 'Import a bundle in one transaction',
    description: capsText(DEFINITION_CAPS.activeWorkflows, DEFINITION_CAPS.activeWorkflowsOfEvent),
    takes: 'BundleInput',
    answer: { 200: 'ImportAnswer' },
    query: importQuery,
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
    summary: 'List workflows without their steps, newest first',
    answer: { page: 'WorkflowRow' },
    query: workflowQuery,
    run: async (beckon, { scope, query }) =>
      succeedWithPage(await beckon.workflows.list(scope, readQuery(query, workflowQuery))),
  },
  {
    ...write,
    method: 'POST',
    path: '/automation/workflows',
    summary: 'Create a workflow',
    description: capsText(DEFINITION_CAPS.activeWorkflows, DEFINITION_CAPS.activeWorkflowsOfEvent),
    takes: 'WorkflowInput',
    answer: { 201: 'WorkflowSaved' },
    plan: STEP_PLAN,
    errors: ['CONFLICT'],
    run: async (beckon, { scope, body }) => succeed(await beckon.workflows.create(scope, body), CREATED),
  },
  {
    ...read,
    path: '/automation/workflows/:id',
    summary: 'Read a workflow',
    answer: { 200: 'WorkflowRecord' },
    run: async (beckon, call) => succeed(await beckon.workflows.get(call.scope, param(call, 'id'))),
  },
  {
    ...write,
    method: 'PATCH',
    path: '/automation/workflows/:id',
    summary: 'Change a workflow, as a new version of it',
    description: capsText(DEFINITION_CAPS.activeWorkflows, DEFINITION_CAPS.activeWorkflowsOfEvent),
    takes: 'WorkflowPatch',
    answer: { 200: 'WorkflowSaved' },
    plan: STEP_PLAN,
    query: versionQuery,
    errors: ['CONFLICT'],
    run: async (beckon, call) =>
      succeed(await beckon.workflows.update(call.scope, param(call, 'id'), call.body, versionOf(call))),
  },
  {
    ...write,
    method: 'DELETE',
    path: '/automation/workflows/:id',
    summary: 'Delete a workflow; its runs go on',
    answer: { 200: 'WorkflowSummary' },
    query: versionQuery,
    errors: ['CONFLICT'],
    bodyCap: null,
    run: async (beckon, call) => succeed(await beckon.workflows.delete(call.scope, param(call, 'id'), versionOf(call))),
  },
  {
    ...read,
    path: '/automation/runs',
    summary: 'List runs, newest first',
    answer: { page: 'Run' },
    query: runQuery,
    errors: ['INVALID_RANGE'],
    run: async (beckon, { scope, query }) =>
      succeedWithPage(await beckon.workflows.listRuns(scope, readQuery(query, runQuery))),
  },
  {
    ...read,
    path: '/automation/runs/:id',
    summary: 'Read a run with its steps',
    answer: { 200: 'RunWithSteps' },
    run: async (beckon, call) => succeed(await beckon.workflows.getRun(call.scope, param(call, 'id'))),
  },
  {
    ...write,
    method: 'POST',
    path: '/automation/runs/:id/cancel',
    summary: 'End a run before its next step',
    answer: { 200: 'RunWithSteps' },
    errors: ['CONFLICT'],
    bodyCap: null,
    run: async (beckon, call) => succeed(await beckon.workflows.cancelRun(call.scope, param(call, 'id'))),
  },
  {
    ...write,
    method: 'POST',
    path: '/automation/runs/:id/retry',
    summary: 'Let a run that failed go on at the step where it did',
    answer: { 200: 'RunWithSteps' },
    errors: ['CONFLICT'],
    bodyCap: null,
    run: async (beckon, call) => succeed(await beckon.workflows.retryRun(call.scope, param(call, 'id'))),
  },
];
