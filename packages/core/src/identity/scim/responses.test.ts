import { describe, expect, it } from 'vitest';
import { discoveryDocuments } from './discovery.ts';
import { readDocument } from './documents.ts';
import { checkIfMatch, errorBody, etagOf, listBody, pageOf, projectBody, resourceBody } from './responses.ts';
import { ENTERPRISE_SCHEMA_ID, SCIM_SCHEMAS, USER_RESOURCE } from './schemas.ts';
import { refused, ScimError } from './scim-error.ts';

const baseUrl = 'https://example.com/scim/v2';
const at = new Date(Date.UTC(2026, 0, 1));
const body = resourceBody(
  USER_RESOURCE,
  readDocument(USER_RESOURCE, {
    username: 'ada',
    id: 'ignored',
    password: 'ignored',
    NAME: { givenname: 'Ada', familyName: 'Byron' },
    emails: [{ value: 'a@example.com', type: 'work' }],
    [ENTERPRISE_SCHEMA_ID.toLowerCase()]: { department: 'Engines', manager: 'm1' },
  }),
  { id: 'u1', createdAt: at, updatedAt: at, version: 3, baseUrl },
);
const projected = (attributes: string | null, excluded: string | null = null) =>
  projectBody(USER_RESOURCE, body, attributes, excluded);

describe('SCIM responses', () => {
  it('C2 a resource has its schemas, its id, its metadata and the attributes of its document', () => {
    expect(body).toEqual({
      schemas: [USER_RESOURCE.schema.id, ENTERPRISE_SCHEMA_ID],
      id: 'u1',
      userName: 'ada',
      name: { givenName: 'Ada', familyName: 'Byron' },
      emails: [{ value: 'a@example.com', type: 'work' }],
      [ENTERPRISE_SCHEMA_ID]: { department: 'Engines', manager: { value: 'm1' } },
      meta: {
        resourceType: 'User',
        created: at.toISOString(),
        lastModified: at.toISOString(),
        location: `${baseUrl}/Users/u1`,
        version: 'W/"3"',
      },
    });
  });

  it('C3 a list without a match has a total of 0', () => {
    expect(listBody({ startIndex: 1 }, 0, [])).toMatchObject({ totalResults: 0, itemsPerPage: 0, Resources: [] });
  });

  it.each([
    [null, null, { startIndex: 1, count: 200 }],
    ['0', '0', { startIndex: 1, count: 0 }],
    ['-5', '-1', { startIndex: 1, count: 0 }],
    ['201', '201', { startIndex: 201, count: 200 }],
  ])('C32 startIndex %s with count %s is the page %j', (startIndex, count, page) => {
    expect(pageOf(startIndex, count)).toEqual(page);
  });

  it('C32 a count that is no number is refused', () => {
    expect(() => pageOf('1', 'ten')).toThrow('count is not a whole number');
  });

  it('C33 If-Match accepts the current version, weak or strong, and refuses others with 412', () => {
    for (const header of [null, '*', etagOf(3), '"3"', 'W/"2", W/"3"'])
      expect(() => checkIfMatch(header, 3)).not.toThrow();
    expect(() => checkIfMatch(etagOf(2), 3)).toThrow(expect.objectContaining({ status: 412 }));
  });

  it('C42 an error body has its status as text', () => {
    expect(errorBody(refused('invalidFilter', 'why'))).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: '400',
      scimType: 'invalidFilter',
      detail: 'why',
    });
    expect(errorBody(new ScimError(429, null, 'later'))).not.toHaveProperty('scimType');
  });

  it('attributes reduces a resource to the named parts, and id and schemas remain', () => {
    const { schemas, id } = body;
    expect(projected(`USERNAME,name.givenName,${ENTERPRISE_SCHEMA_ID}:department,unknown`)).toEqual({
      schemas,
      id,
      userName: 'ada',
      name: { givenName: 'Ada' },
      [ENTERPRISE_SCHEMA_ID]: { department: 'Engines' },
    });
    expect(projected('emails.value')).toEqual({ schemas, id, emails: [{ value: 'a@example.com' }] });
  });

  it('excludedAttributes leaves the named parts out, never id', () => {
    const rest = projected(null, `id,emails,name.givenName,${ENTERPRISE_SCHEMA_ID},meta`);
    const { schemas, id } = body;
    expect(rest).toEqual({ schemas, id, userName: 'ada', name: { familyName: 'Byron' } });
  });

  it('attributes with excludedAttributes is refused', () => {
    expect(() => projected('id', 'meta')).toThrow('not both');
  });
});

describe('SCIM discovery', () => {
  it('C38 the documents describe both resources and all three schemas', () => {
    const { config, schemas, resourceTypes } = discoveryDocuments(baseUrl);
    expect(schemas.map(({ meta }) => meta.location)).toEqual(SCIM_SCHEMAS.map(({ id }) => `${baseUrl}/Schemas/${id}`));
    expect(resourceTypes.map(({ endpoint }) => endpoint)).toEqual(['/Users', '/Groups']);
    expect(config).toMatchObject({
      patch: { supported: true },
      filter: { maxResults: 200 },
      etag: { supported: true },
    });
  });

  it('C39 every writable attribute of a user is read back as it was written', () => {
    const input: Record<string, unknown> = {};
    for (const each of USER_RESOURCE.schema.attributes.filter(({ mutability }) => mutability === 'readWrite')) {
      const value = each.type === 'boolean' ? true : 'x';
      const members = (each.subAttributes ?? []).map(({ name, type }) => [name, type === 'boolean' ? true : 'x']);
      const object = Object.fromEntries(members);
      input[each.name] = each.multiValued ? [object] : each.type === 'complex' ? object : value;
    }
    expect(Object.keys(input)).toHaveLength(19);
    expect(readDocument(USER_RESOURCE, input)).toEqual(Object.assign(Object.create(null), input));
  });
});
