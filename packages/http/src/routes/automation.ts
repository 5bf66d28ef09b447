import { DEFINITION_CAPS, RUN_STATUSES } from '@beckon/core';
import { z } from 'zod';
import { succeed, succeedWithPage } from '../pipeline/envelope.ts';
import { onceOnly } from '../pipeline/idempotency.ts';
import { filter, flag, listQuery, oneOf, pageQuery, readQuery } from '../pipeline/query.ts';
import { DEFAULT_BODY_CAP, type OpenCall, type ProjectRoute, param } from '../route.ts';
import { capsText } from './caps.ts';

const common = { shape: 'both', kind: 'secret', needs: 'project' } as const;
const read = { ...common, method: 'GET', scope: 'workflows:read', bodyCap: null } as const;
/** Plan features of workflow steps. Source: contract, Plan gates. */
const STEP_PLAN = { 'steps.config.templateId': 'templates', 'steps.config.abTestId': 'abTests' } as const;
const write = { ...common, scope: 'workflows:write', bodyCap: DEFAULT_BODY_CAP, isBodyWhole: true } as const;

/** Status of a created resource. Source: contract, Conventions. */
const CREATED = 201;
/** The quotes of an entity tag, which people copy together with the hash. */
const QUOTED = /^(?:W\/)?"(.*)"$/;
const importQuery = z.object({
  dryRun: flag.describe('Whether to return what would change without changing anything. Default: false.'),
  ifMatch: filter
    .transform((tag) => tag?.replace(QUOTED, '$1'))
    .describe(
      'Hash of the state that the bundle was based on. An export or a dry run returns it. Another state returns 409. Default: any state.',
    ),
  only: oneOf(['create', 'update']).describe('Whether to only create or only update workflows. Default: both.'),
  prune: flag.describe('Whether to deactivate workflows outside the bundle. Default: false.'),
});
const workflowQuery = pageQuery.extend({
  name: filter.describe('Exact name of the workflow. Default: any.'),
  isActive: oneOf(['true', 'false'])
    .transform((word) => (word === undefined ? undefined : word === 'true'))
    .meta({ type: 'boolean', description: 'Whether the workflows are active. Default: any.' }),
});
const versionQuery = z.object({
  ifMatch: filter
    .transform((tag) => tag?.replace(QUOTED, '$1'))
    .pipe(
      z
        .string()
        .regex(/^\d{1,9}$/, 'must be a version such as 3')
        .transform(Number)
        .optional(),
    )
    .describe('Version to change. Another stored version returns 409. Default: any version.'),
});
const runQuery = listQuery.extend({
  status: oneOf(RUN_STATUSES).describe('Status of the runs. Default: any.'),
  workflowId: filter.describe('Id of the workflow. Default: any.'),
  userId: filter.describe('Id of the user. Default: any.'),
});

const versionOf = ({ query }: OpenCall) => ({ ifVersion: readQuery(query, versionQuery).ifMatch });

/** Workflows, bundles and runs. */
export const automationRoutes: readonly ProjectRoute[] = [
  {
    ...read,
    plan: 'workflowBundles',
    path: '/automation/workflows/export',
    summary: 'Export workflows',
    description: 'Exports all workflows of the project as one JSON bundle, for version control and import elsewhere.',
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
    summary: 'Import workflows',
    description: capsText(
      'Creates and updates workflows by name, in one transaction. `dryRun` returns the changes without making them.',
      DEFINITION_CAPS.activeWorkflows,
      DEFINITION_CAPS.activeWorkflowsOfEvent,
    ),
    takes: 'BundleInput',
    answer: { 200: 'ImportAnswer' },
    query: importQuery,
    isIdempotent: true,
    run: (beckon, call) => {
      const importOptions = readQuery(call.query, importQuery);
      return onceOnly(
        call,
        (options) => beckon.workflows.importBundle(call.scope, call.body, { ...importOptions, ...options }),
        succeed,
      );
    },
  },
  {
    ...read,
    path: '/automation/workflows',
    summary: 'List workflows',
    description: 'Newest first, without steps.',
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
    description: capsText(
      'Creates a workflow. It starts runs when `isActive` is true.',
      DEFINITION_CAPS.activeWorkflows,
      DEFINITION_CAPS.activeWorkflowsOfEvent,
    ),
    takes: 'WorkflowInput',
    answer: { 201: 'WorkflowSaved' },
    plan: STEP_PLAN,
    errors: ['CONFLICT'],
    run: async (beckon, { scope, body }) => succeed(await beckon.workflows.create(scope, body), CREATED),
  },
  {
    ...read,
    path: '/automation/workflows/:id',
    summary: 'Get a workflow',
    description: 'Contains the trigger, the steps and the version.',
    answer: { 200: 'WorkflowRecord' },
    run: async (beckon, call) => succeed(await beckon.workflows.get(call.scope, param(call, 'id'))),
  },
  {
    ...write,
    method: 'PATCH',
    path: '/automation/workflows/:id',
    summary: 'Update a workflow',
    description: capsText(
      'Stores a new version. Fields that you omit keep their values. Runs that have started keep their version.',
      DEFINITION_CAPS.activeWorkflows,
      DEFINITION_CAPS.activeWorkflowsOfEvent,
    ),
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
    summary: 'Delete a workflow',
    description: 'Runs that have started continue to their end.',
    answer: { 200: 'WorkflowSummary' },
    query: versionQuery,
    errors: ['CONFLICT'],
    bodyCap: null,
    run: async (beckon, call) => succeed(await beckon.workflows.delete(call.scope, param(call, 'id'), versionOf(call))),
  },
  {
    ...read,
    path: '/automation/runs',
    summary: 'List runs',
    description: 'Newest first.',
    answer: { page: 'Run' },
    query: runQuery,
    errors: ['INVALID_RANGE'],
    run: async (beckon, { scope, query }) => succeedWithPage(await beckon.runs.list(scope, readQuery(query, runQuery))),
  },
  {
    ...read,
    path: '/automation/runs/:id',
    summary: 'Get a run',
    description: 'Contains the outcome of each step.',
    answer: { 200: 'RunWithSteps' },
    run: async (beckon, call) => succeed(await beckon.runs.get(call.scope, param(call, 'id'))),
  },
  {
    ...write,
    method: 'POST',
    path: '/automation/runs/:id/cancel',
    summary: 'Cancel a run',
    description: 'The run ends before its next step. A run that has ended returns 409.',
    answer: { 200: 'RunWithSteps' },
    errors: ['CONFLICT'],
    bodyCap: null,
    run: async (beckon, call) => succeed(await beckon.runs.cancel(call.scope, param(call, 'id'))),
  },
  {
    ...write,
    method: 'POST',
    path: '/automation/runs/:id/retry',
    summary: 'Retry a failed run',
    description: 'The run continues at the step that failed. A run that has not failed returns 409.',
    answer: { 200: 'RunWithSteps' },
    errors: ['CONFLICT'],
    bodyCap: null,
    run: async (beckon, call) => succeed(await beckon.runs.retry(call.scope, param(call, 'id'))),
  },
];
