import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { testScope } from '../../../test/support/scopes.ts';
import { StorageError } from '../../database/errors.ts';
import type { Storage } from '../../database/storage.ts';
import { virtualClock } from '../../foundation/clock.ts';
import { uuidV7Ids } from '../../foundation/ids.ts';
import { utf8Bytes } from '../../foundation/json.ts';
import { profilesEngine } from '../profiles/profiles.ts';
import { MAX_CHANGING_BYTES } from '../profiles/read-whole.ts';
import { dedupe } from './dedupe.ts';
import { eventsEngine } from './events.ts';
import { bindReaction } from './pipeline.ts';
import { eventStatements } from './statements.ts';
import { storeEvents } from './store-events.ts';

const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });
const PEOPLE = 30;
const TRAITS_BYTES = 60_000;

describe('a batch of people whose profiles are full', () => {
  let database: TestDatabase;
  /** Per commit: bytes of the written profiles, and number of events. */
  let commits: { readonly profiles: number; readonly events: number }[];
  /** Called before each commit. */
  let fault: (eventTypes: readonly unknown[]) => void;
  let events: ReturnType<typeof eventsEngine>;

  beforeEach(async () => {
    database = await openTestDatabase();
    commits = [];
    fault = () => {};
    const { storage, tables } = database;
    const commit: Storage['commit'] = (plan) => {
      const rows = (id: string) => plan.writes.filter(({ bulk }) => bulk.id === id).map(({ row }) => row);
      const stored = rows('events.insert');
      fault(stored.map((row) => row['eventType']));
      const bytes = rows('profiles.change').map((row) => utf8Bytes(row['traits']));
      commits.push({ profiles: bytes.reduce((sum, own) => sum + own, 0), events: stored.length });
      return storage.commit(plan);
    };
    const counted: Storage = { ...storage, commit };
    const clock = virtualClock('2026-03-01T10:00:00Z');
    const hot = eventStatements(tables);
    const profiles = profilesEngine({ storage: counted, tables });
    const reactions = [
      bindReaction(dedupe(counted, hot)),
      bindReaction(profiles.reactionBefore([])),
      bindReaction(storeEvents(hot)),
    ];
    events = eventsEngine({ storage: counted, tables, clock, ids: uuidV7Ids(clock), reactions });
    const traits = Object.fromEntries(Array.from({ length: 4 }, (_, at) => [`t${at}`, 'x'.repeat(TRAITS_BYTES / 4)]));
    for (let at = 0; at < PEOPLE; at += 1)
      await events.batch(
        scope,
        Object.entries(traits).map(([name, value]) => ({
          ...{ module: 'm', eventType: 'filled', userId: `u${at}`, traits: { [name]: value } },
        })),
      );
    commits = [];
  });
  afterEach(() => database.close());

  const batch = (eventTypeOf: (at: number) => string = () => 'changed') =>
    Array.from({ length: 2 * PEOPLE }, (_, at) => ({
      ...{ module: 'm', eventType: eventTypeOf(at), userId: `u${at % PEOPLE}`, traits: { n: at }, messageId: `m${at}` },
    }));
  const stored = async () => {
    const rows = await database.storage.db.select().from(database.tables.events);
    return rows.filter(({ messageId }) => messageId !== null);
  };
  const numbers = async () => {
    const rows = await database.storage.db.select().from(database.tables.profiles);
    return rows.map(({ traits }) => traits['n']).sort((a, b) => Number(a) - Number(b));
  };

  it('a batch that changes large profiles is split into bounded commits and answered as a whole', async () => {
    expect(await events.batch(scope, batch())).toEqual({ accepted: 2 * PEOPLE, duplicates: 0, rejected: [] });
    expect(commits.length).toBeGreaterThan(PEOPLE / 10);
    for (const { profiles: bytes } of commits) expect(bytes).toBeLessThanOrEqual(MAX_CHANGING_BYTES + PEOPLE * 10);
    expect(await stored()).toHaveLength(2 * PEOPLE);
    expect(await numbers()).toEqual(Array.from({ length: PEOPLE }, (_, at) => PEOPLE + at));
  });

  it('each event of a split batch is stored once although a later commit rejects one', async () => {
    fault = (types) => {
      if (types.includes('poison')) throw new StorageError('22P02');
    };
    const at = PEOPLE + 5;
    const answer = await events.batch(
      scope,
      batch((one) => (one === at ? 'poison' : 'changed')),
    );
    expect(answer).toEqual({
      ...{ accepted: 2 * PEOPLE - 1, duplicates: 0 },
      rejected: [{ index: at, code: 'INTERNAL', fieldErrors: {} }],
    });
    const ids = (await stored()).map(({ messageId }) => messageId);
    expect([ids.length, new Set(ids).size]).toEqual([2 * PEOPLE - 1, 2 * PEOPLE - 1]);
  });

  it('when the database goes away between commits, the answer lists the events that were not stored', async () => {
    fault = () => {
      if (commits.length === 2) throw new StorageError('SQLITE_FULL');
    };
    const { accepted, rejected } = await events.batch(scope, batch());
    const kept = new Set((await stored()).map(({ messageId }) => messageId));
    expect(accepted).toBe(kept.size);
    expect(accepted).toBeGreaterThan(0);
    // PostgreSQL runs two commits at a time, so the stored events need not be the first ones.
    const lost = batch().flatMap(({ messageId }, index) => (kept.has(messageId) ? [] : [index]));
    expect(rejected).toEqual(lost.map((index) => ({ index, code: 'OVERLOADED', fieldErrors: {} })));
  });
});
