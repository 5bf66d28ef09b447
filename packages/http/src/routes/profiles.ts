import { succeed, succeedWithPage } from '../pipeline/envelope.ts';
import { filter, listQuery, pageQuery, readQuery } from '../pipeline/query.ts';
import { DEFAULT_BODY_CAP, type ProjectRoute, param, reading } from '../route.ts';

const read = reading('profiles:read');

// Also the way to a user whose name would be a dot segment: clients and proxies may drop `%2E` and `%2E%2E` from a path.
const profileQuery = listQuery.extend({ userId: filter });

/** Who the users are, what they did and what they were sent. */
export const profileRoutes: readonly ProjectRoute[] = [
  {
    ...read,
    path: '/profiles',
    summary: 'List identified users',
    answer: { page: 'Profile' },
    query: profileQuery,
    errors: ['INVALID_RANGE'],
    run: async (beckon, { scope, query }) =>
      succeedWithPage(await beckon.profiles.list(scope, readQuery(query, profileQuery))),
  },
  {
    ...read,
    path: '/profiles/:userId',
    summary: 'Read a user with the newest devices and the audiences',
    answer: { 200: 'Profile' },
    run: async (beckon, call) => succeed(await beckon.profiles.get(call.scope, param(call, 'userId'))),
  },
  {
    ...read,
    method: 'PATCH',
    scope: 'profiles:write',
    bodyCap: DEFAULT_BODY_CAP,
    path: '/profiles/:userId',
    summary: 'Change what is known of a user: what is left out stays, null unsets',
    takes: 'ProfileInput',
    answer: { 200: 'Profile' },
    run: async (beckon, call) => succeed(await beckon.profiles.update(call.scope, param(call, 'userId'), call.body)),
  },
  {
    ...read,
    method: 'DELETE',
    scope: 'profiles:write',
    path: '/profiles/:userId',
    summary: 'Erase a user everywhere in this environment, in the background',
    answer: { 200: 'ErasureRequested' },
    run: async (beckon, call) => succeed(await beckon.profiles.erase(call.scope, param(call, 'userId'))),
  },
  {
    ...read,
    path: '/profiles/erasures/:id',
    summary: 'Tell what became of an erasure',
    answer: { 200: 'Erasure' },
    run: async (beckon, call) => succeed(await beckon.profiles.erasure(call.scope, param(call, 'id'))),
  },
  {
    ...read,
    path: '/profiles/:userId/events',
    summary: 'List what a user did and what was told of them, newest first',
    answer: { page: 'EventRecord' },
    query: listQuery,
    errors: ['INVALID_RANGE'],
    run: async (beckon, call) =>
      succeedWithPage(
        await beckon.profiles.events(call.scope, param(call, 'userId'), readQuery(call.query, listQuery)),
      ),
  },
  {
    ...read,
    path: '/profiles/:userId/sends',
    summary: 'List the messages to a user, newest first',
    answer: { page: 'Message' },
    query: pageQuery,
    run: async (beckon, call) =>
      succeedWithPage(await beckon.profiles.sends(call.scope, param(call, 'userId'), readQuery(call.query, pageQuery))),
  },
  {
    ...read,
    path: '/profiles/:userId/subscriptions',
    summary: 'Read what a user chose to get',
    answer: { 200: 'Subscriptions' },
    run: async (beckon, call) => succeed(await beckon.subscriptions.get(call.scope, param(call, 'userId'))),
  },
  {
    ...read,
    method: 'PUT',
    scope: 'profiles:write',
    bodyCap: DEFAULT_BODY_CAP,
    path: '/profiles/:userId/subscriptions',
    summary: 'Change what a user gets: what is left out stays, null forgets a choice',
    takes: 'SubscriptionsInput',
    answer: { 200: 'Subscriptions' },
    run: async (beckon, call) =>
      succeed(await beckon.subscriptions.update(call.scope, param(call, 'userId'), call.body)),
  },
];
