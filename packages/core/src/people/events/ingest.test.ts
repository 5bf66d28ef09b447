import { describe, expect, it } from 'vitest';
import { testScope } from '../../../test/support/scopes.ts';
import type { Committed, WriteSet } from '../../database/commit/write-set.ts';
import { StorageError } from '../../database/errors.ts';
import type { Storage } from '../../database/storage.ts';
import { eventItem } from './envelope.ts';
import { ingest } from './ingest.ts';
import { type BoundReaction, type Item, personTag } from './pipeline.ts';

const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });
const now = new Date('2026-03-01T10:00:00.000Z');
const itemOf = (userId: string): Item =>
  eventItem({ module: 'app', eventType: 'opened', userId }, { scope, receivedAt: now, nextId: () => `id-${userId}` });
const items = ['ann', 'bob', 'cid'].map(itemOf);

/** One write per item, tagged with the item's id. */
const writing: BoundReaction = {
  name: 'writing',
  load: async () => (draft) => {
    for (const entry of draft.entries) {
      entry.person = `u:${entry.item.userId}`;
      // Safe: no database runs the statement.
      draft.writes.push({ bulk: {} as never, row: { userId: entry.item.userId }, tag: entry.item.id });
    }
  },
};

const over = (commit: (people: unknown[]) => Committed, reactions: readonly BoundReaction[] = [writing]) => {
  const commits: unknown[][] = [];
  const storage = {
    commit: async ({ writes }: WriteSet): Promise<Committed> => {
      const people = writes.map(({ row }) => row['userId']);
      commits.push(people);
      return commit(people);
    },
  };
  // Safe: ingest uses only the commits of a storage.
  const write = ingest(storage as unknown as Storage, reactions);
  return { commits, write: () => write(items, now) };
};
const stored = (userId: string) => ({ ok: true, value: { id: `id-${userId}`, isDuplicate: false } });
const fine: Committed = { ok: true };

describe('ingest of a batch', () => {
  it('a batch is written in one commit', async () => {
    const { write, commits } = over(() => fine);
    expect(await write()).toEqual(['ann', 'bob', 'cid'].map(stored));
    expect(commits).toEqual([['ann', 'bob', 'cid']]);
  });

  it('a batch without writes makes no commit', async () => {
    const { write, commits } = over(() => fine, []);
    expect(await write()).toEqual(['ann', 'bob', 'cid'].map(stored));
    expect(commits).toEqual([]);
  });

  it('a batch is planned again after a guard failed', async () => {
    let fails = 4;
    const { write, commits } = over(() => (fails-- > 0 ? { ok: false, failed: new Set(['id-ann']) } : fine));
    expect(await write()).toEqual(['ann', 'bob', 'cid'].map(stored));
    expect(commits).toHaveLength(5);
  });

  it.each([
    ['an item', 'id-bob'],
    ['a profile', personTag(scope, 'u:bob')],
  ])('after five tries the batch proceeds without the items whose guard on %s fails', async (_, tag) => {
    const { write, commits } = over((people) =>
      people.includes('bob') ? { ok: false, failed: new Set([tag]) } : fine,
    );
    const refusal = { ok: false, error: { code: 'OVERLOADED', retryAfterSeconds: 1 } };
    expect(await write()).toMatchObject([stored('ann'), refusal, stored('cid')]);
    expect(commits).toHaveLength(6);
    expect(commits.at(-1)).toEqual(['ann', 'cid']);
  });

  it('a batch is rejected after five tries if every guard fails', async () => {
    const failed = new Set(['id-ann', 'id-bob', 'id-cid']);
    const { write, commits } = over(() => ({ ok: false, failed }));
    expect((await write()).map((one) => one?.ok)).toEqual([false, false, false]);
    expect(commits).toHaveLength(5);
  });

  it('a batch that cannot be written as a whole is written one by one, so only the faulty item fails', async () => {
    const { write, commits } = over((people) => {
      if (people.includes('bob')) throw new StorageError('22000');
      return fine;
    });
    expect(await write()).toEqual([stored('ann'), { ok: false, error: new StorageError('22000') }, stored('cid')]);
    expect(commits).toEqual([['ann', 'bob', 'cid'], ['ann'], ['bob'], ['cid']]);
  });

  it.each([
    ['cannot be reached', 'SQLITE_FULL'],
    ['may have committed', '08007'],
  ])('a batch is rejected without another try if the database %s', async (_, code) => {
    const { write, commits } = over(() => {
      throw new StorageError(code);
    });
    const refusal = { ok: false, error: new StorageError(code) };
    expect(await write()).toEqual([refusal, refusal, refusal]);
    expect(commits).toHaveLength(1);
  });

  it('a reaction with more writes than one commit allows splits the batch', async () => {
    const amplifying: BoundReaction = {
      name: 'amplifying',
      load: async () => (draft) => {
        for (const _ of draft.entries) draft.extraWeight += 4_000;
      },
    };
    const { write, commits } = over(() => fine, [writing, amplifying]);
    expect(await write()).toEqual(['ann', 'bob', 'cid'].map(stored));
    expect(commits).toEqual([['ann'], ['bob'], ['cid']]);
  });

  it('items of several orgs share one commit, and items of a slow org are left out', async () => {
    const other = testScope({ orgId: 'other', projectId: 'p', environment: 'test' });
    const dear: BoundReaction = {
      name: 'dear',
      load:
        async (_, { spend }) =>
        async (draft) => {
          for (const { item } of draft.entries) {
            const rest = spend?.(item.userId === 'bob' ? 10_000_000 : 1, item.scope.orgId);
            if (rest !== undefined) await rest;
          }
        },
    };
    const commits: unknown[][] = [];
    const commit = async ({ writes }: WriteSet): Promise<Committed> => {
      commits.push(writes.map(({ row }) => row['userId']));
      return fine;
    };
    // Safe: as above.
    const write = ingest({ commit } as unknown as Storage, [writing, dear]);
    const mixed = items.map((item) => (item.userId === 'cid' ? { ...item, scope: other } : item));
    expect(await write(mixed, now)).toEqual([null, null, stored('cid')]);
    expect(commits).toEqual([['cid']]);
    expect(await write(mixed.slice(0, 2), now, true)).toEqual([stored('ann'), stored('bob')]);
  });
});
