import { AUDIENCE_KINDS, AUDIENCE_STATUSES, DEFINITION_CAPS } from '@beckon/core';
import { succeed, succeedWithPage } from '../pipeline/envelope.ts';
import { filter, flag, oneOf, pageQuery, readQuery } from '../pipeline/query.ts';
import { DEFAULT_BODY_CAP, type Method, type ProjectRoute, param, reading } from '../route.ts';
import { capsText } from './caps.ts';

const read = reading('audiences:read');
const write = { ...read, scope: 'audiences:write', bodyCap: DEFAULT_BODY_CAP } as const;

/** Status of a created resource. Source: contract, Conventions. */
const CREATED = 201;
const PATH = '/audiences';

const audienceQuery = pageQuery.extend({
  name: filter,
  kind: oneOf(AUDIENCE_KINDS),
  status: oneOf(AUDIENCE_STATUSES),
  count: flag,
});
const memberQuery = pageQuery.extend({ userId: filter, count: flag });

const removal = (method: Method, path: string): ProjectRoute => ({
  ...write,
  method,
  path,
  summary: 'Take users off a static list',
  takes: 'MembersInput',
  answer: { 200: 'MembersRemoved' },
  errors: ['CONFLICT'],
  run: async (beckon, call) => succeed(await beckon.audiences.removeMembers(call.scope, param(call, 'id'), call.body)),
});

/** Groups of users, and who is in them. */
export const audienceRoutes: readonly ProjectRoute[] = [
  {
    ...read,
    path: PATH,
    summary: 'List audiences, newest first',
    answer: { page: 'Audience' },
    query: audienceQuery,
    run: async (beckon, { scope, query }) =>
      succeedWithPage(await beckon.audiences.list(scope, readQuery(query, audienceQuery))),
  },
  {
    ...write,
    method: 'POST',
    path: PATH,
    summary: 'Create an audience: with a predicate, or without one as a list',
    description: capsText(DEFINITION_CAPS.audiences, DEFINITION_CAPS.audienceLeaves),
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
    summary: 'Tell whom a predicate holds for, without keeping it',
    takes: 'PreviewAudienceInput',
    answer: { 200: 'AudiencePreview' },
    run: async (beckon, { scope, body }) => succeed(await beckon.audiences.preview(scope, body)),
  },
  {
    ...read,
    path: `${PATH}/:id/explain/:userId`,
    summary: 'Explain why a user is in an audience, or is not',
    answer: { 200: 'AudienceExplanation' },
    run: async (beckon, call) =>
      succeed(await beckon.audiences.explain(call.scope, param(call, 'id'), param(call, 'userId'))),
  },
  {
    ...read,
    path: `${PATH}/:id`,
    summary: 'Read an audience',
    answer: { 200: 'Audience' },
    run: async (beckon, call) => succeed(await beckon.audiences.get(call.scope, param(call, 'id'))),
  },
  {
    ...write,
    method: 'PATCH',
    path: `${PATH}/:id`,
    summary: 'Change an audience: what is left out stays',
    description: capsText(DEFINITION_CAPS.audienceLeaves),
    takes: 'AudiencePatch',
    answer: { 200: 'Audience' },
    errors: ['CONFLICT'],
    run: async (beckon, call) => succeed(await beckon.audiences.update(call.scope, param(call, 'id'), call.body)),
  },
  {
    ...write,
    method: 'DELETE',
    path: `${PATH}/:id`,
    summary: 'Delete an audience that nothing names',
    answer: { 200: 'AudienceSummary' },
    bodyCap: null,
    errors: ['CONFLICT'],
    run: async (beckon, call) => succeed(await beckon.audiences.delete(call.scope, param(call, 'id'))),
  },
  {
    ...read,
    path: `${PATH}/:id/members`,
    summary: 'List who is in an audience, in the order of their ids',
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
    summary: 'Put users on a static list',
    takes: 'MembersInput',
    answer: { 200: 'MembersAdded' },
    errors: ['CONFLICT'],
    run: async (beckon, call) => succeed(await beckon.audiences.addMembers(call.scope, param(call, 'id'), call.body)),
  },
  removal('DELETE', `${PATH}/:id/members`),
  // Proxies drop the bodies of DELETE. Source: contract, Conventions.
  removal('POST', `${PATH}/:id/members/remove`),
];
