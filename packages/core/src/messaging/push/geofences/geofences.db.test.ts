import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { geofenceWorld } from '../../../../test/support/push/geofences/world.ts';
import { uuidV7Ids } from '../../../foundation/ids.ts';
import { geofencesEngine } from './geofences.ts';

const shop = { name: 'Shop', lat: 51.0543001, lng: 3.7174, radiusMeters: 200 };

describe('geofences', () => {
  let database: TestDatabase;
  let world: Awaited<ReturnType<typeof geofenceWorld>>;
  beforeEach(async () => {
    database = await openTestDatabase();
    world = await geofenceWorld(database.url);
  });
  afterEach(async () => {
    await world.beckon.close();
    await database.close();
  });

  it('geofences are created, listed, changed and deleted per environment', async () => {
    const { geofences } = world.beckon;
    const made = await geofences.create(world.scope, { ...shop, data: { shop: 17 } });
    expect(made).toMatchObject({ lat: 51.0543, transitions: ['entered', 'exited', 'dwelled'], dwellSeconds: null });
    expect(await geofences.get(world.scope, made.id)).toEqual(made);
    const changed = await geofences.update(world.scope, made.id, { radiusMeters: 300, data: null });
    expect(changed).toMatchObject({ name: 'Shop', radiusMeters: 300, data: null });
    expect((await geofences.list(world.scope)).data).toEqual([changed]);
    expect((await geofences.list(world.other)).data).toEqual([]);
    await expect(geofences.get(world.other, made.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(geofences.delete(world.other, made.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await geofences.delete(world.scope, made.id);
    await expect(geofences.get(world.scope, made.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('a device gets the nearest geofences first, and changes later', async () => {
    const { geofences } = world.beckon;
    const ghent = await geofences.create(world.scope, shop);
    const paris = await geofences.create(world.scope, { ...shop, name: 'Paris', lat: 48.8566, lng: 2.3522 });
    const { data: near } = await geofences.nearest(world.scope, { lat: 48.9, lng: 2.3 });
    expect(near.map(({ id, distanceMeters }) => [id, Math.round(distanceMeters / 1_000)])).toEqual([
      [paris.id, 6],
      [ghent.id, 260],
    ]);
    expect((await geofences.nearest(world.scope, { lat: 48.9, lng: 2.3, limit: 1 })).data).toHaveLength(1);
    await geofences.delete(world.scope, paris.id);
    expect((await geofences.nearest(world.scope, { lat: 48.9, lng: 2.3 })).data.map(({ id }) => id)).toEqual([
      ghent.id,
    ]);
    expect((await geofences.nearest(world.other, { lat: 48.9, lng: 2.3 })).data).toEqual([]);
  });

  it('a crossing is an event of its user, counted once a minute, and starts workflows', async () => {
    const { beckon, scope, clock } = world;
    const { id } = await beckon.geofences.create(scope, { ...shop, transitions: ['entered', 'exited'] });
    await beckon.workflows.create(scope, {
      name: 'Welcome',
      isActive: true,
      trigger: { eventType: 'geofence.entered', filters: { geofenceName: 'Shop' } },
      steps: [{ type: 'wait', config: { minutes: 1 } }],
    });
    const report = (transition: 'enter' | 'exited' | 'dwell', userId = 'ann') =>
      beckon.geofences.report(scope, { geofenceId: id, transition, userId, location: { lat: 51, lng: 3 } });
    expect(await report('enter')).toEqual({ accepted: true });
    clock.advance(59_999);
    await report('enter');
    await report('exited');
    await report('dwell');
    await report('enter', 'bob');
    clock.advance(1);
    await report('enter');
    await beckon.worker.drain();
    const events = (await beckon.events.list(scope, {})).data.filter(({ module }) => module === 'geofence');
    expect(events.map(({ eventType, userId, source }) => `${eventType} ${userId} ${source}`).sort()).toEqual([
      'geofence.entered ann system',
      'geofence.entered ann system',
      'geofence.entered bob system',
      'geofence.exited ann system',
    ]);
    expect((await beckon.runs.list(scope)).data).toHaveLength(3);
  });

  it('continuous crossings count once a minute, from the last counted report', async () => {
    const { beckon, scope, clock } = world;
    const { id } = await beckon.geofences.create(scope, shop);
    const counted: number[] = [];
    const start = clock.now().getTime();
    for (const at of [0, 1, 59_999, 60_000, 60_001, 119_999, 120_000, 240_000, 299_999, 300_000]) {
      clock.set(new Date(start + at));
      const before = (await beckon.events.list(scope, {})).data.length;
      await beckon.geofences.report(scope, { geofenceId: id, transition: 'entered', userId: 'ann' });
      if ((await beckon.events.list(scope, {})).data.length > before) counted.push(at);
    }
    expect(counted).toEqual([0, 60_000, 120_000, 240_000, 300_000]);
    // A clock that was set back does not suppress reports until it has caught up.
    clock.set(new Date(start + 299_999));
    await beckon.geofences.report(scope, { geofenceId: id, transition: 'entered', userId: 'ann' });
    expect((await beckon.events.list(scope, {})).data).toHaveLength(6);
  });

  it('racing reports of the next minute count once', async () => {
    const { beckon, scope, clock } = world;
    const { id } = await beckon.geofences.create(scope, shop);
    const report = () => beckon.geofences.report(scope, { geofenceId: id, transition: 'entered', userId: 'ann' });
    await report();
    clock.advance(60_000);
    await Promise.all(Array.from({ length: 10 }, report));
    expect((await beckon.events.list(scope, {})).data).toHaveLength(2);
  });

  it('racing reports of the first crossing count once', async () => {
    const { beckon, scope } = world;
    const { id } = await beckon.geofences.create(scope, shop);
    const report = () => beckon.geofences.report(scope, { geofenceId: id, transition: 'entered', userId: 'ann' });
    await Promise.all(Array.from({ length: 10 }, report));
    expect((await beckon.events.list(scope, {})).data).toHaveLength(1);
  });

  it('a crossing belongs to the user of the device; an unknown device is rejected', async () => {
    const { beckon, scope } = world;
    const { id } = await beckon.geofences.create(scope, shop);
    const { token } = await beckon.tokens.register(scope, { token: 'phone', platform: 'android', userId: 'ann' });
    await beckon.events.identify(scope, { userId: 'ann', traits: {} });
    const report = (about: object) =>
      beckon.geofences.report(scope, { geofenceId: id, transition: 'entered', ...about });
    await report({ tokenId: token.id });
    expect((await beckon.profiles.events(scope, 'ann')).data).toMatchObject([
      { eventType: 'geofence.entered' },
      { eventType: 'user.identified' },
    ]);
    const stranger = { tokenId: '0197a000-0000-7000-8000-0000000000e1' };
    await expect(report(stranger)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(report({})).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(report({ userId: 'a', geofenceId: stranger.tokenId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('crossings are deleted after their time and when the user is erased', async () => {
    const { storage, tables } = database;
    const { clock, scope } = world;
    const silent = () => ({ writes: [], wakes: [] });
    const engine = geofencesEngine({
      storage,
      tables,
      clock,
      ids: uuidV7Ids(clock),
      emitter: { load: async () => ({ hasSubscribers: () => false, emit: silent, publish: silent }) },
      userOf: async () => null,
      ownerOf: async () => null,
    });
    const people = async () => (await storage.db.select().from(tables.geofenceCrossings)).map(({ person }) => person);
    const { id } = await engine.api.create(scope, shop);
    for (const userId of ['ann', 'bob'])
      await engine.api.report(scope, { geofenceId: id, transition: 'entered', userId });
    await engine.eraser.begin({ scope, userId: 'ann', people: ['u:ann'], addresses: [] })();
    expect(await people()).toEqual(['u:bob']);
    clock.advance(3_600_000);
    expect(await engine.sweep()).toBe(false);
    expect(await people()).toEqual(['u:bob']);
    clock.advance(1);
    await engine.sweep();
    expect(await people()).toEqual([]);
  });
});
