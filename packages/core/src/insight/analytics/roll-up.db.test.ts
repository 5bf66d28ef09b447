import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bruteOf, randomEvents, randomRange } from '../../../test/support/analytics/brute.ts';
import { questionOf } from '../../../test/support/analytics/question.ts';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { eventRow } from '../../../test/support/events/event-row.ts';
import { testScope } from '../../../test/support/scopes.ts';
import { seeded } from '../../../test/support/seeded.ts';
import { write } from '../../database/commit/write-set.ts';
import { openDatabase } from '../../database/open.ts';
import { virtualClock } from '../../foundation/clock.ts';
import { uuidV7Ids } from '../../foundation/ids.ts';
import type { FollowedEvent, FollowedLog } from '../../people/events/followed/followed.ts';
import { followedLog } from '../../people/events/followed/store.ts';
import { personKey } from '../../people/events/person-key.ts';
import { eventStatements } from '../../people/events/statements.ts';
import { eventStore } from '../../people/events/store.ts';
import { sampleEraser } from './erase.ts';
import { countEvents, eventCounts } from './events.ts';
import { countPeople } from './people.ts';
import { hourOf, quarterOf } from './quarters.ts';
import { queryRangeOf } from './range.ts';
import { rollUp } from './roll-up.ts';
import { type AnalyticsStore, analyticsStore } from './store.ts';

const NOW = new Date('2026-11-01T12:07:00.000Z');
const clock = virtualClock(NOW);
const ids = uuidV7Ids(clock);
const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });
const other = testScope({ orgId: 'o', projectId: 'p', environment: 'prod' });

describe('roll-ups of events', () => {
  let folder: string;
  let home: TestDatabase;
  let store: AnalyticsStore;
  let log: FollowedLog;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'beckon-roll-up-'));
    home = await openTestDatabase({ url: `sqlite:${join(folder, 'beckon.db')}`, durability: 'process' });
    store = analyticsStore({ db: home.storage.db, tables: home.tables });
    log = followedLog(home);
  });
  afterEach(async () => {
    await home.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const put = async (events: readonly FollowedEvent[]): Promise<void> => {
    const hot = eventStatements(home.tables);
    const writes = events.map(({ personKey: key, ...event }) =>
      write(hot.insertEvent, {
        ...eventRow(event, ids.next(), `u:${key}`, key),
        ...event,
      }),
    );
    await home.storage.commit({ writes });
  };
  const rollAll = async (slice = 100): Promise<void> => {
    const step = rollUp({ log, tables: home.tables, slice });
    while (await step());
  };
  const of = (person: string, at = NOW): FollowedEvent => ({
    scopeId: scope.scopeId,
    personKey: personKey(scope, person),
    module: 'app',
    eventType: 'opened',
    source: 'customer',
    timestamp: at,
  });
  const today = () => questionOf(queryRangeOf({}, { now: NOW, retentionDays: 400, latestEnd: 'interval' }));

  it('roll-ups equal a count of each event, wherever a process stopped', async () => {
    const seed = Number(process.env['BECKON_TEST_SEED'] ?? 1 + Math.floor(Math.random() * 1e9));
    const random = seeded(seed);
    const span = { days: 60, endMs: NOW.getTime() };
    const [mine, theirs] = [
      randomEvents(random, { ...span, count: 900, scopeId: scope.scopeId }),
      randomEvents(random, { ...span, count: 300, scopeId: other.scopeId }),
    ];
    const all = [...mine, ...theirs].sort(() => random() - 0.5);
    for (let at = 0; at < all.length; at += 150) {
      await put(all.slice(at, at + 150));
      let doesStop = true;
      const lost = rollUp({
        tables: home.tables,
        slice: 40,
        log: {
          ...log,
          next: (name, limit, work) =>
            log.next(name, limit, async (db, events) => {
              await work(db, events);
              doesStop = !doesStop;
              if (doesStop) throw new Error('the process has ended');
            }),
        },
      });
      for (let n = 0; n < 4; n += 1) await lost().catch(() => undefined);
    }
    await rollAll();
    expect(await rollUp({ log, tables: home.tables })()).toBe(false);
    let [points, differences] = [0, 0];
    for (let n = 0; n < 12; n += 1) {
      const asked = randomRange(random, { ...span, days: n < 5 ? 3 : 60 });
      const question = questionOf(asked);
      const brute = bruteOf(mine, asked);
      const counts = (await countEvents(store, question, {}, null)).get('') ?? new Map();
      const people = await countPeople(store, question);
      const text = (map: ReadonlyMap<string, number>): string => JSON.stringify([...map].sort());
      points += brute.counts.size + brute.people.size + 1;
      if (text(counts) !== text(brute.counts) || text(people.points) !== text(brute.people)) differences += 1;
      if (people.people !== brute.everybody) differences += 1;
      expect(differences, `seed ${seed}, ${asked.name}`).toBe(0);
    }
    console.log(`roll-ups: ${points} points of 12 questions compared: differences ${differences}`);
  });

  it('concurrent roll-ups of two processes count every event once', async () => {
    const second = await openDatabase({ url: home.url, durability: 'process' });
    const theirs = rollUp({
      log: followedLog({ storage: second.storage, tables: home.tables }),
      tables: home.tables,
      slice: 7,
    });
    const ours = rollUp({ log, tables: home.tables, slice: 7 });
    for (let n = 0; n < 5; n += 1) {
      await put(Array.from({ length: 40 }, (_, at) => of(`u:${at}`)));
      // On one SQLite file, a single process would deadlock waiting for its own lock.
      if (home.dialect === 'sqlite') for (const step of [ours, theirs, theirs]) await step();
      else await Promise.all([ours(), theirs(), ours(), theirs()]);
    }
    await rollAll();
    await second.storage.close();
    expect((await eventCounts(store, today(), {})).totals.events).toBe(200);
    expect(await countPeople(store, today())).toMatchObject({ people: 40, level: 0 });
  });

  it('groups are by name, module and source, largest first', async () => {
    const events = ['a', 'b', 'b', 'c', 'c', 'c'].map((eventType) => ({ ...of('u:1'), eventType }));
    await put([...events, { ...of('u:1'), eventType: 'c', module: 'web', source: 'system' as const }]);
    await rollAll();
    const at = '2026-11-01';
    expect(await eventCounts(store, today(), { groupBy: 'eventType' })).toMatchObject({
      series: [
        { key: 'c', points: [[at, 4]] },
        { key: 'b', points: [[at, 2]] },
        { key: 'a', points: [[at, 1]] },
      ],
      totals: { events: 7, others: 0 },
    });
    expect(await eventCounts(store, today(), { groupBy: 'module', eventType: 'c' })).toMatchObject({
      series: [
        { key: 'app', points: [[at, 3]] },
        { key: 'web', points: [[at, 1]] },
      ],
      totals: { events: 4 },
    });
    expect((await eventCounts(store, today(), { groupBy: 'source' })).series.map(({ key }) => key)).toEqual([
      'customer',
      'system',
    ]);
  });

  it('events that reuse positions of erased ones are counted', async () => {
    await put([of('u:1'), of('u:2'), of('u:3')]);
    await rollAll();
    const person = `u:${personKey(scope, 'u:3')}`;
    // A row of the world above, whose profile is named after its key.
    await home.storage.db.update(home.tables.events).set({ personKey: personKey(scope, person) });
    await eventStore(home).erase(scope, [person], 10);
    await put([of('u:4'), of('u:5')]);
    await rollAll();
    expect((await eventCounts(store, today(), {})).totals.events).toBe(5);
  });

  it('erased users are in no sample, and event counts stay', async () => {
    await put([of('u:1'), of('u:2'), of('u:2', new Date('2026-10-30T00:00:00Z')), of('u:3')]);
    await rollAll();
    const eraser = sampleEraser({ storage: home.storage, tables: home.tables, log });
    const person = { scope, userId: '2', people: ['u:2', 'a:9'], addresses: [] };
    expect(await eraser.begin(person)()).toEqual({ rows: 2, isMore: false });
    expect(await eraser.begin(person)()).toEqual({ rows: 0, isMore: false });
    expect(await countPeople(store, today())).toMatchObject({ people: 2 });
    expect((await eventCounts(store, today(), {})).totals.events).toBe(4);
  });

  it('expired roll-ups are deleted', async () => {
    await put([of('u:1', new Date('2026-01-01T00:00:00Z')), of('u:2')]);
    await rollAll();
    const before = hourOf(quarterOf(new Date('2026-06-01').getTime()));
    expect(await store.forget(other, before, 10)).toBe(0);
    expect(await store.forget(scope, before, 10)).toBe(2);
    expect(await store.forget(scope, before, 10)).toBe(0);
    expect((await eventCounts(store, today(), {})).totals.events).toBe(1);
  });
});
