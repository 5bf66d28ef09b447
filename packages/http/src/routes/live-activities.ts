import { ACTIVITY_STATUSES, ACTIVITY_TOKEN_SHAPE } from '@beckon/core';
import { succeed, succeedWithPage } from '../pipeline/envelope.ts';
import { filter, oneOf, pageQuery, readQuery } from '../pipeline/query.ts';
import { DEFAULT_BODY_CAP, type ProjectRoute, param, reading } from '../route.ts';

/** Status of a created resource. Source: contract, Conventions. */
const CREATED = 201;
const plan = 'liveActivities';
const PATH = '/push/live-activities';

const listQuery = pageQuery.extend({
  userId: filter.describe('Id of the user. Default: any.'),
  activityType: filter.describe('Your name of the kind of activity. Default: any.'),
  status: oneOf(ACTIVITY_STATUSES).describe('Status of the activities. Default: any.'),
});
const send = {
  shape: 'both',
  kind: 'secret',
  scope: 'push:send',
  needs: 'project',
  plan,
  bodyCap: DEFAULT_BODY_CAP,
  errors: ['PROVIDER_NOT_CONFIGURED'],
} as const;

/** Live Activities of iOS: tokens and updates. */
export const liveActivityRoutes: readonly ProjectRoute[] = [
  {
    method: 'POST',
    path: `${PATH}/start-token`,
    summary: 'Register a Live Activity token',
    description:
      'Registers the token of one activity (`update`), or the token that starts activities on a device (`push_to_start`).',
    takes: 'ActivityTokenInput',
    answer: { 201: 'ActivityTokenSaved' },
    shape: 'both',
    kind: 'sdk',
    scope: 'tokens:write',
    needs: 'project',
    plan,
    bodyCap: DEFAULT_BODY_CAP,
    reads: ACTIVITY_TOKEN_SHAPE,
    run: async (beckon, { scope, body }) => succeed(await beckon.liveActivities.registerToken(scope, body), CREATED),
  },
  {
    ...send,
    method: 'POST',
    path: `${PATH}/start`,
    summary: 'Start a Live Activity',
    description: 'Starts the activity on every device with a `push_to_start` token.',
    takes: 'ActivityStartInput',
    answer: { 201: 'ActivityStarted' },
    run: async (beckon, { scope, body }) => succeed(await beckon.liveActivities.start(scope, body), CREATED),
  },
  {
    ...send,
    method: 'PATCH',
    path: `${PATH}/:externalId`,
    summary: 'Update a Live Activity',
    description: 'Sends the state to every device that shows the activity.',
    takes: 'ActivityUpdateInput',
    answer: { 200: 'ActivityResult' },
    run: async (beckon, call) =>
      succeed(await beckon.liveActivities.update(call.scope, param(call, 'externalId'), call.body)),
  },
  {
    ...send,
    method: 'POST',
    path: `${PATH}/:externalId/end`,
    summary: 'End a Live Activity',
    description: 'Ends the activity on every device, with a last state if you pass one.',
    takes: 'ActivityEndInput',
    answer: { 200: 'ActivityResult' },
    run: async (beckon, call) =>
      succeed(await beckon.liveActivities.end(call.scope, param(call, 'externalId'), call.body)),
  },
  {
    ...send,
    method: 'DELETE',
    path: `${PATH}/:externalId`,
    summary: 'End a Live Activity without a new state',
    description: 'Ends the activity on every device with the state that it shows.',
    answer: { 200: 'ActivityResult' },
    bodyCap: null,
    run: async (beckon, call) => succeed(await beckon.liveActivities.end(call.scope, param(call, 'externalId'))),
  },
  {
    ...reading('push:read'),
    plan,
    path: PATH,
    summary: 'List Live Activities',
    description: 'Newest first.',
    answer: { page: 'LiveActivity' },
    query: listQuery,
    run: async (beckon, { scope, query }) =>
      succeedWithPage(await beckon.liveActivities.list(scope, readQuery(query, listQuery))),
  },
];
