import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openScim, type ScimWorld } from '../../test/support/scim-world.ts';

/** 100,000 with BECKON_SCIM_USERS, which prints the memory of the process. */
const USERS = Number(process.env['BECKON_SCIM_USERS'] ?? 2_000);
const PAGE = 200;
const ROWS = 500;

const idAt = (prefix: string, index: number): string =>
  `01950000-${prefix}-7000-8000-${index.toString(16).padStart(12, '0')}`;

describe('large SCIM directories', () => {
  let world: ScimWorld;
  beforeAll(async () => {
    world = await openScim();
    const { database, scope, directoryId } = world;
    const at = world.clock.now();
    const group = { scopeId: scope.scopeId, id: idAt('00aa', 1), directoryId, externalId: null };
    const { authScimUsers, authScimGroups, authScimMembers } = database.tables;
    const { db } = database.storage;
    await db
      .insert(authScimGroups)
      .values({ ...group, displayName: 'All', displayNameNorm: 'all', createdAt: at, updatedAt: at, version: 1 });
    for (let start = 0; start < USERS; start += ROWS) {
      const indexes = Array.from({ length: Math.min(ROWS, USERS - start) }, (_, place) => start + place);
      const rows = indexes.map((index) => {
        const userName = `user-${index}@acme.example`;
        return {
          ...{ scopeId: scope.scopeId, directoryId, id: idAt('0000', index), accountId: idAt('0001', index) },
          ...{ externalId: `e-${index}`, userName, userNameNorm: userName, displayNameNorm: null, active: true },
          ...{ emails: [{ value: userName }], document: { userName, active: true, emails: [{ value: userName }] } },
          ...{ createdAt: at, updatedAt: at, version: 1 },
        };
      });
      await db.insert(authScimUsers).values(rows);
      await db
        .insert(authScimMembers)
        .values(rows.map(({ scopeId, id }) => ({ scopeId, groupId: group.id, userId: id })));
    }
  }, 600_000);
  afterAll(() => world.close());

  it('all users are listed in pages of 200, each once and in order', { timeout: 600_000 }, async () => {
    const seen = new Set<string>();
    let [last, peak] = ['', 0];
    const began = process.memoryUsage().rss;
    for (let startIndex = 1; startIndex <= USERS; startIndex += PAGE) {
      const { body } = await world.get(`/Users?startIndex=${startIndex}&count=1000&excludedAttributes=groups`);
      expect(body['totalResults']).toBe(USERS);
      expect(body['Resources'].length).toBeLessThanOrEqual(PAGE);
      for (const { id } of body['Resources']) {
        expect(id > last).toBe(true);
        last = id;
        seen.add(id);
      }
      peak = Math.max(peak, process.memoryUsage().rss);
    }
    expect(seen.size).toBe(USERS);
    if (USERS > 10_000)
      console.info(`scim: ${USERS} users listed, memory grew by ${Math.round((peak - began) / 1_048_576)} MiB`);
  });

  it('a change of one member reads and writes that member alone', async () => {
    const path = `/Groups/${idAt('00aa', 1)}`;
    const user = await world.newUser('new@acme.example');
    const member = { op: 'add', path: 'members', value: [{ value: user.id }] };
    expect(await world.patch(path, [member])).toMatchObject({ status: 204 });
    const count = async () => {
      const { authScimMembers } = world.database.tables;
      return (await world.database.storage.db.select({ id: authScimMembers.userId }).from(authScimMembers)).length;
    };
    expect(await count()).toBe(USERS + 1);
    expect(await world.patch(path, [{ op: 'remove', path: `members[value eq "${user.id}"]` }])).toMatchObject({
      status: 204,
    });
    expect(await count()).toBe(USERS);
    expect((await world.get(`${path}?excludedAttributes=members`)).body['meta'].version).toBe('W/"3"');
  });
});
