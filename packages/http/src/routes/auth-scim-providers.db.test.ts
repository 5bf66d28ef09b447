// Requests as the documentation of Okta, Entra ID and Google Workspace shows them.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  DOMAIN,
  ENTERPRISE,
  type Json,
  openScim,
  type ScimWorld,
  scimError,
  USER_SCHEMA,
} from '../../test/support/scim-world.ts';

let world: ScimWorld;
beforeAll(async () => {
  world = await openScim();
});
afterAll(() => world.close());

const filterOf = (text: string): string => `filter=${encodeURIComponent(text)}`;
const asJson = { 'Content-Type': 'application/json' };

describe('Okta', () => {
  const email = `okta.user@${DOMAIN}`;
  const profile = {
    ...{ schemas: [USER_SCHEMA], userName: email, externalId: '00ujl29u0le5T6Aj10h7', locale: 'en-US' },
    name: { givenName: 'Test', familyName: 'User' },
    emails: [{ primary: true, value: email, type: 'work' }],
    ...{ displayName: 'Test User', groups: [], password: '1mz050nq', active: true },
  };

  it('an assignment looks the user up, creates it, reads it and updates it', async () => {
    expect((await world.get('/Users?startIndex=1&count=2')).body['totalResults']).toBe(0);
    const lookup = `/Users?${filterOf(`userName eq "${email.toUpperCase()}"`)}&startIndex=1&count=100`;
    expect((await world.get(lookup)).body).toMatchObject({ totalResults: 0, itemsPerPage: 0, startIndex: 1 });
    const created = await world.post('/Users', profile, { headers: asJson });
    expect(created).toMatchObject({ status: 201, body: { externalId: '00ujl29u0le5T6Aj10h7', active: true } });
    expect(created.body).not.toHaveProperty('password');
    expect(await world.post('/Users', profile, { headers: asJson })).toMatchObject(scimError(409, 'uniqueness'));
    const { id } = (await world.get(lookup)).body['Resources'][0];
    expect(id).toBe(created.body['id']);
    const read = await world.get(`/Users/${id}`);
    const changed = { ...read.body, name: { givenName: 'Another', familyName: 'User' }, displayName: 'Another User' };
    const put = await world.put(`/Users/${id}`, changed, { headers: asJson });
    expect(put).toMatchObject({
      status: 200,
      body: { id, name: { givenName: 'Another' }, displayName: 'Another User' },
    });
  });

  it('an unassignment deactivates, and an assignment activates again', async () => {
    const { id } = (await world.get(`/Users?${filterOf(`userName eq "${email}"`)}`)).body['Resources'][0];
    const change = (active: boolean) =>
      world.patch(`/Users/${id}`, [{ op: 'replace', value: { active } }], { headers: asJson });
    expect(await change(false)).toMatchObject({ status: 200, body: { active: false } });
    expect(await change(true)).toMatchObject({ status: 200, body: { active: true } });
    const read = (await world.get(`/Users/${id}`)).body;
    expect(await world.put(`/Users/${id}`, { ...read, active: false })).toMatchObject({
      status: 200,
      body: { active: false },
    });
  });

  it('group push creates a group, renames it, and replaces, adds and removes members', async () => {
    const { id: user } = (await world.get(`/Users?${filterOf(`userName eq "${email}"`)}`)).body['Resources'][0];
    const lookup = `/Groups?${filterOf('displayName eq "Test SCIMv2"')}&startIndex=1&count=100`;
    expect((await world.get(lookup)).body['totalResults']).toBe(0);
    const schemas = ['urn:ietf:params:scim:schemas:core:2.0:Group'];
    const created = await world.post('/Groups', { schemas, displayName: 'Test SCIMv2', members: [] });
    expect(created).toMatchObject({ status: 201, body: { displayName: 'Test SCIMv2' } });
    const path = `/Groups/${created.body['id']}`;
    const rename = [{ op: 'replace', value: { id: created.body['id'], displayName: 'Renamed' } }];
    expect(await world.patch(path, rename)).toMatchObject({ status: 204 });
    const members = [{ value: user, display: email }];
    const sequence: readonly (readonly [object, number])[] = [
      [{ op: 'add', path: 'members', value: members }, 1],
      [{ op: 'remove', path: `members[value eq "${user}"]` }, 0],
      [{ op: 'replace', path: 'members', value: members }, 1],
    ];
    for (const [operation, count] of sequence) {
      expect(await world.patch(path, [operation])).toMatchObject({ status: 204 });
      expect((await world.get(path)).body['members'] ?? []).toHaveLength(count);
    }
    const put = await world.put(path, { schemas, id: created.body['id'], displayName: 'Put', members });
    expect(put).toMatchObject({ status: 200, body: { displayName: 'Put', members: [{ value: user }] } });
    expect((await world.get('/Groups?startIndex=1&count=100')).body).toMatchObject({ totalResults: 1 });
    expect(await world.delete(path)).toMatchObject({ status: 204 });
  });
});

describe('Entra ID', () => {
  const userName = `Test_User_dfeef4c5@${DOMAIN}`;
  let id = '';

  it('the test of the connection finds no user, and a user is created with enterprise attributes', async () => {
    const none = await world.get(`/Users?${filterOf('userName eq "non-existent user"')}`);
    expect(none).toMatchObject({ status: 200, body: { totalResults: 0 } });
    const created = await world.post('/Users', {
      ...{ schemas: [USER_SCHEMA, ENTERPRISE], externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef', userName },
      ...{ active: true, meta: { resourceType: 'User' }, roles: [] },
      name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
      [ENTERPRISE]: { employeeNumber: '12', department: 'Research' },
    });
    expect(created).toMatchObject({ status: 201, body: { userName, [ENTERPRISE]: { department: 'Research' } } });
    id = created.body['id'];
    const match = await world.get(`/Users?${filterOf('externalId eq "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef"')}`);
    expect(match.body['Resources']).toMatchObject([{ id }]);
  });

  it('C15 C16 C17 C18 C19 a value that is missing is created with what its path prescribes', async () => {
    const { status, body } = await world.patch(`/Users/${id}`, [
      { op: 'Add', path: 'emails[type eq "work"].value', value: `work@${DOMAIN}` },
      { op: 'Replace', path: 'emails[type eq "home"].value', value: `home@${DOMAIN}` },
      { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+43 660 1234567' },
      { op: 'Add', path: 'addresses[type eq "work"].locality', value: 'Vienna' },
      { op: 'Add', path: 'roles[primary eq "True"].value', value: 'admin' },
      { op: 'Add', path: 'entitlements[type eq "licence"].value', value: 'pro' },
    ]);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        emails: [
          { type: 'work', value: `work@${DOMAIN}` },
          { type: 'home', value: `home@${DOMAIN}` },
        ],
        phoneNumbers: [{ type: 'mobile', value: '+43 660 1234567' }],
        addresses: [{ type: 'work', locality: 'Vienna' }],
        roles: [{ primary: true, value: 'admin' }],
        entitlements: [{ type: 'licence', value: 'pro' }],
      },
    });
    const { data } = await world.beckon.users.list(world.scope, { email: `work@${DOMAIN}` });
    expect(data).toMatchObject([{ phone: '+436601234567', emailVerified: true }]);
  });

  it('C21 C22 C23 capitals, texts as booleans, dotted names and enterprise names are understood', async () => {
    const { body } = await world.patch(`/Users/${id}`, [
      {
        op: 'Replace',
        value: {
          ...{ 'name.givenName': 'Updated', displayName: 'Updated User', active: 'True' },
          [`${ENTERPRISE}:department`]: 'Sales',
          'emails[type eq "work"].primary': 'True',
        },
      },
      { op: 'Add', path: `${ENTERPRISE}:manager`, value: 'manager-1' },
    ]);
    expect(body).toMatchObject({
      ...{ name: { givenName: 'Updated', familyName: 'familyName' }, displayName: 'Updated User', active: true },
      [ENTERPRISE]: { department: 'Sales', employeeNumber: '12', manager: { value: 'manager-1' } },
    });
    expect(body['emails'][0]).toMatchObject({ type: 'work', primary: true });
    const without = await world.patch(`/Users/${id}`, [{ op: 'Replace', path: `${ENTERPRISE}:manager`, value: '' }]);
    expect(without.body[ENTERPRISE]).not.toHaveProperty('manager');
  });

  it('a disabled user is soft-deleted, readable and restored, and finally deleted', async () => {
    const off = await world.patch(`/Users/${id}`, [{ op: 'Replace', path: 'active', value: 'False' }]);
    expect(off).toMatchObject({ status: 200, body: { active: false } });
    expect((await world.get(`/Users?${filterOf(`userName eq "${userName}"`)}`)).body['totalResults']).toBe(1);
    const on = await world.patch(`/Users/${id}`, [{ op: 'Replace', path: 'active', value: 'True' }]);
    expect(on.body['active']).toBe(true);
  });

  it('a group is read without members, and changed one member at a time', async () => {
    const schemas = ['urn:ietf:params:scim:schemas:core:2.0:Group'];
    const created = await world.post('/Groups', { schemas, externalId: '8aa1a0c0', displayName: 'Sales' });
    const path = `/Groups/${created.body['id']}`;
    const lookup = `/Groups?excludedAttributes=members&${filterOf('displayName eq "Sales"')}`;
    expect((await world.get(lookup)).body['Resources']).toMatchObject([{ externalId: '8aa1a0c0' }]);
    const add = { op: 'Add', path: 'members', value: [{ $ref: null, value: id }] };
    expect(await world.patch(path, [add])).toMatchObject({ status: 204 });
    expect((await world.get(`${path}?excludedAttributes=members`)).body).not.toHaveProperty('members');
    const isMember = `/Groups?${filterOf(`id eq "${created.body['id']}" and members eq "${id}"`)}`;
    expect((await world.get(isMember)).body['totalResults']).toBe(1);
    expect(await world.patch(path, [{ op: 'Replace', path: 'displayName', value: 'Sales EMEA' }])).toMatchObject({
      status: 204,
    });
    const remove = { op: 'Remove', path: 'members', value: [{ $ref: null, value: id }] };
    expect(await world.patch(path, [remove])).toMatchObject({ status: 204 });
    expect((await world.get(isMember)).body['totalResults']).toBe(0);
    expect(await world.delete(path)).toMatchObject({ status: 204 });
    expect(await world.delete(`/Users/${id}`)).toMatchObject({ status: 204 });
  });
});

describe('Google Workspace', () => {
  it('C40 a user is created, changed by PUT, and deleted without a deactivation before', async () => {
    const userName = `google.user@${DOMAIN}`;
    const document: Json = {
      ...{ schemas: [USER_SCHEMA], userName, active: true, name: { givenName: 'G', familyName: 'User' } },
      emails: [{ value: userName, primary: true, type: 'work' }],
    };
    const { id } = (await world.post('/Users', document)).body;
    const put = await world.put(`/Users/${id}`, { ...document, title: 'Lead' });
    expect(put).toMatchObject({ status: 200, body: { title: 'Lead' } });
    expect(await world.delete(`/Users/${id}`)).toMatchObject({ status: 204 });
    const { data } = await world.beckon.users.list(world.scope, { email: userName });
    expect(data).toMatchObject([{ disabled: true }]);
  });
});
