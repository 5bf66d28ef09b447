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

/** Two engines over one database act as two processes. */
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

describe('races between load and commit of two processes', () => {
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
  /** Two engines; `act` runs before the next commit of the first. */
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
  /** An engine whose commits fail as if the disk were full. */
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

  it('a messageId that another process stored meanwhile is a duplicate', async () => {
    await engineOver(database.storage, database).events.track(scope, event());
    const { one } = racing(({ events }) => events.track(scope, event({ messageId: 'm1' })));
    const refused = one.events.track(scope, event({ messageId: 'm1' }));
    await expect(refused).rejects.toMatchObject({ code: 'CONFLICT', details: { reason: 'duplicate' } });
    expect(await eventsOf('u:ann')).toHaveLength(2);
  });

  it('an event is stored when another process created its profile meanwhile', async () => {
    const { one } = racing(({ events }) => events.identify(scope, { userId: 'ann', traits: { b: 2, c: 2 } }));
    await one.events.identify(scope, { userId: 'ann', traits: { a: 1, c: 1 } });
    expect((await profileOf())?.traits).toEqual({ a: 1, b: 2, c: 1 });
  });

  it('an event is stored when another process changed its profile meanwhile', async () => {
    await engineOver(database.storage, database).events.identify(scope, { userId: 'ann', traits: { a: 0 } });
    const { one } = racing(({ events }) => events.identify(scope, { userId: 'ann', traits: { b: 2, c: 2 } }));
    await one.events.identify(scope, { userId: 'ann', traits: { a: 1, c: 1 } });
    expect(await profileOf()).toMatchObject({ traits: { a: 1, b: 2, c: 1 }, version: 3 });
  });

  it('an event is stored when another process resolved its anonymous id meanwhile', async () => {
    // Ids whose items share one batch on PostgreSQL too.
    const anonymousId = 'a2';
    const { one } = racing(({ events }) => events.identify(scope, { userId: 'bob', anonymousId, traits: {} }));
    await Promise.all([
      one.events.identify(scope, { userId: 'ann', anonymousId, traits: {} }),
      one.events.track(scope, event({ userId: undefined, anonymousId })),
    ]);
    expect(await eventsOf('u:bob')).toHaveLength(2);
    expect(await eventsOf('u:ann')).toHaveLength(1);
  });

  it('a failed commit leaves the creation of the profile to the next event', async () => {
    const { events, disk } = onDisk();
    disk.isFull = true;
    await expect(events.track(scope, event())).rejects.toThrow('SQLITE_FULL');
    disk.isFull = false;
    await events.track(scope, event());
    expect(await profileOf()).toMatchObject({ version: 1 });
  });

  it('a failed commit leaves the locale to the next event', async () => {
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

  it('a profile changed by another process is seen after 10 s', async () => {
    const [one, two] = [engineOver(database.storage, database), engineOver(database.storage, database)];
    const speaking = (locale: string) => event({ context: { locale } });
    await one.events.track(scope, speaking('en'));
    await one.events.track(scope, speaking('en'));
    await two.events.track(scope, speaking('de'));
    clock.advance(10_000);
    await one.events.track(scope, speaking('en'));
    expect((await profileOf())?.locale).toBe('en');
  });

  it('a change of a meanwhile merged anonymous profile goes to the user', async () => {
    await engineOver(database.storage, database).events.track(scope, event({ userId: undefined, anonymousId: 'a1' }));
    const { one } = racing(async ({ profiles }) => {
      const key = { ...scope, person: 'a:a1' };
      const [stored] = (await profiles.load([key])).values();
      const draft = newDraft([], clock.now());
      profiles.putTraits(draft, { key, stored, next: { traits: { a: 1 }, isTruncated: false } }, '');
      await database.storage.commit({ writes: draft.writes });
    });
    await one.events.identify(scope, { userId: 'ann', anonymousId: 'a1', traits: { b: 2 } });
    expect((await profileOf())?.traits).toEqual({ a: 1, b: 2 });
  });
});
