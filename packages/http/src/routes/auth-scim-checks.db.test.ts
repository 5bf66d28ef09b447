// The checks of a compliance suite for servers of RFC 7643 and 7644: discovery, methods, resources, projections, and every
// operation on every attribute of the published schemas.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  BASE,
  DOMAIN,
  ENTERPRISE,
  type Json,
  openScim,
  type ScimWorld,
  scimError,
  userOf,
} from '../../test/support/scim-world.ts';

let world: ScimWorld;
let names = 0;
const fresh = (): string => `check-${++names}@${DOMAIN}`;

beforeAll(async () => {
  world = await openScim();
});
afterAll(() => world.close());

type Attribute = {
  readonly name: string;
  readonly type: string;
  readonly multiValued: boolean;
  readonly required: boolean;
  readonly mutability: string;
  readonly subAttributes?: readonly Attribute[];
  readonly canonicalValues?: readonly string[];
};

const simpleValue = ({ type, canonicalValues }: Attribute): unknown => {
  if (type === 'boolean') return true;
  if (type === 'dateTime') return '2026-01-01T00:00:00Z';
  return canonicalValues?.[0] ?? `value-${++names}`;
};
/** A value that the schema allows. */
const sampleOf = (attribute: Attribute): unknown => {
  const { type, multiValued, subAttributes = [], name } = attribute;
  if (name === 'emails') return [{ value: fresh(), type: 'work' }];
  if (name === 'userName') return fresh();
  const single =
    type === 'complex'
      ? Object.fromEntries(
          subAttributes
            .filter(({ mutability }) => mutability !== 'readOnly')
            .map((sub) => [sub.name, simpleValue(sub)]),
        )
      : simpleValue(attribute);
  return multiValued ? [single] : single;
};

const ENDPOINTS = ['/ServiceProviderConfig', '/ResourceTypes', '/Schemas'];

describe('discovery of SCIM', () => {
  it('C38 the configuration states what is supported', async () => {
    const { status, body } = await world.get('/ServiceProviderConfig');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ patch: { supported: true }, bulk: { supported: false }, filter: { supported: true, maxResults: 200 } },
      ...{ changePassword: { supported: false }, sort: { supported: false }, etag: { supported: true } },
      authenticationSchemes: [{ type: 'oauthbearertoken' }],
      meta: { location: `${BASE}/ServiceProviderConfig` },
    });
  });

  it('C38 resource types and schemas are listed, and each is read by its id', async () => {
    for (const endpoint of ['/ResourceTypes', '/Schemas']) {
      const { body } = await world.get(endpoint);
      expect(body['totalResults']).toBe(body['Resources'].length);
      for (const document of body['Resources']) {
        expect((await world.get(`${endpoint}/${document.id}`)).body).toEqual(document);
        expect(document.meta.location).toBe(`${BASE}${endpoint}/${document.id}`);
      }
      expect(await world.get(`${endpoint}/unknown`)).toMatchObject(scimError(404));
      expect(await world.get(`${endpoint}?filter=id%20pr`)).toMatchObject(scimError(403));
    }
  });

  it('every schema of a resource type is served', async () => {
    const ids = (await world.get('/Schemas')).body['Resources'].map(({ id }: { id: string }) => id);
    for (const { schema, schemaExtensions } of (await world.get('/ResourceTypes')).body['Resources']) {
      const named = [schema, ...schemaExtensions.map((each: { schema: string }) => each.schema)];
      expect(ids).toEqual(expect.arrayContaining(named));
    }
  });

  it.each(ENDPOINTS)('%s refuses methods other than GET', async (endpoint) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expect(await world.send(method, endpoint), method).toMatchObject(scimError(405));
    }
  });

  it('an unknown address is 404 with a SCIM body', async () => {
    expect(await world.get(`/${crypto.randomUUID()}`)).toMatchObject(scimError(404));
    expect(await world.get(`/Users/${crypto.randomUUID()}/x`)).toMatchObject(scimError(404));
  });
});

describe('resources of SCIM', () => {
  const kinds = [
    { endpoint: '/Users', body: () => userOf(fresh()), included: 'name', excluded: 'emails' },
    {
      endpoint: '/Groups',
      body: () => ({ displayName: `g-${++names}`, externalId: 'e' }),
      included: 'externalId',
      excluded: 'externalId',
    },
  ] as const;

  it.each(kinds)(
    'a resource of $endpoint is created, read, listed, replaced and deleted',
    async ({ endpoint, body }) => {
      const created = await world.post(endpoint, body());
      expect(created.status).toBe(201);
      const path = `${endpoint}/${created.body['id']}`;
      expect(await world.get(path)).toMatchObject({ status: 200, body: created.body });
      const listed = (await world.get(endpoint)).body['Resources'];
      expect(listed).toContainEqual(created.body);
      const replaced = await world.put(path, { ...created.body, displayName: 'Replaced' });
      expect(replaced).toMatchObject({ status: 200, body: { id: created.body['id'], displayName: 'Replaced' } });
      expect(await world.delete(path)).toMatchObject({ status: 204 });
      expect(await world.get(path)).toMatchObject(scimError(404));
      expect(await world.put(path, body())).toMatchObject(scimError(404));
    },
  );

  it.each(kinds)(
    'attributes and excludedAttributes shape the responses of $endpoint',
    async ({ endpoint, body, included, excluded }) => {
      const { id } = (await world.post(endpoint, body())).body;
      const one = (answer: { body: Json }): Json =>
        answer.body['Resources'].find((each: { id: string }) => each.id === id);
      const shown = [
        (await world.get(`${endpoint}/${id}?attributes=${included}`)).body,
        one(await world.get(`${endpoint}?attributes=${included}`)),
        one(await world.post(`${endpoint}/.search`, { attributes: [included] })),
        one(await world.post('/.search', { attributes: [included], count: 200 })),
      ];
      for (const document of shown) expect(Object.keys(document).sort()).toEqual(['id', included, 'schemas'].sort());
      const hidden = [
        (await world.get(`${endpoint}/${id}?excludedAttributes=${excluded}`)).body,
        one(await world.get(`${endpoint}?excludedAttributes=${excluded}`)),
        one(await world.post(`${endpoint}/.search`, { excludedAttributes: [excluded] })),
        one(await world.post('/.search', { excludedAttributes: [excluded], count: 200 })),
      ];
      for (const document of hidden) {
        expect(document).not.toHaveProperty(excluded);
        expect(document).toHaveProperty('meta');
      }
    },
  );

  it('a search over all resources pages through users and groups', async () => {
    const { token } = await world.newDirectory();
    for (let index = 0; index < 3; index++) await world.post('/Users', userOf(fresh()), { token });
    for (const displayName of ['a', 'b']) await world.post('/Groups', { displayName }, { token });
    const kindsOf = async (body: Json) => {
      const answer = await world.post('/.search', body, { token });
      return [
        answer.body['totalResults'],
        ...answer.body['Resources'].map(({ meta }: { meta: Json }) => meta['resourceType']),
      ];
    };
    expect(await kindsOf({})).toEqual([5, 'User', 'User', 'User', 'Group', 'Group']);
    expect(await kindsOf({ startIndex: 3, count: 2 })).toEqual([5, 'User', 'Group']);
    expect(await kindsOf({ startIndex: 5 })).toEqual([5, 'Group']);
    expect(await kindsOf({ startIndex: 6 })).toEqual([5]);
    expect(await kindsOf({ filter: 'userName pr' })).toEqual([3, 'User', 'User', 'User']);
    expect(await kindsOf({ filter: 'displayName eq "a"' })).toEqual([1, 'Group']);
    expect(await world.post('/.search', { filter: 'bare' }, { token })).toMatchObject(scimError(400, 'invalidFilter'));
  });
});

describe('C39 operations on every attribute', () => {
  const check = async (
    endpoint: string,
    path: string,
    attribute: Attribute,
    read: (document: Json) => unknown,
  ): Promise<number> => {
    const run = (op: string, value?: unknown) =>
      world.patch(path, [{ op, path: attribute.name, ...(value === undefined ? {} : { value }) }]);
    const current = async () => read((await world.get(path)).body);
    if (attribute.mutability === 'readOnly') {
      for (const op of ['add', 'replace', 'remove']) {
        expect(
          await run(op, op === 'remove' ? undefined : sampleOf(attribute)),
          `${op} ${attribute.name}`,
        ).toMatchObject(scimError(400, 'mutability'));
      }
      return 3;
    }
    for (const op of ['add', 'replace']) {
      const value = sampleOf(attribute);
      const { status } = await run(op, value);
      expect(status, `${op} ${attribute.name}`).toBe(endpoint === '/Users' ? 200 : 204);
      const stored = await current();
      const isList = Array.isArray(value);
      if (isList) expect(stored, attribute.name).toEqual(expect.arrayContaining([expect.objectContaining(value[0])]));
      else if (typeof value === 'object') expect(stored, attribute.name).toMatchObject(value ?? {});
      else expect(stored, attribute.name).toBe(value);
    }
    const removal = await run('remove');
    if (attribute.required) {
      expect(removal, attribute.name).toMatchObject(scimError(400, 'invalidValue'));
      expect(await run('replace', null), attribute.name).toMatchObject(scimError(400, 'invalidValue'));
      return 4;
    }
    expect(removal.status, attribute.name).toBeLessThan(300);
    // Without a value a user stays as active as before.
    if (attribute.name !== 'active') expect(await current(), attribute.name).toBeUndefined();
    return 3;
  };

  const attributesOf = async (id: string): Promise<readonly Attribute[]> =>
    (await world.get(`/Schemas/${id}`)).body['attributes'];

  it('users: add, replace and remove of each attribute are accepted or refused as the schema states', async () => {
    const { id } = await world.newUser(fresh());
    let checks = 0;
    for (const attribute of await attributesOf('urn:ietf:params:scim:schemas:core:2.0:User')) {
      checks += await check('/Users', `/Users/${id}`, attribute, (document) => document[attribute.name]);
    }
    expect(checks).toBeGreaterThan(60);
  });

  it('enterprise users: the same, and the removal of the whole extension', async () => {
    const { id } = await world.newUser(fresh());
    for (const attribute of await attributesOf(ENTERPRISE)) {
      const named = { ...attribute, name: `${ENTERPRISE}:${attribute.name}` };
      await check('/Users', `/Users/${id}`, named, (document) => document[ENTERPRISE]?.[attribute.name]);
    }
    await world.patch(`/Users/${id}`, [{ op: 'add', path: `${ENTERPRISE}:department`, value: 'Research' }]);
    const { body } = await world.patch(`/Users/${id}`, [{ op: 'remove', path: ENTERPRISE }]);
    expect(body).not.toHaveProperty([ENTERPRISE]);
    expect(body['schemas']).not.toContain(ENTERPRISE);
  });

  it('groups: the same, where members are users', async () => {
    const { id } = await world.newGroup('Checked');
    const user = await world.newUser(fresh());
    for (const attribute of await attributesOf('urn:ietf:params:scim:schemas:core:2.0:Group')) {
      if (attribute.name !== 'members')
        await check('/Groups', `/Groups/${id}`, attribute, (document) => document[attribute.name]);
    }
    for (const op of ['add', 'replace', 'remove']) {
      expect((await world.patch(`/Groups/${id}`, [{ op, path: 'members', value: [{ value: user.id }] }])).status).toBe(
        204,
      );
    }
  });
});
