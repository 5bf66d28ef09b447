import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { testScope } from '../../../test/support/scopes.ts';
import { StorageError } from '../../database/errors.ts';
import type { Storage } from '../../database/storage.ts';
import { virtualClock } from '../../foundation/clock.ts';
import { uuidV7Ids } from '../../foundation/ids.ts';
import type { Scope } from '../../foundation/scope.ts';
import { profilesEngine } from '../profiles/profiles.ts';
import { dedupe } from './dedupe.ts';
import { eventsEngine } from './events.ts';
import { bindReaction, newDraft } from './pipeline.ts';
import { eventStatements } from './statements.ts';
import { storeEvents } from './store-events.ts';

const clock = virtualClock('2026-03-01T10:00:00.000Z');

/** Two engines over one database are two processes over it. */
const engineOver = (storage: Storage, { tables }: TestDatabase) => {
  const hot = eventStatements(tables);
  const profiles = profilesEngine({ storage, tables });
  const events = eventsEngine({
    storage,
    tables,
    clock,
    ids: uuidV7Ids(clock),
    reactions: [
      bindReaction(dedupe(storage, hot)),
      bindReaction(profiles.reactionBefore([])),
      bindReaction(storeEvents(hot)),
    ],
  });
  return { events, profiles };
};

describe('what another process does between load and commit', () => {
  let database: TestDatabase;
  let scope: Scope;
  let tests = 0;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  beforeEach(() => {
    tests += 1;
    scope = testScope({ orgId: 'o', projectId: `p${tests}`, environment: 'test' });
  });
  afterAll(() => database.close());

  const event = (fields: object = {}) => ({ module: 'app', eventType: 'opened', userId: 'ann', ...fields });
  /** Two engines, the first of which lets `act` happen before its next commit. */
  const racing = (act: (other: ReturnType<typeof engineOver>) => Promise<unknown>) => {
    const { storage } = database;
    const two = engineOver(storage, database);
    let isNext = true;
    const commit: Storage['commit'] = async (plan) => {
      if (isNext) {
        isNext = false;
        await act(two);
      }
      return storage.commit(plan);
    };
    return { one: engineOver({ ...storage, commit }, database), two };
  };
  /** An engine whose commits fail while the disk is full. */
  const onDisk = () => {
    const { storage } = database;
    const disk = { isFull: false };
    const commit: Storage['commit'] = async (writes) => {
      if (disk.isFull) throw new StorageError('SQLITE_FULL');
      return storage.commit(writes);
    };
    return { ...engineOver({ ...storage, commit }, database), disk };
  };
  const profileOf = async (userId = 'ann') => {
    const { profiles } = engineOver(database.storage, database);
    return [...(await profiles.load([{ ...scope, person: `u:${userId}` }])).values()][0];
  };
  const eventsOf = async (person: string) =>
    (await engineOver(database.storage, database).events.listOf(scope, [person])).data;

  it('makes a messageId that it stored a duplicate', async () => {
    await engineOver(database.storage, database).events.track(scope, event());
    const { one } = racing(({ events }) => events.track(scope, event({ messageId: 'm1' })));
    const refused = one.events.track(scope, event({ messageId: 'm1' }));
    await expect(refused).rejects.toMatchObject({ code: 'CONFLICT', details: { reason: 'duplicate' } });
    expect(await eventsOf('u:ann')).toHaveLength(2);
  });

  it('is kept where it made the profile', async () => {
    const { one } = racing(({ events }) => events.identify(scope, { userId: 'ann', traits: { b: 2, c: 2 } }));
    await one.events.identify(scope, { userId: 'ann', traits: { a: 1, c: 1 } });
    expect((await profileOf())?.traits).toEqual({ a: 1, b: 2, c: 1 });
  });

  it('is kept where it changed the profile', async () => {
    await engineOver(database.storage, database).events.identify(scope, { userId: 'ann', traits: { a: 0 } });
    const { one } = racing(({ events }) => events.identify(scope, { userId: 'ann', traits: { b: 2, c: 2 } }));
    await one.events.identify(scope, { userId: 'ann', traits: { a: 1, c: 1 } });
    expect(await profileOf()).toMatchObject({ traits: { a: 1, b: 2, c: 1 }, version: 3 });
  });

  it('is kept where it found out whose the anonymous person is', async () => {
    // Ids whose items are written in one batch on PostgreSQL too.
    const anonymousId = 'a2';
    const { one } = racing(({ events }) => events.identify(scope, { userId: 'bob', anonymousId, traits: {} }));
    await Promise.all([
      one.events.identify(scope, { userId: 'ann', anonymousId, traits: {} }),
      one.events.track(scope, event({ userId: undefined, anonymousId })),
    ]);
    expect(await eventsOf('u:bob')).toHaveLength(2);
    expect(await eventsOf('u:ann')).toHaveLength(1);
  });

  it('leaves a person without profile to the next event where its commit fails', async () => {
    const { events, disk } = onDisk();
    disk.isFull = true;
    await expect(events.track(scope, event())).rejects.toThrow('SQLITE_FULL');
    disk.isFull = false;
    await events.track(scope, event());
    expect(await profileOf()).toMatchObject({ version: 1 });
  });

  it('leaves the locale to the next event where its commit fails', async () => {
    const { events, disk } = onDisk();
    const speaking = (locale: string) => event({ context: { locale } });
    await events.track(scope, speaking('en'));
    await events.track(scope, speaking('en'));
    disk.isFull = true;
    await expect(events.track(scope, speaking('fr'))).rejects.toThrow('SQLITE_FULL');
    disk.isFull = false;
    await events.track(scope, speaking('fr'));
    expect((await profileOf())?.locale).toBe('fr');
  });

  it('is seen 10 s later where it changed what is remembered of a person', async () => {
    const [one, two] = [engineOver(database.storage, database), engineOver(database.storage, database)];
    const speaking = (locale: string) => event({ context: { locale } });
    await one.events.track(scope, speaking('en'));
    await one.events.track(scope, speaking('en'));
    await two.events.track(scope, speaking('de'));
    clock.advance(10_000);
    await one.events.track(scope, speaking('en'));
    expect((await profileOf())?.locale).toBe('en');
  });

  it('goes to the user where it changed the anonymous profile', async () => {
    await engineOver(database.storage, database).events.track(scope, event({ userId: undefined, anonymousId: 'a1' }));
    const { one } = racing(async ({ profiles }) => {
      const key = { ...scope, person: 'a:a1' };
      const [stored] = (await profiles.load([key])).values();
      const draft = newDraft([], clock.now());
      profiles.putTraits(draft, { key, stored, left: { traits: { a: 1 }, isTruncated: false } }, '');
      await database.storage.commit({ writes: draft.writes });
    });
    await one.events.identify(scope, { userId: 'ann', anonymousId: 'a1', traits: { b: 2 } });
    expect((await profileOf())?.traits).toEqual({ a: 1, b: 2 });
  });
});
