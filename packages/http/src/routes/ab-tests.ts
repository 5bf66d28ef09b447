import type { Channel } from '@beckon/core';
import { AB_TEST_STATUSES } from '@beckon/core';
import { succeed, succeedWithPage } from '../pipeline/envelope.ts';
import { flag, oneOf, pageQuery, readQuery } from '../pipeline/query.ts';
import { DEFAULT_BODY_CAP, type ProjectRoute, param, reading } from '../route.ts';

const testQuery = pageQuery.extend({ count: flag, status: oneOf(AB_TEST_STATUSES) });

/** Status of a created resource. Source: contract, Conventions. */
const CREATED = 201;
const BODIES = {
  push: { input: 'PushAbTestInput', patch: 'PushAbTestPatch' },
  email: { input: 'EmailAbTestInput', patch: 'EmailAbTestPatch' },
  sms: { input: 'SmsAbTestInput', patch: 'SmsAbTestPatch' },
} as const satisfies Record<Channel, object>;

/** Tests of what to say on one channel. */
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
      summary: 'List A/B tests, newest first',
      answer: { page: 'AbTest' },
      query: testQuery,
      run: async (beckon, { scope, query }) =>
        succeedWithPage(await beckon.abTests.list(scope, channel, readQuery(query, testQuery))),
    },
    {
      ...write,
      path: `/${channel}/ab-tests`,
      summary: 'Create an A/B test, which runs from the start',
      takes: input,
      answer: { 201: 'AbTest' },
      run: async (beckon, { scope, body }) => succeed(await beckon.abTests.create(scope, channel, body), CREATED),
    },
    {
      ...read,
      path: `/${channel}/ab-tests/:id`,
      summary: 'Read an A/B test',
      answer: { 200: 'AbTest' },
      run: async (beckon, call) => succeed(await beckon.abTests.get(call.scope, channel, param(call, 'id'))),
    },
    {
      ...write,
      method: 'PATCH',
      path: `/${channel}/ab-tests/:id`,
      summary: 'Change an A/B test: pause it, let it run again, or complete it',
      takes: patch,
      answer: { 200: 'AbTest' },
      errors: ['CONFLICT'],
      run: async (beckon, call) =>
        succeed(await beckon.abTests.update(call.scope, channel, param(call, 'id'), call.body)),
    },
    {
      ...read,
      path: `/${channel}/ab-tests/:id/stats`,
      summary: 'Tell how the variants of an A/B test fare',
      answer: { 200: 'AbTestStats' },
      run: async (beckon, call) => succeed(await beckon.abTests.stats(call.scope, channel, param(call, 'id'))),
    },
    {
      ...write,
      path: `/${channel}/ab-tests/:id/complete`,
      summary: 'Complete an A/B test, with a winner where one is named',
      takes: 'AbTestCompletion',
      answer: { 200: 'AbTest' },
      errors: ['CONFLICT'],
      run: async (beckon, call) =>
        succeed(await beckon.abTests.complete(call.scope, channel, param(call, 'id'), call.body)),
    },
  ];
};
