import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { testScope } from '../../../test/support/scopes.ts';
import type { ProfilesApi } from '../../app/messages-api.ts';
import { write } from '../../database/commit/write-set.ts';
import { MAX_PAGE_BYTES } from '../../foundation/page.ts';
import { userPerson } from '../../foundation/person.ts';
import { profilesEngine } from './profiles.ts';

/** Bytes of traits in a full profile. Source: contract, Ingest and profiles. */
const FULL = 64 * 1_024;
const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });
const unused = async (): Promise<never> => {
  throw new Error('a list of profiles reads no history');
};

describe('the profile list', () => {
  let database: TestDatabase;
  let list: ProfilesApi['list'];
  beforeEach(async () => {
    database = await openTestDatabase();
    list = profilesEngine(database).reads({
      events: unused,
      messages: unused,
      devices: unused,
      audiences: unused,
    }).list;
  });
  afterEach(() => database.close());

  const add = async (userIds: readonly string[], traits: Readonly<Record<string, unknown>>) => {
    const { hot } = profilesEngine(database);
    const now = new Date();
    const rest = { isTruncated: false, locale: null, timezone: null, version: 1, createdAt: now, lastSeenAt: now };
    const writes = userIds.map((userId) =>
      write(hot.insert, { scopeId: scope.scopeId, person: userPerson(userId), traits, ...rest }),
    );
    await database.storage.commit({ writes });
  };

  it('a page has at most 4 MB, and each profile is listed once', async () => {
    const userIds = Array.from({ length: 150 }, (_, at) => String(at).padStart(4, '0'));
    await add(userIds, { note: 'x'.repeat(FULL - 100) });
    const seen: (string | null)[] = [];
    const sizes: number[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await list(scope, { limit: 200, ...(cursor === undefined ? {} : { cursor }) });
      expect(Buffer.byteLength(JSON.stringify(page.data))).toBeLessThanOrEqual(MAX_PAGE_BYTES);
      sizes.push(page.data.length);
      seen.push(...page.data.map(({ userId }) => userId));
      cursor = page.pagination.nextCursor;
    }
    expect(sizes).toHaveLength(3);
    expect(seen).toEqual(userIds);
  });

  it('any userId can be found, whatever its characters', async () => {
    const userIds = ['.', '..', 'ann', 'a/b?c#d', 'u:ann', '%'];
    await add(userIds, {});
    for (const userId of userIds) {
      const { data, pagination } = await list(scope, { userId });
      expect(data.map((one) => one.userId)).toEqual([userId]);
      expect(pagination.hasMore).toBe(false);
    }
    expect((await list(scope, { userId: 'nobody' })).data).toEqual([]);
    const { nextCursor } = (await list(scope, { limit: 1 })).pagination;
    await expect(list(scope, { userId: 'ann', cursor: nextCursor ?? '' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });
});
