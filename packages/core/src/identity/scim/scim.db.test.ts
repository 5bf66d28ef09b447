import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuthWorld, EMAIL, openAuth, PASSWORD } from '../../../test/support/identity/world.ts';
import type { ScimOperation } from './request.ts';

describe('groups in access tokens', () => {
  let world: AuthWorld;
  beforeAll(async () => {
    world = await openAuth();
  });
  afterAll(() => world.close());

  it('{{scim.groups}} has the names of the groups in the order of the alphabet, at most 50', async () => {
    const { auth, users, scope } = world;
    const { id: directoryId } = await auth.createScimDirectory(scope, { name: 'Acme' });
    const create = async (endpoint: 'Users' | 'Groups', body: object): Promise<string> => {
      const { status, body: made } = await auth.handleScim(scope, { directoryId, endpoint, operation: 'create', body });
      expect(status).toBe(201);
      return String(made?.['id']);
    };
    const member = await create('Users', { userName: 'ann@example.com' });
    await create('Users', { userName: 'ben@example.com' });
    for (let index = 60; index > 0; index--) {
      await create('Groups', { displayName: `Group ${String(index).padStart(2, '0')}`, members: [{ value: member }] });
    }
    await auth.updateClaimsTemplate(scope, { template: { groups: '{{scim.groups}}' } });
    const claimsOf = async (email: string) => {
      const id = (await users.list(scope, { email })).data[0]?.id;
      return (await auth.previewClaims(scope, { id })).claims;
    };
    const names = Array.from({ length: 50 }, (_, index) => `Group ${String(index + 1).padStart(2, '0')}`);
    expect(await claimsOf('ann@example.com')).toEqual({ groups: names });
    expect(await claimsOf('ben@example.com')).toEqual({ groups: [] });
  });
});

describe('one commit of SCIM', () => {
  let world: AuthWorld;
  let fails = false;
  beforeAll(async () => {
    const during = (): void => {
      if (fails) throw new Error('the host refuses');
    };
    world = await openAuth({ hooks: { auth: { during } } });
  });
  afterAll(() => world.close());

  it('C27 C34 a commit that fails leaves the user, the account and its sessions as they were', async () => {
    const { auth, users, scope, database } = world;
    const { id: directoryId } = await auth.createScimDirectory(scope, { name: 'Acme' });
    const call = async (operation: ScimOperation, id?: string, body?: unknown) =>
      (await auth.handleScim(scope, { directoryId, endpoint: 'Users', operation, id, body })).body ?? {};
    const rowsOf = async () => {
      const { authUsers, authSessions, authScimUsers, authAudit, profiles, events } = database.tables;
      const all = [authUsers, authSessions, authScimUsers, authAudit, profiles, events];
      return JSON.stringify(await Promise.all(all.map((table) => database.storage.db.select().from(table))));
    };
    const before = await rowsOf();
    fails = true;
    await expect(call('create', undefined, { userName: EMAIL })).rejects.toThrow('the host refuses');
    expect(await rowsOf()).toBe(before);
    fails = false;
    const id = String((await call('create', undefined, { userName: EMAIL }))['id']);
    const account = (await users.list(scope, { email: EMAIL })).data[0];
    await users.update(scope, account?.id ?? '', { emailVerified: true });
    await auth.forgotPassword(scope, { email: EMAIL });
    const { token } = await world.lastEmail();
    await auth.resetPassword(scope, { token, password: PASSWORD });
    const { accessToken } = await world.signIn();
    const signedIn = await rowsOf();
    fails = true;
    const off = { Operations: [{ op: 'replace', value: { active: false } }] };
    await expect(call('patch', id, off)).rejects.toThrow('the host refuses');
    expect(await rowsOf()).toBe(signedIn);
    await auth.authenticate(scope, accessToken);
    fails = false;
    expect(await call('patch', id, off)).toMatchObject({ active: false });
    await expect(auth.authenticate(scope, accessToken)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });
});
