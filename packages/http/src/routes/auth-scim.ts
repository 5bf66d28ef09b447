// SCIM 2.0: the protocol for identity providers with the token of a directory, and the set-up for operators.

import { type Beckon, BeckonError, parseJson } from '@beckon/core';
import type { ScimCaller, ScimEndpoint, ScimOperation } from '@beckon/core/identity';
import { z } from 'zod';
import { requireJson } from '../pipeline/body.ts';
import { type Answer, succeed, succeedWithPage } from '../pipeline/envelope.ts';
import { limitUnaccepted } from '../pipeline/limits.ts';
import { filter, listQuery, readQuery } from '../pipeline/query.ts';
import { SCIM_TYPE, scimAnswer } from '../pipeline/scim.ts';
import {
  DEFAULT_BODY_CAP,
  type Method,
  type OpenRoute,
  type ProjectCall,
  type ProjectRoute,
  param,
  type Route,
} from '../route.ts';

type OpenCall = Parameters<OpenRoute['run']>[1];

const tokenOf = ({ sent }: OpenCall): string | null =>
  /^Bearer ([^\s,]+)$/i.exec(sent.header('authorization') ?? '')?.[1] ?? null;

/** Authenticates the token. Only rejected tokens count against the network: many tenants share a provider's addresses. */
const callerOf = async (beckon: Beckon, call: OpenCall): Promise<ScimCaller> => {
  const { caller } = await limitUnaccepted(beckon, call.network, async () => ({
    caller: await beckon.auth.authenticateScim(tokenOf(call)),
    isAccepted: true,
  }));
  return caller;
};

/** Takes one call from the bucket of the token, and returns its headers. Throws RATE_LIMITED. */
const takeCall = async (
  { limits: { calls } }: Beckon,
  { scope: { orgId, projectId }, tokenId }: ScimCaller,
): Promise<Record<string, string>> => {
  const bucket = await calls.bucketOf({ kind: 'secret', network: `scim ${tokenId}`, orgId, projectId });
  await calls.take(bucket);
  return { 'X-RateLimit-Limit': String(bucket.burst), 'X-RateLimit-Remaining': String(calls.left(bucket)) };
};

const WITH_BODY: ReadonlySet<ScimOperation> = new Set(['search', 'create', 'replace', 'patch']);

const bodyOf = async ({ sent }: OpenCall): Promise<unknown> => {
  requireJson(sent);
  const bytes = await sent.body.whole();
  if (bytes.byteLength === 0) throw new BeckonError('VALIDATION_ERROR', 'The request has no body');
  return parseJson(bytes);
};

const respond = async (
  beckon: Beckon,
  call: OpenCall,
  { endpoint, operation }: { readonly endpoint: ScimEndpoint; readonly operation: ScimOperation },
): Promise<Answer> => {
  const caller = await callerOf(beckon, call);
  const limits = await takeCall(beckon, caller);
  const response = await beckon.auth.handleScim(caller.scope, {
    ...{ directoryId: caller.directoryId, endpoint, operation, id: call.params['id'], query: call.query },
    ifMatch: call.sent.header('if-match') ?? null,
    body: WITH_BODY.has(operation) ? await bodyOf(call) : undefined,
  });
  return scimAnswer(response, limits);
};

const projectionQuery = z.object({
  attributes: z.string().optional().describe('Attributes to return, separated by commas. Default: all.'),
  excludedAttributes: z.string().optional().describe('Attributes to leave out, separated by commas. Default: none.'),
});
const scimListQuery = projectionQuery.extend({
  filter: z.string().optional().describe('SCIM filter of at most 4,096 bytes. Default: no filter.'),
  startIndex: z.string().optional().meta({ type: 'integer' }).describe('First resource, from 1. Default: 1.'),
  count: z.string().optional().meta({ type: 'integer' }).describe('Resources per page, at most 200. Default: 200.'),
});

const METHODS: Readonly<Record<ScimOperation, Method>> = {
  list: 'GET',
  search: 'POST',
  create: 'POST',
  get: 'GET',
  replace: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
};

type Row = {
  readonly path: string;
  readonly endpoint: ScimEndpoint;
  readonly operation: ScimOperation;
  readonly summary: string;
  readonly description: string;
  readonly query?: z.ZodObject;
};

const protocolRoute = ({ path, endpoint, operation, summary, description, query }: Row): OpenRoute => ({
  ...{ method: METHODS[operation], path: `/auth-service/scim/v2${path}`, shape: 'auto', kind: 'none' },
  ...{ attempts: 'callback', scope: null, needs: 'nothing', errorForm: 'scim', summary, description },
  ...(WITH_BODY.has(operation) && { bodyCap: DEFAULT_BODY_CAP }),
  ...(query && { query }),
  answer: {
    bytes: SCIM_TYPE,
    ...(operation === 'create' && { status: 201 }),
    ...(operation === 'delete' && { status: 204 }),
  },
  errors: ['UNAUTHORIZED', 'tier_required', 'PROVIDER_NOT_CONFIGURED', 'RATE_LIMITED', 'NOT_FOUND', 'CONFLICT'],
  run: (beckon, call) => respond(beckon, call, { endpoint, operation }),
});

const resourceRows = (
  endpoint: 'Users' | 'Groups',
  one: string,
  facts: { readonly list: string; readonly create: string; readonly patch: string; readonly delete: string },
): readonly Row[] => {
  const path = `/${endpoint}`;
  const byId = `${path}/:id`;
  return [
    {
      ...{ endpoint, path, operation: 'list', query: scimListQuery },
      ...{ summary: `List the ${one}s of a directory`, description: facts.list },
    },
    {
      ...{ endpoint, path, operation: 'create', query: projectionQuery },
      ...{ summary: `Create a ${one} of a directory`, description: facts.create },
    },
    {
      ...{ endpoint, path: `${path}/.search`, operation: 'search', summary: `Search the ${one}s of a directory` },
      description: 'As the list, with the parameters in the body.',
    },
    {
      ...{ endpoint, path: byId, operation: 'get', query: projectionQuery, summary: `Get a ${one} of a directory` },
      description: 'The ETag is the version.',
    },
    {
      ...{ endpoint, path: byId, operation: 'replace', query: projectionQuery },
      summary: `Replace a ${one} of a directory`,
      description: 'Attributes that the body lacks are removed. `If-Match` prevents lost updates.',
    },
    {
      ...{ endpoint, path: byId, operation: 'patch', query: projectionQuery },
      ...{ summary: `Change a ${one} of a directory`, description: facts.patch },
    },
    {
      ...{ endpoint, path: byId, operation: 'delete' },
      ...{ summary: `Delete a ${one} of a directory`, description: facts.delete },
    },
  ];
};

const discoveryRow = (endpoint: ScimEndpoint, path: string, summary: string): Row => ({
  ...{ endpoint, path, operation: 'get', summary },
  description: 'Discovery document of RFC 7643.',
});

const rows: readonly Row[] = [
  ...resourceRows('Users', 'user', {
    list: 'Ordered by id. Filters by id, externalId, userName, displayName, active, emails and meta times.',
    create:
      'Creates an account, or links the account of an email address in a verified domain. 409 for a userName or an address that is taken.',
    patch: 'At most 1,000 operations, all or none. `active` false ends the sessions of the user.',
    delete: 'Ends the sessions of the user and disables the account. It does not erase the user.',
  }),
  ...resourceRows('Groups', 'group', {
    list: 'Ordered by id. A page ends early if its groups have more than 20,000 members.',
    create: 'Members are users of the directory.',
    patch: 'At most 1,000 operations, all or none. The response has no body unless `attributes` requests one.',
    delete: 'Deletes the group. Its members stay.',
  }),
  {
    ...{ endpoint: '', path: '/.search', operation: 'search', summary: 'Search users and groups of a directory' },
    description: 'Users first. A filter on an attribute of users matches no group, and the other way round.',
  },
  discoveryRow('ServiceProviderConfig', '/ServiceProviderConfig', 'Get the supported features of SCIM'),
  discoveryRow('ResourceTypes', '/ResourceTypes', 'List the resource types of SCIM'),
  discoveryRow('ResourceTypes', '/ResourceTypes/:id', 'Get a resource type of SCIM'),
  discoveryRow('Schemas', '/Schemas', 'List the schemas of SCIM'),
  discoveryRow('Schemas', '/Schemas/:id', 'Get a schema of SCIM'),
];

const protocol: readonly OpenRoute[] = rows.map(protocolRoute);

const administration = { shape: 'both', kind: 'secret', needs: 'project' } as const;
const read = { ...administration, method: 'GET', scope: 'auth:read', bodyCap: null } as const;
const write = { ...administration, scope: 'auth:write', bodyCap: DEFAULT_BODY_CAP } as const;
const remove = { ...administration, method: 'DELETE', scope: 'auth:write', bodyCap: null } as const;
const actorOf = ({ keyId }: ProjectCall) => ({ actor: `key:${keyId}` });

const tokensQuery = listQuery.extend({
  directoryId: filter.describe('Directory of the tokens. Default: all directories.'),
});

const forOperators: readonly ProjectRoute[] = [
  {
    ...read,
    path: '/auth-service/scim/directories',
    query: listQuery,
    summary: 'List SCIM directories',
    description: 'Directories of identity providers, newest first.',
    answer: { page: 'ScimDirectory' },
    run: async (beckon, { scope, query }) =>
      succeedWithPage(await beckon.auth.listScimDirectories(scope, readQuery(query, listQuery))),
  },
  {
    ...write,
    method: 'POST',
    path: '/auth-service/scim/directories',
    plan: 'scim',
    summary: 'Create a SCIM directory',
    description: 'Each identity provider gets its own directory. Create a token for it next.',
    takes: 'ScimDirectoryInput',
    answer: { 201: 'ScimDirectory' },
    run: async (beckon, call) =>
      succeed(await beckon.auth.createScimDirectory(call.scope, call.body, actorOf(call)), 201),
  },
  {
    ...read,
    path: '/auth-service/scim/directories/:id',
    summary: 'Get a SCIM directory',
    description: 'With the base URL to enter at the identity provider.',
    answer: { 200: 'ScimDirectory' },
    run: async (beckon, call) => succeed(await beckon.auth.getScimDirectory(call.scope, param(call, 'id'))),
  },
  {
    ...write,
    method: 'PATCH',
    path: '/auth-service/scim/directories/:id',
    plan: 'scim',
    summary: 'Update a SCIM directory',
    description: 'Changes the fields that the body names.',
    takes: 'ScimDirectoryPatch',
    answer: { 200: 'ScimDirectory' },
    run: async (beckon, call) =>
      succeed(await beckon.auth.updateScimDirectory(call.scope, param(call, 'id'), call.body, actorOf(call))),
  },
  {
    ...remove,
    path: '/auth-service/scim/directories/:id',
    summary: 'Delete a SCIM directory',
    description: 'Its tokens stop working, its users and groups are forgotten, and the accounts stay as they are.',
    answer: { 200: 'ScimDirectoryDeleted' },
    run: async (beckon, call) =>
      succeed(await beckon.auth.deleteScimDirectory(call.scope, param(call, 'id'), actorOf(call))),
  },
  {
    ...read,
    path: '/auth-service/scim/tokens',
    query: tokensQuery,
    summary: 'List the tokens of SCIM directories',
    description: 'Newest first. The tokens themselves are never returned.',
    answer: { page: 'ScimToken' },
    run: async (beckon, { scope, query }) =>
      succeedWithPage(await beckon.auth.listScimTokens(scope, readQuery(query, tokensQuery))),
  },
  {
    ...write,
    method: 'POST',
    path: '/auth-service/scim/tokens',
    plan: 'scim',
    summary: 'Create a token of a SCIM directory',
    description: 'The response shows the token once. A directory has at most 5 tokens that have not expired.',
    takes: 'ScimTokenInput',
    answer: { 201: 'NewScimToken' },
    errors: ['CONFLICT'],
    run: async (beckon, call) => succeed(await beckon.auth.createScimToken(call.scope, call.body, actorOf(call)), 201),
  },
  {
    ...remove,
    path: '/auth-service/scim/tokens/:id',
    summary: 'Delete a token of a SCIM directory',
    description: 'The token stops working at once.',
    answer: { 200: 'ScimTokenDeleted' },
    run: async (beckon, call) =>
      succeed(await beckon.auth.deleteScimToken(call.scope, param(call, 'id'), actorOf(call))),
  },
];

export const authScimRoutes: readonly Route[] = [...protocol, ...forOperators];
