import { AUDIENCE_KINDS, AUDIENCE_STATUSES, DEFINITION_CAPS } from '@beckon/core';
import { succeed, succeedWithPage } from '../pipeline/envelope.ts';
import { count, filter, oneOf, pageQuery, readQuery } from '../pipeline/query.ts';
import { DEFAULT_BODY_CAP, type Method, type ProjectRoute, param, reading } from '../route.ts';
import { capsText } from './caps.ts';

const read = reading('audiences:read');
const write = { ...read, scope: 'audiences:write', bodyCap: DEFAULT_BODY_CAP } as const;

/** Status of a created resource. Source: contract, Conventions. */
const CREATED = 201;
const PATH = '/audiences';

const audienceQuery = pageQuery.extend({
  name: filter.describe('Exact name of the audience. Default: any.'),
  kind: oneOf(AUDIENCE_KINDS).describe('Kind of the audiences. Default: any.'),
  status: oneOf(AUDIENCE_STATUSES).describe('Status of the audiences. Default: any.'),
  count,
});
const memberQuery = pageQuery.extend({ userId: filter.describe('Id of the member. Default: any.'), count });

const removal = (method: Method, path: string): ProjectRoute => ({
  ...write,
  method,
  path,
  summary: 'Remove members',
  description: 'Removes users from a static audience. Ids that are no members are ignored.',
  takes: 'MembersInput',
  answer: { 200: 'MembersRemoved' },
  errors: ['CONFLICT'],
  run: async (beckon, call) => succeed(await beckon.audiences.removeMembers(call.scope, param(call, 'id'), call.body)),
});

/** Segments and their members. */
export const audienceRoutes: readonly ProjectRoute[] = [
  {
    ...read,
    path: PATH,
    summary: 'List audiences',
    description: 'Newest first.',
    answer: { page: 'Audience' },
    query: audienceQuery,
    run: async (beckon, { scope, query }) =>
      succeedWithPage(await beckon.audiences.list(scope, readQuery(query, audienceQuery))),
  },
  {
    ...write,
    method: 'POST',
    path: PATH,
    summary: 'Create an audience',
    description: capsText(
      'With a predicate the audience is dynamic, without one static: you add and remove its members.',
      DEFINITION_CAPS.audiences,
      DEFINITION_CAPS.audienceLeaves,
    ),
    takes: 'AudienceInput',
    answer: { 201: 'Audience' },
    errors: ['CONFLICT'],
    run: async (beckon, { scope, body }) => succeed(await beckon.audiences.create(scope, body), CREATED),
  },
  {
    ...write,
    // It only computes.
    scope: 'audiences:read',
    method: 'POST',
    path: `${PATH}/preview`,
    summary: 'Preview a predicate',
    description: 'Counts the users that meet the predicate and returns some of them. Nothing is stored.',
    takes: 'PreviewAudienceInput',
    answer: { 200: 'AudiencePreview' },
    run: async (beckon, { scope, body }) => succeed(await beckon.audiences.preview(scope, body)),
  },
  {
    ...read,
    path: `${PATH}/:id/explain/:userId`,
    summary: 'Explain the membership of a user',
    description: 'Contains the result of each condition and the value that it compared.',
    answer: { 200: 'AudienceExplanation' },
    run: async (beckon, call) =>
      succeed(await beckon.audiences.explain(call.scope, param(call, 'id'), param(call, 'userId'))),
  },
  {
    ...read,
    path: `${PATH}/:id`,
    summary: 'Get an audience',
    description: 'An audience is `computing` while Beckon evaluates its predicate for every profile.',
    answer: { 200: 'Audience' },
    run: async (beckon, call) => succeed(await beckon.audiences.get(call.scope, param(call, 'id'))),
  },
  {
    ...write,
    method: 'PATCH',
    path: `${PATH}/:id`,
    summary: 'Update an audience',
    description: capsText(
      'Fields that you omit keep their values. A new predicate sets the audience to `computing`.',
      DEFINITION_CAPS.audienceLeaves,
    ),
    takes: 'AudiencePatch',
    answer: { 200: 'Audience' },
    errors: ['CONFLICT'],
    run: async (beckon, call) => succeed(await beckon.audiences.update(call.scope, param(call, 'id'), call.body)),
  },
  {
    ...write,
    method: 'DELETE',
    path: `${PATH}/:id`,
    summary: 'Delete an audience',
    description: 'An audience that a workflow or another audience uses is kept: the response is 409 `in_use`.',
    answer: { 200: 'AudienceSummary' },
    bodyCap: null,
    errors: ['CONFLICT'],
    run: async (beckon, call) => succeed(await beckon.audiences.delete(call.scope, param(call, 'id'))),
  },
  {
    ...read,
    path: `${PATH}/:id/members`,
    summary: 'List the members of an audience',
    description: 'Ordered by user id.',
    answer: { page: 'AudienceMember' },
    query: memberQuery,
    run: async (beckon, call) =>
      succeedWithPage(
        await beckon.audiences.members(call.scope, param(call, 'id'), readQuery(call.query, memberQuery)),
      ),
  },
  {
    ...write,
    method: 'POST',
    path: `${PATH}/:id/members`,
    summary: 'Add members',
    description: 'Adds users to a static audience. Users that are members already stay members.',
    takes: 'MembersInput',
    answer: { 200: 'MembersAdded' },
    errors: ['CONFLICT'],
    run: async (beckon, call) => succeed(await beckon.audiences.addMembers(call.scope, param(call, 'id'), call.body)),
  },
  removal('DELETE', `${PATH}/:id/members`),
  // Proxies drop the bodies of DELETE. Source: contract, Conventions.
  removal('POST', `${PATH}/:id/members/remove`),
];
