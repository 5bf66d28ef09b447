import { succeed, succeedWithPage } from '../pipeline/envelope.ts';
import { filter, listQuery, pageQuery, readQuery } from '../pipeline/query.ts';
import { DEFAULT_BODY_CAP, type ProjectRoute, param, reading } from '../route.ts';

const read = reading('profiles:read');

// `userId` also finds a user whose id looks like a dot segment: clients and proxies may drop `%2E` and `%2E%2E` from a
// path.
const profileQuery = listQuery.extend({ userId: filter.describe('Id of the user. Default: any.') });

/** Profiles, with their events and messages. */
export const profileRoutes: readonly ProjectRoute[] = [
  {
    ...read,
    path: '/profiles',
    summary: 'List profiles',
    description: 'Profiles of identified users, newest first. Anonymous profiles are not listed.',
    answer: { page: 'Profile' },
    query: profileQuery,
    errors: ['INVALID_RANGE'],
    run: async (beckon, { scope, query }) =>
      succeedWithPage(await beckon.profiles.list(scope, readQuery(query, profileQuery))),
  },
  {
    ...read,
    path: '/profiles/:userId',
    summary: 'Get a profile',
    description: 'Contains the newest devices of the user and the audiences that the user is in.',
    answer: { 200: 'Profile' },
    run: async (beckon, call) => succeed(await beckon.profiles.get(call.scope, param(call, 'userId'))),
  },
  {
    ...read,
    method: 'PATCH',
    scope: 'profiles:write',
    bodyCap: DEFAULT_BODY_CAP,
    path: '/profiles/:userId',
    summary: 'Update a profile',
    description: 'Fields and traits that you omit keep their values; null removes them.',
    takes: 'ProfileInput',
    answer: { 200: 'Profile' },
    run: async (beckon, call) => succeed(await beckon.profiles.update(call.scope, param(call, 'userId'), call.body)),
  },
  {
    ...read,
    method: 'DELETE',
    scope: 'profiles:write',
    path: '/profiles/:userId',
    summary: 'Erase a user',
    description:
      'Deletes the profile and all data of the user in this environment, in the background. The response names the erasure; read its status with `GET /profiles/erasures/{id}`.',
    answer: { 200: 'ErasureRequested' },
    run: async (beckon, call) => succeed(await beckon.profiles.erase(call.scope, param(call, 'userId'))),
  },
  {
    ...read,
    path: '/profiles/erasures/:id',
    summary: 'Get the status of an erasure',
    description: 'An erasure repeats until a pass finds nothing more to delete.',
    answer: { 200: 'Erasure' },
    run: async (beckon, call) => succeed(await beckon.profiles.erasure(call.scope, param(call, 'id'))),
  },
  {
    ...read,
    path: '/profiles/:userId/events',
    summary: 'List the events of a user',
    description: 'Newest first. Contains events that the user caused and events that Beckon raised about the user.',
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
    summary: 'List the messages of a user',
    description: 'Newest first, over all channels.',
    answer: { page: 'Message' },
    query: pageQuery,
    run: async (beckon, call) =>
      succeedWithPage(await beckon.profiles.sends(call.scope, param(call, 'userId'), readQuery(call.query, pageQuery))),
  },
  {
    ...read,
    path: '/profiles/:userId/subscriptions',
    summary: 'Get the subscriptions of a user',
    description: 'Lists the choices per channel and category. Without a choice, the user receives messages.',
    answer: { 200: 'Subscriptions' },
    run: async (beckon, call) => succeed(await beckon.subscriptions.get(call.scope, param(call, 'userId'))),
  },
  {
    ...read,
    method: 'PUT',
    scope: 'profiles:write',
    bodyCap: DEFAULT_BODY_CAP,
    path: '/profiles/:userId/subscriptions',
    summary: 'Update the subscriptions of a user',
    description: 'Choices that you omit stay; null clears a choice.',
    takes: 'SubscriptionsInput',
    answer: { 200: 'Subscriptions' },
    run: async (beckon, call) =>
      succeed(await beckon.subscriptions.update(call.scope, param(call, 'userId'), call.body)),
  },
];
