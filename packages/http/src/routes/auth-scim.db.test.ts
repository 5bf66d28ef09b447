import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BASE, DOMAIN, openScim, type ScimWorld, scimError, userOf } from '../../test/support/scim-world.ts';

let world: ScimWorld;
let names = 0;
/** An address that no other test has. */
const fresh = (domain: string = DOMAIN): string => `user-${++names}@${domain}`;

beforeAll(async () => {
  world = await openScim();
});
afterAll(() => world.close());

describe('users of a SCIM directory', () => {
  it('C1 a list has the totals, the page and the resources', async () => {
    const { id } = await world.newUser(fresh());
    const { status, body, headers } = await world.get('/Users');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/scim+json; charset=utf-8');
    expect(body).toMatchObject({ startIndex: 1, totalResults: body['Resources'].length });
    expect(body['Resources'].map((each: { id: string }) => each.id)).toContain(id);
  });

  it('C2 C5 a created user has a location, and is read there with its ETag', async () => {
    const name = fresh();
    const answer = await world.post('/Users', { ...userOf(name), externalId: '00u1' });
    expect(answer.status).toBe(201);
    const { id } = answer.body;
    expect(answer.headers.get('location')).toBe(`${BASE}/Users/${id}`);
    expect(answer.headers.get('etag')).toBe('W/"1"');
    expect(answer.body).toMatchObject({ userName: name, externalId: '00u1', active: true });
    expect(answer.body['meta']).toMatchObject({
      resourceType: 'User',
      location: `${BASE}/Users/${id}`,
      version: 'W/"1"',
    });
    expect((await world.get(`/Users/${id}`)).body).toEqual(answer.body);
    const { data } = await world.beckon.users.list(world.scope, { email: name });
    expect(data).toMatchObject([{ email: name, emailVerified: true, name: 'Ada Lovelace', source: 'scim' }]);
  });

  it('C3 C4 a filter without a match is an empty list, and an unknown id is 404', async () => {
    const none = await world.get(`/Users?filter=${encodeURIComponent('userName eq "nobody"')}`);
    expect(none).toMatchObject({ status: 200, body: { totalResults: 0, itemsPerPage: 0, Resources: [] } });
    for (const path of ['/Users/nobody', '/Groups/nobody', '/Users/01890a5d-ac96-774b-bcce-b302099a8057']) {
      expect(await world.get(path), path).toMatchObject(scimError(404));
    }
  });

  it('C6 C7 C37 a userName or an address in use is 409 in any case', async () => {
    const name = fresh();
    await world.newUser(name);
    expect(await world.post('/Users', userOf(name.toUpperCase()))).toMatchObject(scimError(409, 'uniqueness'));
    const sameEmail = { ...userOf('other-name'), emails: [{ value: name.toUpperCase() }] };
    expect(await world.post('/Users', sameEmail)).toMatchObject(scimError(409, 'uniqueness'));
    const { id } = await world.newUser(fresh());
    expect(await world.patch(`/Users/${id}`, [{ op: 'replace', path: 'userName', value: name }])).toMatchObject(
      scimError(409, 'uniqueness'),
    );
    const found = await world.get(`/Users?filter=${encodeURIComponent(`USERNAME Eq "${name.toUpperCase()}"`)}`);
    expect(found.body['totalResults']).toBe(1);
  });

  it('C8 a PUT replaces the attributes', async () => {
    const name = fresh();
    const { id } = await world.newUser(name, { title: 'Engineer', nickName: 'Ada' });
    const { status, body } = await world.put(`/Users/${id}`, {
      ...userOf(name),
      title: 'Analyst',
      id: 'x',
      groups: [],
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id, title: 'Analyst', meta: { version: 'W/"2"' } });
    expect(body).not.toHaveProperty('nickName');
  });

  it('C9 C13 C14 C25 a PATCH without path and with capitals deactivates, and the user remains readable', async () => {
    const { id } = await world.newUser(fresh());
    const off = await world.patch(`/Users/${id}`, [{ op: 'Replace', value: { active: 'False' } }]);
    expect(off).toMatchObject({ status: 200, body: { active: false } });
    expect((await world.get(`/Users/${id}`)).body['active']).toBe(false);
    const inactive = await world.get(`/Users?filter=${encodeURIComponent('active eq "False"')}`);
    expect(inactive.body['Resources'].map((each: { id: string }) => each.id)).toContain(id);
  });

  it('C20 C26 C28 C29 a PATCH is all or nothing, and protects read-only and foreign names', async () => {
    const { id } = await world.newUser(fresh());
    const before = (await world.get(`/Users/${id}`)).body;
    const refusals: readonly (readonly [unknown, string])[] = [
      [{ op: 'replace', path: 'id', value: 'x' }, 'mutability'],
      [{ op: 'add', path: 'groups', value: [{ value: 'x' }] }, 'mutability'],
      [{ op: 'add', path: '__proto__.polluted', value: 'x' }, 'invalidPath'],
      [JSON.parse('{"op":"add","value":{"__proto__":{"polluted":"x"}}}'), 'invalidPath'],
      [{ op: 'add', path: 'constructor.prototype', value: 'x' }, 'invalidPath'],
      [{ op: 'remove', path: 'userName' }, 'invalidValue'],
      [{ op: 'move', path: 'title' }, 'invalidSyntax'],
    ];
    for (const [operation, scimType] of refusals) {
      const operations = [{ op: 'replace', path: 'title', value: 'changed' }, operation];
      expect(await world.patch(`/Users/${id}`, operations), scimType).toMatchObject(scimError(400, scimType));
    }
    expect((await world.get(`/Users/${id}`)).body).toEqual(before);
    expect({}).not.toHaveProperty('polluted');
    const second = await world.patch(`/Users/${id}`, [
      { op: 'add', path: 'emails', value: [{ value: fresh(), type: 'home', primary: true }] },
    ]);
    expect(second.body['emails'].map(({ primary }: { primary: boolean }) => primary)).toEqual([false, true]);
  });

  it('C32 C41 pages follow the order of ids, without a gap and without a repeat', async () => {
    const { token } = await world.newDirectory();
    const ids: string[] = [];
    for (let index = 0; index < 7; index++) {
      ids.push((await world.post('/Users', userOf(fresh()), { token })).body['id']);
    }
    const page = async (query: string) => (await world.get(`/Users?${query}`, { token })).body;
    const seen: string[] = [];
    for (let startIndex = 1; startIndex <= 7; startIndex += 3) {
      const { Resources, totalResults } = await page(`startIndex=${startIndex}&count=3`);
      expect(totalResults).toBe(7);
      seen.push(...Resources.map((each: { id: string }) => each.id));
      // A user that comes meanwhile is listed last.
    }
    expect(seen).toEqual(ids);
    expect(await page('startIndex=0&count=2')).toMatchObject({ startIndex: 1, itemsPerPage: 2 });
    expect(await page('startIndex=-5&count=-1')).toMatchObject({ startIndex: 1, itemsPerPage: 0, totalResults: 7 });
    expect(await page('count=0')).toMatchObject({ totalResults: 7, Resources: [] });
    expect(await page('startIndex=8')).toMatchObject({ totalResults: 7, itemsPerPage: 0 });
    expect(await page('count=100000')).toMatchObject({ itemsPerPage: 7 });
    expect(await world.get('/Users?count=many', { token })).toMatchObject(scimError(400, 'invalidValue'));
  });

  it('C33 a change of an older version is refused', async () => {
    const { id } = await world.newUser(fresh());
    const change = (ifMatch: string) =>
      world.patch(`/Users/${id}`, [{ op: 'replace', path: 'title', value: ifMatch }], {
        headers: { 'If-Match': ifMatch },
      });
    expect(await change('W/"1"')).toMatchObject({ status: 200 });
    expect(await change('W/"1"')).toMatchObject(scimError(412));
    expect(await change('*')).toMatchObject({ status: 200 });
    expect(await world.delete(`/Users/${id}`, { headers: { 'If-Match': 'W/"1"' } })).toMatchObject(scimError(412));
    expect(await world.delete(`/Users/${id}`, { headers: { 'If-Match': 'W/"3"' } })).toMatchObject({ status: 204 });
  });

  it('8 parallel changes of one user all take effect, each on the version before it', async () => {
    const { id } = await world.newUser(fresh());
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        world.patch(`/Users/${id}`, [{ op: 'add', path: 'roles', value: [{ value: `role-${index}` }] }]),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    const { body } = await world.get(`/Users/${id}`);
    expect(body['roles']).toHaveLength(8);
    expect(body['meta'].version).toBe('W/"9"');
  });

  it('of 4 parallel creations of one user, one succeeds', async () => {
    const name = fresh();
    const answers = await Promise.all(Array.from({ length: 4 }, () => world.post('/Users', userOf(name))));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  });
});

describe('accounts of a SCIM directory', () => {
  it('L4 a user in a verified domain is linked, and credentials of a stranger are removed', async () => {
    const name = fresh();
    await world.beckon.users.create(world.scope, { email: name, password: 'correct horse battery' });
    const { id } = await world.newUser(name);
    const { data } = await world.beckon.users.list(world.scope, { email: name });
    expect(data).toMatchObject([{ source: 'admin', emailVerified: true, name: 'Ada Lovelace' }]);
    expect(
      await world.beckon.auth
        .signIn(world.scope, { email: name, password: 'correct horse battery' })
        .catch((error) => error.code),
    ).toBe('UNAUTHORIZED');
    expect(await world.delete(`/Users/${id}`)).toMatchObject({ status: 204 });
  });

  it('L4 a directory without the connection of a verified domain links nobody', async () => {
    const name = fresh();
    await world.beckon.users.create(world.scope, { email: name, emailVerified: true });
    const { id: directoryId } = await world.beckon.auth.createScimDirectory(world.scope, { name: 'Foreign' });
    const { token } = await world.beckon.auth.createScimToken(world.scope, { directoryId });
    expect(await world.post('/Users', userOf(name), { token })).toMatchObject(scimError(409, 'uniqueness'));
    const connectionId = '01890a5d-ac96-774b-bcce-b302099a8057';
    await expect(
      world.beckon.auth.updateScimDirectory(world.scope, directoryId, { connectionId }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('L4 a user outside a verified domain is never linked, and its address stays unverified', async () => {
    const name = fresh('elsewhere.example');
    await world.beckon.users.create(world.scope, { email: name, emailVerified: true });
    expect(await world.post('/Users', userOf(name))).toMatchObject(scimError(409, 'uniqueness'));
    const other = fresh('elsewhere.example');
    await world.newUser(other);
    const { data } = await world.beckon.users.list(world.scope, { email: other });
    expect(data).toMatchObject([{ emailVerified: false, source: 'scim' }]);
  });

  it('C34 K5 deactivation ends the sessions in the same commit, and refresh and sign-in are refused', async () => {
    const { beckon, scope } = world;
    const [email, password] = [fresh(), 'correct horse battery'];
    await beckon.users.create(scope, { email, password, emailVerified: true });
    const { id } = await world.newUser(email);
    const signedIn = await beckon.auth.signIn(scope, { email, password });
    if (!('refreshToken' in signedIn)) throw new Error('the sign-in needs a second factor');
    const { accessToken, refreshToken, user } = signedIn;
    await world.patch(`/Users/${id}`, [{ op: 'replace', value: { active: false } }]);
    const reason = (call: Promise<unknown>) =>
      call.then(
        () => 'ok',
        (error) => error.details.reason,
      );
    expect(await reason(beckon.auth.authenticate(scope, accessToken))).toBe('session_expired');
    expect(await reason(beckon.auth.refresh(scope, { refreshToken }))).toBe('session_expired');
    expect(await reason(beckon.auth.signIn(scope, { email, password }))).toBe('invalid_credentials');
    const { data } = await beckon.profiles.events(scope, user.userId, { limit: 200 });
    expect(data.filter(({ eventType }) => eventType === 'user.session_expired')).toMatchObject([
      { properties: { reason: 'scim_deactivated', sessionId: signedIn.sessionId } },
    ]);
    await world.patch(`/Users/${id}`, [{ op: 'replace', value: { active: true } }]);
    expect(await reason(beckon.auth.refresh(scope, { refreshToken }))).toBe('session_expired');
    expect(await reason(beckon.auth.signIn(scope, { email, password }))).toBe('ok');
  });

  it('a directory does not enable a user that an operator disabled', async () => {
    const { beckon, scope } = world;
    const name = fresh();
    const { id } = await world.newUser(name);
    const accountOf = async () => (await beckon.users.list(scope, { email: name })).data[0];
    const account = await accountOf();
    await beckon.users.update(scope, account?.id ?? '', { disabled: true });
    await world.patch(`/Users/${id}`, [{ op: 'replace', path: 'active', value: false }]);
    await world.patch(`/Users/${id}`, [{ op: 'replace', path: 'active', value: true }]);
    expect(await accountOf()).toMatchObject({ disabled: true });
  });

  it('C40 a deleted user is disabled, not erased, and the same directory may create it again', async () => {
    const { beckon, scope } = world;
    const name = fresh('elsewhere.example');
    const { id } = await world.newUser(name);
    const accountOf = async () => (await beckon.users.list(scope, { email: name })).data[0];
    const account = await accountOf();
    expect(await world.delete(`/Users/${id}`)).toMatchObject({ status: 204 });
    expect(await world.get(`/Users/${id}`)).toMatchObject(scimError(404));
    expect(await world.delete(`/Users/${id}`)).toMatchObject(scimError(404));
    expect(await accountOf()).toMatchObject({ id: account?.id, disabled: true });
    const { token } = await world.newDirectory();
    expect(await world.post('/Users', userOf(name), { token })).toMatchObject(scimError(409, 'uniqueness'));
    const again = await world.newUser(name);
    expect(again.id).not.toBe(id);
    expect(await accountOf()).toMatchObject({ id: account?.id, disabled: false });
  });

  it('an erased user is gone from the directory', async () => {
    const { beckon, scope } = world;
    const name = fresh();
    const { id } = await world.newUser(name);
    const group = await world.newGroup('Erasure', [id]);
    const account = (await beckon.users.list(scope, { email: name })).data[0];
    await beckon.users.delete(scope, account?.id ?? '');
    await beckon.worker.drain();
    expect(await world.get(`/Users/${id}`)).toMatchObject(scimError(404));
    expect((await world.get(`/Groups/${group.id}`)).body).not.toHaveProperty('members');
  });

  it('the audit log names the directory, the action and the account', async () => {
    const name = fresh();
    const { id } = await world.newUser(name);
    await world.patch(`/Users/${id}`, [{ op: 'replace', path: 'active', value: false }]);
    await world.delete(`/Users/${id}`);
    const account = (await world.beckon.users.list(world.scope, { email: name })).data[0];
    const { data } = await world.beckon.auth.audit(world.scope, { target: account?.id });
    expect(data.map(({ actor, action }) => [actor, action]).toReversed()).toEqual(
      ['create', 'update', 'delete'].map((action) => [`scim:${world.directoryId}`, `scim.user.${action}`]),
    );
    expect(JSON.stringify(data)).not.toContain(name);
  });

  it('a new user raises user.signed_up with its source, and has a profile', async () => {
    const name = fresh();
    await world.newUser(name);
    const account = (await world.beckon.users.list(world.scope, { email: name })).data[0];
    const { data } = await world.beckon.profiles.events(world.scope, account?.userId ?? '', { limit: 10 });
    expect(data).toMatchObject([{ eventType: 'user.signed_up', properties: { source: 'scim' } }]);
  });
});

describe('groups of a SCIM directory', () => {
  it('C10 C24 members are added and removed in every form', async () => {
    const users = [await world.newUser(fresh()), await world.newUser(fresh()), await world.newUser(fresh())];
    const [a, b, c] = users.map(({ id }) => id);
    const group = await world.newGroup('Engineering', [a ?? '']);
    const members = async () =>
      ((await world.get(`/Groups/${group.id}`)).body['members'] ?? []).map(({ value }: { value: string }) => value);
    expect(await members()).toEqual([a]);
    const forms: readonly (readonly [readonly unknown[], readonly unknown[]])[] = [
      [[{ op: 'add', path: 'members', value: [{ value: b }, { value: c }] }], [a, b, c]],
      [[{ op: 'add', path: 'members', value: [{ value: b }] }], [a, b, c]],
      [[{ op: 'remove', path: `members[value eq "${a}"]` }], [b, c]],
      [[{ op: 'Remove', path: 'members', value: [{ value: b }] }], [c]],
      [[{ op: 'replace', path: 'members', value: [{ value: a }, { value: b }] }], [a, b]],
      [[{ op: 'remove', path: `members[value eq "${c}"]` }], [a, b]],
      [[{ op: 'replace', value: { displayName: 'Renamed', members: [{ value: c }] } }], [c]],
      [[{ op: 'remove', path: 'members' }], []],
    ];
    for (const [operations, expected] of forms) {
      expect(await world.patch(`/Groups/${group.id}`, operations)).toMatchObject({ status: 204 });
      expect(await members(), JSON.stringify(operations)).toEqual(expected);
    }
    expect((await world.get(`/Groups/${group.id}`)).body['displayName']).toBe('Renamed');
    expect(
      await world.patch(`/Groups/${group.id}`, [{ op: 'add', path: 'members', value: [{ value: 'x' }] }]),
    ).toMatchObject(scimError(400, 'invalidValue'));
  });

  it('a user lists its groups, and a group without its members on request', async () => {
    const { id } = await world.newUser(fresh());
    const group = await world.newGroup('Listed', [id]);
    const { body } = await world.get(`/Users/${id}`);
    expect(body['groups']).toEqual([
      { value: group.id, $ref: `${BASE}/Groups/${group.id}`, display: 'Listed', type: 'direct' },
    ]);
    const query = `filter=${encodeURIComponent('displayName eq "listed"')}&excludedAttributes=members`;
    const { body: list } = await world.get(`/Groups?${query}`);
    expect(list['Resources']).toMatchObject([{ id: group.id, displayName: 'Listed' }]);
    expect(list['Resources'][0]).not.toHaveProperty('members');
    const byMember = await world.get(`/Groups?filter=${encodeURIComponent(`members[value eq "${id}"]`)}`);
    expect(byMember.body['totalResults']).toBe(1);
    await world.delete(`/Users/${id}`);
    expect((await world.get(`/Groups/${group.id}`)).body).not.toHaveProperty('members');
    expect(await world.delete(`/Groups/${group.id}`)).toMatchObject({ status: 204 });
    expect(await world.get(`/Groups/${group.id}`)).toMatchObject(scimError(404));
  });
});
