import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { countingProcess } from '../../../../test/support/audiences/counting/counting-process.ts';
import { parsePredicate } from '../../../../test/support/audiences/predicate/parse.ts';
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { testScope } from '../../../../test/support/scopes.ts';
import { type VirtualClock, virtualClock } from '../../../foundation/clock.ts';
import { scopeOf } from '../../../foundation/scope.ts';
import { tallyKey } from '../predicate/facts.ts';
import { mentions } from '../predicate/mentions.ts';
import type { EventLeaf } from '../predicate/types.ts';
import { SETTLED_MS } from './counters.ts';

const scope = testScope({ orgId: 'o', projectId: 'counting', environment: 'prod' });
const START = '2026-03-01T10:00:00.000Z';
const at = (minutes: number): string => new Date(Date.parse(START) - minutes * 60_000).toISOString();
const ago = (...minutes: readonly number[]): readonly number[] => minutes.map((one) => Date.parse(at(one)));
const leafOf = (given: object): EventLeaf =>
  // Safe: one leaf with an event.
  parsePredicate({ event: 'order', op: 'performed', ...given }) as EventLeaf;

describe('event counters', () => {
  let database: TestDatabase;
  let clock: VirtualClock;
  beforeEach(async () => {
    clock = virtualClock(START);
    database = await openTestDatabase();
  });
  afterEach(() => database.close());
  const did = (
    { events }: ReturnType<typeof countingProcess>,
    who: { userId?: string; anonymousId?: string },
    minutes: number,
    eventType = 'order',
    properties = {},
  ) => events.track(scope, { module: 'm', eventType, ...who, timestamp: at(minutes), properties });
  const ann = { userId: 'ann' };

  it('events are counted in the commit that stores them, with the newest times by timestamp', async () => {
    const process = countingProcess(database, clock);
    await process.fillAll(scope, new Map([['order', 2]]));
    for (const minutes of [5, 1, 9]) await did(process, ann, minutes);
    await did(process, ann, 1, 'view');
    expect(await process.counted(scope)).toEqual(new Map([['u:ann order', { total: 3, recent: ago(1, 5) }]]));
    expect(process.lastTallies(scope, 'u:ann', 'order')).toMatchObject({ total: 3 });
    expect(process.lastTallies(scope, 'u:ann', 'view')).toBeNull();
    expect(process.lastTallies(scope, 'u:bob', 'order')).toEqual({ total: 0, recent: [] });
  });

  it('several events of one profile in a batch are counted, and a duplicate once', async () => {
    const process = countingProcess(database, clock);
    await process.fillAll(scope, new Map([['order', 3]]));
    const one = { module: 'm', eventType: 'order', userId: 'ann', messageId: 'm1', timestamp: at(3) };
    await process.events.batch(scope, [one, one, { ...one, messageId: 'm2', timestamp: at(2) }]);
    await process.events.track(scope, one).catch(() => undefined);
    expect(await process.counted(scope)).toEqual(new Map([['u:ann order', { total: 2, recent: ago(2, 3) }]]));
  });

  it("counters of an anonymous profile are merged into the user's", async () => {
    const process = countingProcess(database, clock);
    await process.fillAll(scope, new Map([['order', 3]]));
    await did(process, { anonymousId: 'a1' }, 4);
    await did(process, { anonymousId: 'a1' }, 2);
    await did(process, ann, 3);
    await process.events.identify(scope, { ...ann, anonymousId: 'a1', traits: {} });
    expect(process.lastTallies(scope, 'u:ann', 'order')).toEqual({ total: 3, recent: ago(2, 3, 4) });
    expect(await process.counted(scope)).toEqual(new Map([['u:ann order', { total: 3, recent: ago(2, 3, 4) }]]));
  });

  it('a backfill includes events of merged profiles that have not moved yet', async () => {
    const process = countingProcess(database, clock);
    for (const minutes of [7, 3]) await did(process, ann, minutes);
    // On SQLite some are in the index over profiles then, and others are not.
    await process.events.catchUp();
    await did(process, ann, 5);
    await did(process, { anonymousId: 'a1' }, 4);
    await did(process, { anonymousId: 'a2' }, 6);
    await process.events.identify(scope, { ...ann, anonymousId: 'a1', traits: {} });
    expect(await process.counted(scope)).toEqual(new Map());
    await process.fillAll(scope, new Map([['order', 3]]));
    const all = new Map([
      ['u:ann order', { total: 4, recent: ago(3, 4, 5) }],
      ['a:a2 order', { total: 1, recent: ago(6) }],
    ]);
    expect(await process.counted(scope)).toEqual(all);
    while (await process.profiles.moveMerged({ devices: async () => undefined, events: process.events.move }));
    await process.fillAll(scope, new Map([['order', 4]]));
    expect((await process.counted(scope)).get('u:ann order')).toEqual({ total: 4, recent: ago(3, 4, 5, 7) });
  });

  it('counters are unknown until backfilled, and the backfill waits until every process counts', async () => {
    const process = countingProcess(database, clock);
    await did(process, ann, 5);
    const asked = { events: new Map([['order', 0]]) };
    const from = new Date(clock.now().getTime() + SETTLED_MS);
    expect(await process.counters.fill(scope, asked)).toEqual(from);
    expect(await process.counters.fill(scope, asked)).toEqual(from);
    await did(process, ann, 4);
    expect(process.lastTallies(scope, 'u:ann', 'order')).toBeNull();
    clock.advance(SETTLED_MS);
    await process.counters.fill(scope, asked);
    expect(await process.counters.fill(scope, asked)).toBeNull();
    await did(process, ann, 3);
    expect(process.lastTallies(scope, 'u:ann', 'order')).toEqual({ total: 3, recent: ago(3) });
  });

  it('backfilled counters equal the log, whatever is stored meanwhile', async () => {
    const other = countingProcess(database, clock);
    let more = 3;
    const filling = countingProcess(database, clock, {
      // Between the reads and the writes of the backfill.
      beforeCommit: async () => {
        if (more-- > 0) await did(other, ann, more);
      },
    });
    await did(other, ann, 9);
    await filling.fillAll(scope, new Map([['order', 9]]));
    expect(more).toBeLessThan(0);
    expect(await filling.counted(scope)).toEqual(new Map([['u:ann order', { total: 4, recent: ago(0, 1, 2, 9) }]]));
  });

  it('a backfill fails if another process counted the event meanwhile', async () => {
    const [one, other] = [countingProcess(database, clock), countingProcess(database, clock)];
    await one.fillAll(scope, new Map([['order', 20]]));
    await did(other, ann, 20);
    await Promise.all(Array.from({ length: 10 }, (_, index) => did(index % 2 ? one : other, ann, index)));
    const counted = (await one.counted(scope)).get('u:ann order');
    expect(counted).toEqual({ total: 11, recent: ago(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 20) });
  });

  it('unused counters are deleted, and counted again when an audience needs them', async () => {
    const process = countingProcess(database, clock);
    await process.fillAll(scope, new Map([['order', 1]]));
    await did(process, ann, 3);
    await process.counters.fill(scope, { events: new Map() });
    await did(process, ann, 2);
    expect(process.lastTallies(scope, 'u:ann', 'order')).toBeNull();
    await process.fillAll(scope, new Map([['order', 1]]));
    expect(await process.counted(scope)).toEqual(new Map([['u:ann order', { total: 2, recent: ago(2) }]]));
  });

  it('tallies without counters, and with conditions on properties, come from the log', async () => {
    const process = countingProcess(database, clock);
    for (const [minutes, total] of [
      [1, 5],
      [2, 50],
      [3, 20],
      [90, 60],
    ] as const)
      await did(process, ann, minutes, 'order', { cart: { total } });
    await did(process, { userId: 'bob' }, 1);
    const where = [
      { path: 'cart.total', op: 'gte', value: 20 },
      { path: 'cart.total', op: 'neq', value: 5 },
    ];
    const leaves = [
      leafOf({ where, count: { gte: 9 } }),
      leafOf({ where, within: { n: 1, unit: 'hours' }, count: { gte: 2 } }),
    ];
    const asked = mentions({ any: [...leaves, leafOf({ within: { n: 1, unit: 'days' }, count: { gte: 3 } })] });
    const tallies = await process.counters.ofPeople(scope, ['u:ann', 'u:bob', 'u:cy'], asked);
    const told = (person: string) => [...leaves.map(tallyKey), 'order'].map(tallies({ ...scopeOf(scope), person }));
    expect(told('u:ann')).toEqual([
      { total: 3, recent: ago(2, 3, 90) },
      { total: 2, recent: ago(2, 3) },
      { total: 4, recent: ago(1, 2, 3) },
    ]);
    expect(told('u:bob').map((tally) => tally?.total)).toEqual([0, 0, 1]);
    expect(told('u:cy').map((tally) => tally?.total)).toEqual([0, 0, 0]);
  });

  it('tallies of a batch for leaves with conditions combine the log and the batch', async () => {
    const leaf = leafOf({
      where: [
        { path: 'sku', op: 'eq', value: 'x' },
        { path: 'size', op: 'not_set' },
      ],
    });
    const process = countingProcess(database, clock, { logLeaves: [leaf] });
    await did(process, ann, 5, 'order', { sku: 'x' });
    expect(process.lastTallies(scope, 'u:ann', tallyKey(leaf))).toMatchObject({ total: 1 });
    await did(process, ann, 4, 'order', { sku: 'y', size: 1 });
    await did(process, { anonymousId: 'a1' }, 3, 'order', { sku: 'x' });
    await process.events.identify(scope, { ...ann, anonymousId: 'a1', traits: {} });
    expect(process.lastTallies(scope, 'u:ann', tallyKey(leaf))).toMatchObject({ total: 2 });
    await did(process, ann, 2, 'order', { sku: 'x', size: 1 });
    expect(process.lastTallies(scope, 'u:ann', tallyKey(leaf))).toMatchObject({ total: 2 });
  });

  it('erasing a user deletes the counters', async () => {
    const process = countingProcess(database, clock);
    await process.fillAll(scope, new Map([['order', 1]]));
    await did(process, ann, 3);
    await did(process, { userId: 'bob' }, 2);
    expect(await process.counters.erase(scope, ['u:ann'])).toBe(1);
    expect([...(await process.counted(scope)).keys()]).toEqual(['u:bob order']);
  });
});
