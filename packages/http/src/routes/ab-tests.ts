import type { Channel } from '@beckon/core';
import { AB_TEST_STATUSES } from '@beckon/core';
import { succeed, succeedWithPage } from '../pipeline/envelope.ts';
import { count, oneOf, pageQuery, readQuery } from '../pipeline/query.ts';
import { DEFAULT_BODY_CAP, type ProjectRoute, param, reading } from '../route.ts';

const testQuery = pageQuery.extend({
  count,
  status: oneOf(AB_TEST_STATUSES).describe('Status of the tests. Default: any.'),
});

/** Status of a created resource. Source: contract, Conventions. */
const CREATED = 201;
const BODIES = {
  push: { input: 'PushAbTestInput', patch: 'PushAbTestPatch' },
  email: { input: 'EmailAbTestInput', patch: 'EmailAbTestPatch' },
  sms: { input: 'SmsAbTestInput', patch: 'SmsAbTestPatch' },
} as const satisfies Record<Channel, object>;

/** A/B tests of one channel. */
export const abTestRoutes = (channel: Channel): readonly ProjectRoute[] => {
  const read = { ...reading(`${channel}:read`), plan: 'abTests' } as const;
  const write = {
    ...read,
    method: 'POST',
    scope: `${channel}:write`,
    bodyCap: DEFAULT_BODY_CAP,
    isBodyWhole: true,
  } as const;
  const { input, patch } = BODIES[channel];
  return [
    {
      ...read,
      path: `/${channel}/ab-tests`,
      summary: 'List A/B tests',
      description: 'Newest first.',
      answer: { page: 'AbTest' },
      query: testQuery,
      run: async (beckon, { scope, query }) =>
        succeedWithPage(await beckon.abTests.list(scope, channel, readQuery(query, testQuery))),
    },
    {
      ...write,
      path: `/${channel}/ab-tests`,
      summary: 'Create an A/B test',
      description: 'The test starts at once. Pass its id as `abTestId` of a send or a workflow step.',
      takes: input,
      answer: { 201: 'AbTest' },
      run: async (beckon, { scope, body }) => succeed(await beckon.abTests.create(scope, channel, body), CREATED),
    },
    {
      ...read,
      path: `/${channel}/ab-tests/:id`,
      summary: 'Get an A/B test',
      description: 'Contains the variants, their weights and the status.',
      answer: { 200: 'AbTest' },
      run: async (beckon, call) => succeed(await beckon.abTests.get(call.scope, channel, param(call, 'id'))),
    },
    {
      ...write,
      method: 'PATCH',
      path: `/${channel}/ab-tests/:id`,
      summary: 'Update an A/B test',
      description:
        'Changes name, variants or metric, and pauses, resumes or completes the test. A completed test returns 409.',
      takes: patch,
      answer: { 200: 'AbTest' },
      errors: ['CONFLICT'],
      run: async (beckon, call) =>
        succeed(await beckon.abTests.update(call.scope, channel, param(call, 'id'), call.body)),
    },
    {
      ...read,
      path: `/${channel}/ab-tests/:id/stats`,
      summary: 'Get the results of an A/B test',
      description: 'Contains messages, conversions and significance per variant.',
      answer: { 200: 'AbTestStats' },
      run: async (beckon, call) => succeed(await beckon.abTests.stats(call.scope, channel, param(call, 'id'))),
    },
    {
      ...write,
      path: `/${channel}/ab-tests/:id/complete`,
      summary: 'Complete an A/B test',
      description: 'With `winnerKey`, all users get that variant from now on.',
      takes: 'AbTestCompletion',
      answer: { 200: 'AbTest' },
      errors: ['CONFLICT'],
      run: async (beckon, call) =>
        succeed(await beckon.abTests.complete(call.scope, channel, param(call, 'id'), call.body)),
    },
  ];
};
