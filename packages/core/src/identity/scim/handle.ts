// The SCIM protocol: one function from a request to a response, for any adapter. Source: RFC 7644.

import { isObject } from '../../foundation/json.ts';
import type { Scope } from '../../foundation/scope.ts';
import { serialCalls } from '../flow/serial-calls.ts';
import type { Directory, Projection, ScimContext } from './context.ts';
import { discoveryDocuments } from './discovery.ts';
import { conditionOf, type ScimCondition } from './filter/condition.ts';
import { parseFilter } from './filter/parse.ts';
import { groupDocument, type ScimGroups, scimGroups } from './groups.ts';
import type { ScimRequest, ScimResponse } from './request.ts';
import { errorBody, etagOf, listBody, pageOf, projectBody, resourceBody, type ScimPage } from './responses.ts';
import type { ScimGroupRow, ScimUserRow } from './rows.ts';
import { GROUP_RESOURCE, type ScimResource, USER_RESOURCE } from './schemas.ts';
import { refused, ScimError } from './scim-error.ts';
import { noResource, type ScimUsers, scimUsers } from './users.ts';

/** Members of the groups of one page, if it has several groups. Chosen: some megabytes of JSON. */
const MAX_PAGE_MEMBERS = 20_000;

/** A request for a list, from a query or a body. */
type ListRequest = Projection & { readonly filter: string | null; readonly page: ScimPage };

type Body = Readonly<Record<string, unknown>>;
type List = { readonly total: number; readonly bodies: readonly Body[] };

const textOf = (value: unknown): string | null => {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(',');
  throw refused('invalidValue', 'A parameter of the list has another type');
};

const listRequestOf = (read: (name: string) => string | null): ListRequest => ({
  ...{ filter: read('filter'), attributes: read('attributes'), excludedAttributes: read('excludedAttributes') },
  page: pageOf(read('startIndex'), read('count')),
});

const fromQuery = (query: URLSearchParams): ListRequest => listRequestOf((name) => query.get(name));

const fromBody = (body: unknown): ListRequest => {
  if (!isObject(body)) throw refused('invalidSyntax', 'The body is not a JSON object');
  return listRequestOf((name) => textOf(Object.hasOwn(body, name) ? body[name] : null));
};

const conditionIn = (resource: ScimResource, filter: string | null): ScimCondition | null =>
  filter === null ? null : conditionOf(resource, parseFilter(filter));

/** True if a response without this list satisfies the projection. */
const isLeftOut = ({ attributes, excludedAttributes }: Projection, list: string): boolean => {
  const names = (text: string): readonly string[] => text.split(',').map((name) => name.trim().toLowerCase());
  if (attributes) return !names(attributes).some((name) => name.includes(list));
  return excludedAttributes ? names(excludedAttributes).some((name) => name.endsWith(list)) : false;
};

/** Users in responses, with their groups. */
const userBodies = async (
  { scim, baseUrl }: Pick<ScimContext, 'scim' | 'baseUrl'>,
  scope: Scope,
  rows: readonly ScimUserRow[],
  projection: Projection,
): Promise<readonly Body[]> => {
  const base = baseUrl();
  const ids = rows.map(({ id }) => id);
  const memberships = isLeftOut(projection, 'groups') ? [] : await scim.groupsOf(scope, ids);
  const byUser = Map.groupBy(memberships, ({ userId }) => userId);
  const { attributes, excludedAttributes } = projection;
  return rows.map((row) => {
    const groups = byUser.get(row.id)?.map(({ groupId, displayName }) => ({
      ...{ value: groupId, $ref: `${base}/Groups/${groupId}`, display: displayName, type: 'direct' },
    }));
    const body = resourceBody(USER_RESOURCE, row.document, { ...row, baseUrl: base });
    return projectBody(USER_RESOURCE, groups ? { ...body, groups } : body, attributes, excludedAttributes);
  });
};

/** Groups in responses, with their members. */
const groupBodies = async (
  { scim, baseUrl }: Pick<ScimContext, 'scim' | 'baseUrl'>,
  scope: Scope,
  rows: readonly ScimGroupRow[],
  projection: Projection,
): Promise<readonly Body[]> => {
  const base = baseUrl();
  const { attributes, excludedAttributes } = projection;
  const hasMembers = !isLeftOut(projection, 'members');
  const ids = rows.map(({ id }) => id);
  const byGroup = Map.groupBy(hasMembers ? await scim.membersOf(scope, ids) : [], ({ groupId }) => groupId);
  return rows.map((row) => {
    const members = byGroup.get(row.id)?.map(({ userId, userName }) => ({
      ...{ value: userId, $ref: `${base}/Users/${userId}`, display: userName, type: 'User' },
    }));
    const body = resourceBody(GROUP_RESOURCE, groupDocument(row), { ...row, baseUrl: base });
    return projectBody(GROUP_RESOURCE, members ? { ...body, members } : body, attributes, excludedAttributes);
  });
};

/** The rows whose members fit into a page, the first one always. A client asks for the rest with the next page. */
const fitting = (rows: readonly ScimGroupRow[], counts: ReadonlyMap<string, number>): readonly ScimGroupRow[] => {
  let members = 0;
  const end = rows.findIndex(({ id }, index) => {
    members += counts.get(id) ?? 0;
    return index > 0 && members > MAX_PAGE_MEMBERS;
  });
  return end === -1 ? rows : rows.slice(0, end);
};

type Resources = {
  list(directory: Directory, request: ListRequest): Promise<List>;
  get(directory: Directory, id: string, projection: Projection): Promise<ScimResponse>;
  create(directory: Directory, body: unknown, projection: Projection): Promise<ScimResponse>;
  change(
    directory: Directory,
    kind: 'replace' | 'patch',
    target: { readonly id: string; readonly ifMatch: string | null; readonly body: unknown },
    projection: Projection,
  ): Promise<ScimResponse>;
  remove(directory: Directory, id: string, ifMatch: string | null): Promise<void>;
};

const resourcesOf = <Row extends { readonly id: string; readonly version: number }>(
  endpoint: 'Users' | 'Groups',
  baseUrl: () => string,
  {
    flows,
    bodiesOf,
    list,
  }: {
    readonly flows: {
      get(directory: Directory, id: string): Promise<Row>;
      create(directory: Directory, body: unknown): Promise<Row>;
      replace(directory: Directory, id: string, ifMatch: string | null, body: unknown): Promise<Row>;
      patch(directory: Directory, id: string, ifMatch: string | null, body: unknown): Promise<Row>;
      remove(directory: Directory, id: string, ifMatch: string | null): Promise<void>;
    };
    readonly bodiesOf: (scope: Scope, rows: readonly Row[], projection: Projection) => Promise<readonly Body[]>;
    readonly list: Resources['list'];
  },
): Resources => {
  const shown = async (
    { scope }: Directory,
    row: Row,
    projection: Projection,
    status: number,
  ): Promise<ScimResponse> => {
    const [body = null] = await bodiesOf(scope, [row], projection);
    const location = `${baseUrl()}/${endpoint}/${row.id}`;
    const headers = {
      ETag: etagOf(row.version),
      ...(status === 201 ? { Location: location } : { 'Content-Location': location }),
    };
    return { status, headers, body };
  };
  return {
    list,
    get: async (directory, id, projection) => shown(directory, await flows.get(directory, id), projection, 200),
    create: async (directory, body, projection) =>
      shown(directory, await flows.create(directory, body), projection, 201),
    change: async (directory, kind, { id, ifMatch, body }, projection) => {
      const row = await flows[kind](directory, id, ifMatch, body);
      // A group may have many members, and a patch of some needs no list of all.
      const hasBody = endpoint === 'Users' || kind === 'replace' || projection.attributes !== null;
      if (!hasBody) return { status: 204, headers: { ETag: etagOf(row.version) }, body: null };
      return shown(directory, row, projection, 200);
    },
    remove: flows.remove,
  };
};

const usersResource = (context: ScimContext, flows: ScimUsers): Resources => {
  const bodiesOf = (scope: Scope, rows: readonly ScimUserRow[], projection: Projection) =>
    userBodies(context, scope, rows, projection);
  const list: Resources['list'] = async (directory, request) => {
    const { total, rows } = await flows.list(directory, conditionIn(USER_RESOURCE, request.filter), request.page);
    return { total, bodies: await bodiesOf(directory.scope, rows, request) };
  };
  return resourcesOf('Users', context.baseUrl, { flows, bodiesOf, list });
};

const groupsResource = (context: ScimContext, flows: ScimGroups): Resources => {
  const bodiesOf = (scope: Scope, rows: readonly ScimGroupRow[], projection: Projection) =>
    groupBodies(context, scope, rows, projection);
  const list: Resources['list'] = async (directory, request) => {
    const { total, rows } = await flows.list(directory, conditionIn(GROUP_RESOURCE, request.filter), request.page);
    if (isLeftOut(request, 'members')) return { total, bodies: await bodiesOf(directory.scope, rows, request) };
    const counts = await context.scim.countMembers(
      directory.scope,
      rows.map(({ id }) => id),
    );
    return { total, bodies: await bodiesOf(directory.scope, fitting(rows, counts), request) };
  };
  return resourcesOf('Groups', context.baseUrl, { flows, bodiesOf, list });
};

const ok = (body: Body): ScimResponse => ({ status: 200, headers: {}, body });

export const scimHandler = (context: ScimContext): ((scope: Scope, request: ScimRequest) => Promise<ScimResponse>) => {
  // Identity providers change one group by many requests at once. Against other processes the version guards.
  const oneByOne = serialCalls();
  const users = usersResource(context, scimUsers(context));
  const groups = groupsResource(context, scimGroups(context));

  const discover = (endpoint: 'ServiceProviderConfig' | 'ResourceTypes' | 'Schemas', id: string | null): Body => {
    const { config, schemas, resourceTypes } = discoveryDocuments(context.baseUrl());
    if (endpoint === 'ServiceProviderConfig') return config;
    const documents: readonly (Body & { readonly id: string })[] = endpoint === 'Schemas' ? schemas : resourceTypes;
    if (id === null) return listBody({ startIndex: 1 }, documents.length, documents);
    const found = documents.find((each) => each.id.toLowerCase() === id.toLowerCase());
    if (found === undefined) throw noResource();
    return found;
  };

  /** Users, then groups. A filter on an attribute of users matches no group, and the other way round. */
  const searchAll = async (directory: Directory, request: ListRequest): Promise<List> => {
    const { startIndex, count } = request.page;
    const parts: List[] = [];
    let refusal: unknown = null;
    let skipped = 0;
    let left = count;
    for (const resources of [users, groups]) {
      try {
        const first = Math.max(1, startIndex - skipped);
        const part = await resources.list(directory, { ...request, page: { startIndex: first, count: left } });
        skipped += part.total;
        left -= part.bodies.length;
        parts.push(part);
      } catch (error) {
        if (!(error instanceof ScimError)) throw error;
        refusal ??= error;
      }
    }
    if (parts.length === 0) throw refusal;
    return { total: skipped, bodies: parts.flatMap(({ bodies }) => bodies) };
  };

  const respond = async (scope: Scope, request: ScimRequest): Promise<ScimResponse> => {
    const { endpoint, operation, directoryId, query = new URLSearchParams(), body, ifMatch = null } = request;
    const directory: Directory = { scope, scopeId: scope.scopeId, directoryId };
    const id = request.id ?? '';
    if (endpoint === 'ServiceProviderConfig' || endpoint === 'ResourceTypes' || endpoint === 'Schemas') {
      if (query.has('filter')) throw new ScimError(403, null, 'The discovery documents cannot be filtered');
      return ok(discover(endpoint, request.id ?? null));
    }
    if (operation === 'list' || operation === 'search') {
      const list = operation === 'list' ? fromQuery(query) : fromBody(body);
      const read = endpoint === '' ? searchAll : (endpoint === 'Users' ? users : groups).list;
      const { total, bodies } = await read(directory, list);
      return ok(listBody(list.page, total, bodies));
    }
    const resources = endpoint === 'Users' ? users : groups;
    const projection = { attributes: query.get('attributes'), excludedAttributes: query.get('excludedAttributes') };
    switch (operation) {
      case 'get':
        return resources.get(directory, id, projection);
      case 'create':
        return resources.create(directory, body, projection);
      case 'delete':
        await oneByOne(id, () => resources.remove(directory, id, ifMatch));
        return { status: 204, headers: {}, body: null };
      default:
        return oneByOne(id, () => resources.change(directory, operation, { id, ifMatch, body }, projection));
    }
  };

  return async (scope, request) => {
    try {
      return await respond(scope, request);
    } catch (error) {
      if (!(error instanceof ScimError)) throw error;
      return { status: error.status, headers: {}, body: errorBody(error) };
    }
  };
};
