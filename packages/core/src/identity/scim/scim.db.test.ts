import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuthWorld, openAuth } from '../../../test/support/identity/world.ts';
import { scimEngine } from './scim.ts';

describe('names of groups for claims', () => {
  let world: AuthWorld;
  beforeAll(async () => {
    world = await openAuth();
  });
  afterAll(() => world.close());

  it('a user has the names of its groups in the order of the alphabet, at most 50', async () => {
    const { auth, users, scope, database } = world;
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
    const { storage, tables } = database;
    const engine = scimEngine({ storage, tables, ids: { next: () => '' } });
    const accountOf = async (email: string) => (await users.list(scope, { email })).data[0]?.id ?? '';
    const names = await engine.groupNamesOf(scope, await accountOf('ann@example.com'));
    expect(names).toHaveLength(50);
    expect(names[0]).toBe('Group 01');
    expect(names.toSorted()).toEqual(names);
    expect(await engine.groupNamesOf(scope, await accountOf('ben@example.com'))).toEqual([]);
    const stranger = await world.project();
    expect(await engine.groupNamesOf(stranger, await accountOf('ann@example.com'))).toEqual([]);
  });
});
