import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DOMAIN, ENTERPRISE, openScim, type ScimWorld, scimError, userOf } from '../../test/support/scim-world.ts';

let world: ScimWorld;
let names = 0;
/** An address that no other test has. */
const fresh = (domain: string = DOMAIN): string => `user-${++names}@${domain}`;

beforeAll(async () => {
  world = await openScim();
});
afterAll(() => world.close());

describe('access to a SCIM directory', () => {
  it('C11 C12 C35 a wrong, foreign, deleted or expired token is refused', async () => {
    const { token, id, directoryId } = await world.newDirectory();
    expect(await world.get('/Users', { token })).toMatchObject({ status: 200 });
    for (const bad of [null, 'x', `${token}x`, `scim_${'a'.repeat(40)}`]) {
      const answer = await world.get('/Users', { token: bad });
      expect(answer).toMatchObject(scimError(401));
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
    const basic = { Authorization: `Basic ${Buffer.from(`a:${token}`).toString('base64')}` };
    expect(await world.get('/Users', { token: null, headers: basic })).toMatchObject(scimError(401));
    await world.beckon.auth.deleteScimToken(world.scope, id);
    expect(await world.get('/Users', { token })).toMatchObject(scimError(401));
    const expiresAt = new Date(world.clock.now().getTime() + 60_000).toISOString();
    const short = await world.beckon.auth.createScimToken(world.scope, { directoryId, expiresAt });
    expect(await world.get('/Users', { token: short.token })).toMatchObject({ status: 200 });
    world.clock.advance(60_000);
    expect(await world.get('/Users', { token: short.token })).toMatchObject(scimError(401));
  });

  it('T3 T6 a token reaches its own directory and environment alone', async () => {
    const name = fresh();
    const { id } = await world.newUser(name);
    const group = await world.newGroup('Private', [id]);
    const otherOrg = await world.beckon.tenancy.createOrg({ name: 'Other' });
    const tokens = [
      (await world.newDirectory()).token,
      (await world.newDirectory(await world.newScope())).token,
      (await world.newDirectory(await world.newScope(otherOrg.id))).token,
      (await world.newDirectory(await world.beckon.tenancy.scope({ ...world.scope, environment: 'prod' }))).token,
    ];
    for (const token of tokens) {
      for (const path of [`/Users/${id}`, `/Groups/${group.id}`]) {
        expect(await world.get(path, { token })).toMatchObject(scimError(404));
        expect(await world.delete(path, { token })).toMatchObject(scimError(404));
        expect(await world.patch(path, [{ op: 'replace', path: 'displayName', value: 'x' }], { token })).toMatchObject(
          scimError(404),
        );
      }
      expect((await world.get('/Users', { token })).body['totalResults']).toBe(0);
      const stolen = { displayName: 'Stolen', members: [{ value: id }] };
      expect(await world.post('/Groups', stolen, { token })).toMatchObject(scimError(400, 'invalidValue'));
    }
    expect(await world.get(`/Users/${id}`)).toMatchObject({ status: 200, body: { userName: name } });
  });

  it('C36 a plan without the feature is 402, and what exists can be deleted', async () => {
    const { beckon } = world;
    const org = await beckon.tenancy.createOrg({ name: 'Small' });
    const scope = await world.newScope(org.id);
    const { token, directoryId } = await world.newDirectory(scope);
    await beckon.plans.set(org.id, 'growth');
    const answer = await world.get('/Users', { token });
    expect(answer).toMatchObject(scimError(402));
    expect(answer.body['detail']).toBe('tier_required: business');
    await expect(beckon.auth.createScimDirectory(scope, { name: 'Second' })).rejects.toMatchObject({
      code: 'tier_required',
    });
    expect(await beckon.auth.deleteScimDirectory(scope, directoryId)).toEqual({ deleted: true });
  });

  it('a token has its own rate limit, and the refusal is a SCIM body', async () => {
    const { token } = await world.newDirectory();
    const answers = [];
    for (let index = 0; index < 201; index++) {
      answers.push(await world.get('/ServiceProviderConfig', { token, isPaced: false }));
    }
    expect(answers[0]?.headers.get('x-ratelimit-limit')).toBe('200');
    expect(answers[199]).toMatchObject({ status: 200 });
    expect(answers[200]).toMatchObject(scimError(429));
    expect(answers[200]?.headers.get('retry-after')).toBe('1');
    expect(await world.get('/ServiceProviderConfig')).toMatchObject({ status: 200 });
  });

  it('C42 errors of the pipeline are SCIM bodies', async () => {
    const type = (answer: { headers: Headers }) => answer.headers.get('content-type');
    const json = { 'Content-Type': 'application/scim+json' };
    const answers = [
      [await world.get('/Nothing'), 404],
      [await world.post('/ServiceProviderConfig', {}), 405],
      [await world.send('POST', '/Users', { body: '{', headers: json }), 400],
      [await world.send('POST', '/Users', { body: '[]', headers: json }), 400],
      [await world.send('POST', '/Users', { headers: json }), 400],
      [await world.send('POST', '/Users', { body: 'a', headers: { 'Content-Type': 'text/plain' } }), 415],
      [await world.send('POST', '/Users', { body: `"${'x'.repeat(1_048_576)}"`, headers: json }), 413],
      [await world.get('/Users?filter=%00'), 400],
    ] as const;
    for (const [answer, status] of answers) {
      expect(answer).toMatchObject({ status, body: { status: String(status), detail: expect.any(String) } });
      expect(type(answer)).toBe('application/scim+json; charset=utf-8');
    }
  });

  it('a directory has at most 5 tokens, which are stored as hashes and shown once', async () => {
    const { token, directoryId } = await world.newDirectory();
    for (let index = 0; index < 4; index++) await world.beckon.auth.createScimToken(world.scope, { directoryId });
    await expect(world.beckon.auth.createScimToken(world.scope, { directoryId })).rejects.toMatchObject({
      details: { reason: 'too_many', max: 5 },
    });
    await world.get('/Users', { token });
    const { data } = await world.beckon.auth.listScimTokens(world.scope, { directoryId });
    expect(data).toHaveLength(5);
    expect(data.at(-1)).toMatchObject({ last4: token.slice(-4), lastUsedAt: world.clock.now() });
    expect(JSON.stringify(data)).not.toContain(token);
  });

  it('a deleted directory forgets its users, and its token stops working', async () => {
    const { token, directoryId } = await world.newDirectory();
    const name = fresh();
    const user = await world.post('/Users', userOf(name), { token });
    await world.post('/Groups', { displayName: 'All', members: [{ value: user.body['id'] }] }, { token });
    await world.beckon.auth.deleteScimDirectory(world.scope, directoryId);
    expect(await world.get('/Users', { token })).toMatchObject(scimError(401));
    const { data } = await world.beckon.users.list(world.scope, { email: name });
    expect(data).toMatchObject([{ disabled: false }]);
    expect(await world.post('/Users', userOf(name))).toMatchObject({ status: 201 });
    const tables = world.database.tables;
    for (const table of [tables.authScimUsers, tables.authScimGroups] as const) {
      const rows = await world.database.storage.db.select().from(table);
      expect(rows.filter((row) => row.directoryId === directoryId)).toEqual([]);
    }
  });

  it('enterprise attributes are stored with their schema', async () => {
    const user = await world.newUser(fresh(), { [ENTERPRISE]: { department: 'Research', manager: { value: 'm1' } } });
    expect(user['schemas']).toContain(ENTERPRISE);
    expect(user[ENTERPRISE]).toEqual({ department: 'Research', manager: { value: 'm1' } });
  });
});
