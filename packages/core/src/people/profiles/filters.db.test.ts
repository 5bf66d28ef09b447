import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { testScope } from '../../../test/support/scopes.ts';
import type { ProfilesApi } from '../../app/messages-api.ts';
import { write } from '../../database/commit/write-set.ts';
import { anonymousPerson, userPerson } from '../../foundation/person.ts';
import { profilesEngine } from './profiles.ts';

const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });
const day = (at: number): Date => new Date(Date.UTC(2026, 2, at));
const unused = async (): Promise<never> => {
  throw new Error('a list of profiles reads no history');
};

describe('the filters of the profile list', () => {
  let database: TestDatabase;
  let list: ProfilesApi['list'];
  beforeEach(async () => {
    database = await openTestDatabase();
    const engine = profilesEngine(database);
    list = engine.reads({ events: unused, messages: unused, devices: unused, audiences: unused }).list;
    const rest = { isTruncated: false, locale: null, timezone: null, version: 1, traits: {} };
    const people = [...[1, 2, 3, 4].map((at) => userPerson(`u${at}`)), anonymousPerson('a')];
    const writes = people.map((person, at) =>
      write(engine.hot.insert, {
        ...{ scopeId: scope.scopeId, person, ...rest, createdAt: day(at + 1), lastSeenAt: day(20) },
      }),
    );
    await database.storage.commit({ writes });
  });
  afterEach(() => database.close());
  const idsOf = async (query: Parameters<typeof list>[1]) =>
    (await list(scope, query)).data.map(({ userId }) => userId);

  it('from and to filter by first event; the end is exclusive', async () => {
    expect(await idsOf({ from: day(2), to: day(4) })).toEqual(['u2', 'u3']);
    expect(await idsOf({ from: day(4) })).toEqual(['u4']);
    expect(await idsOf({ to: day(1) })).toEqual([]);
  });

  it('the count includes all pages and is computed on request', async () => {
    const { data, pagination } = await list(scope, { limit: 1, from: day(2), count: true });
    expect([data.length, pagination.total]).toEqual([1, 3]);
    const { nextCursor: cursor } = pagination;
    expect((await list(scope, { limit: 1, from: day(2), cursor: cursor ?? '' })).pagination).toEqual({
      ...{ limit: 1, hasMore: true, nextCursor: expect.any(String) },
    });
    await expect(list(scope, { limit: 1, cursor: cursor ?? '' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('userId finds one user', async () => {
    expect(await idsOf({ userId: 'u3' })).toEqual(['u3']);
    expect(await idsOf({ userId: 'a' })).toEqual([]);
    expect((await list(scope, { userId: 'u3', count: true })).pagination.total).toBe(1);
  });

  it('a range that begins after its end is rejected', async () => {
    await expect(list(scope, { from: day(2), to: day(1) })).rejects.toMatchObject({ code: 'INVALID_RANGE' });
  });
});
