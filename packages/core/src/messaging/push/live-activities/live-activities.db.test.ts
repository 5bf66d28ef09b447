import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { geofenceWorld } from '../../../../test/support/push/geofences/world.ts';
import type { OutboxMessage } from '../../../delivery/transports/sandbox/answers.generated.ts';

const TOKEN = 'ab'.repeat(32);
const registration = { userId: 'ann', activityType: 'Order', externalId: 'order-17', pushToken: TOKEN };
const start = {
  activityType: 'Order',
  externalId: 'order-17',
  attributesType: 'OrderAttributes',
  attributes: { order: '17' },
  contentState: { step: 1 },
  alert: { title: 'Your order', body: 'It is packed.' },
};

describe('live activities', () => {
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

  /** The requests that APNs would have got, oldest first. */
  const apnsRequests = async () => {
    await world.beckon.worker.drain();
    const { data } = await world.beckon.outbox.list(world.scope, { channel: 'push' });
    const requests = data.toReversed().map((one: OutboxMessage) => 'request' in one.content && one.content.request);
    return requests.map((request) => {
      if (!request) throw new Error('no request was kept');
      // Safe: the payload of APNs.
      return { headers: request.headers, aps: (request.payload as { aps: Record<string, unknown> }).aps };
    });
  };
  const events = async () =>
    (await world.beckon.events.list(world.scope, {})).data
      .filter(({ eventType }) => eventType.startsWith('push.live_activity_'))
      .map(({ eventType, userId }) => `${eventType} ${userId}`)
      .sort();

  it('an activity starts, updates and ends on its registered device with increasing timestamps', async () => {
    const { beckon, scope, clock } = world;
    const { liveActivities } = beckon;
    const { activity } = await liveActivities.registerToken(scope, registration);
    expect(activity).toMatchObject({ externalId: 'order-17', userId: 'ann', status: 'active', updates: 0 });
    await liveActivities.update(scope, 'order-17', { contentState: { step: 2 } });
    await liveActivities.update(scope, 'order-17', { contentState: { step: 3 }, priority: 10 });
    const ended = await liveActivities.end(scope, 'order-17', {
      contentState: { step: 4 },
      dismissalDate: clock.now().toISOString(),
    });
    expect(ended).toMatchObject({ isPending: false, activities: [{ status: 'ended', updates: 3 }] });
    const now = clock.now().getTime() / 1_000;
    const pushes = await apnsRequests();
    expect(pushes.map(({ aps }) => aps)).toEqual([
      { timestamp: now, event: 'update', 'content-state': { step: 2 } },
      { timestamp: now + 1, event: 'update', 'content-state': { step: 3 } },
      { timestamp: now + 2, event: 'end', 'content-state': { step: 4 }, 'dismissal-date': now },
    ]);
    expect(pushes[0]?.headers).toMatchObject({ 'apns-push-type': 'liveactivity', 'apns-priority': '5' });
    expect(String(pushes[0]?.headers['apns-topic'])).toMatch(/\.push-type\.liveactivity$/);
    expect(pushes[1]?.headers['apns-priority']).toBe('10');
    expect(await events()).toEqual([
      'push.live_activity_ended ann',
      'push.live_activity_started ann',
      'push.live_activity_updated ann',
      'push.live_activity_updated ann',
    ]);
    // The activity ended, so this update waits for another device.
    expect(await liveActivities.update(scope, 'order-17', { contentState: {} })).toMatchObject({ isPending: true });
  });

  it('a device that registers an app-started activity raises push.live_activity_started once', async () => {
    const { beckon, scope } = world;
    await beckon.liveActivities.registerToken(scope, registration);
    await beckon.liveActivities.registerToken(scope, { ...registration, pushToken: 'cd'.repeat(32), activityId: 'A1' });
    await beckon.liveActivities.registerToken(scope, registration);
    const { data } = await beckon.events.list(scope, {});
    expect(data.map(({ eventType, userId }) => [eventType, userId])).toEqual([
      ['push.live_activity_started', 'ann'],
      ['push.live_activity_started', 'ann'],
    ]);
    expect(data.at(-1)?.properties).toEqual({
      activityType: 'Order',
      externalId: 'order-17',
      activityId: expect.any(String),
      origin: 'device',
    });
  });

  it('an activity started by Beckon raises it once; the registration of its token is no second start', async () => {
    const { beckon, scope } = world;
    const { externalId: _, ...starter } = { ...registration, kind: 'push_to_start' } as const;
    await beckon.liveActivities.registerToken(scope, starter);
    expect(await events()).toEqual([]);
    await beckon.liveActivities.start(scope, { ...start, userIds: ['ann'] });
    await beckon.worker.drain();
    await beckon.liveActivities.registerToken(scope, { ...registration, pushToken: 'ef'.repeat(32) });
    expect(await events()).toEqual(['push.live_activity_started ann']);
  });

  it('activities are started remotely for the members of an audience', async () => {
    const { beckon, scope } = world;
    const { externalId: _, ...starter } = { ...registration, kind: 'push_to_start' } as const;
    await beckon.liveActivities.registerToken(scope, starter);
    await beckon.liveActivities.registerToken(scope, { ...starter, userId: 'bob', pushToken: 'cd'.repeat(32) });
    const { id: audienceId } = await beckon.audiences.create(scope, { name: 'Those who order' });
    await beckon.audiences.addMembers(scope, audienceId, { userIds: ['ann', 'cat'] });
    expect(await beckon.liveActivities.start(scope, { ...start, audienceId })).toMatchObject({ devices: 1 });
    expect(await apnsRequests()).toHaveLength(1);
    const refused = { code: 'VALIDATION_ERROR', details: { fieldErrors: { audienceId: [expect.any(String)] } } };
    const { id: theirs } = await beckon.audiences.create(world.other, { name: 'Theirs' });
    await expect(beckon.liveActivities.start(scope, { ...start, audienceId: theirs })).rejects.toMatchObject(refused);
    for (const recipients of [{}, { audienceId, userIds: ['ann'] }])
      await expect(beckon.liveActivities.start(scope, { ...start, ...recipients })).rejects.toMatchObject({
        details: { fieldErrors: { userIds: [expect.any(String)] } },
      });
  });

  it('activities are started remotely on devices with a start token of their type', async () => {
    const { beckon, scope } = world;
    const { liveActivities } = beckon;
    const { externalId: _, ...starter } = { ...registration, kind: 'push_to_start' } as const;
    await liveActivities.registerToken(scope, starter);
    await liveActivities.registerToken(scope, { ...starter, pushToken: 'cd'.repeat(32), activityType: 'Match' });
    expect(await liveActivities.start(scope, { ...start, userIds: ['ann', 'bob'] })).toMatchObject({ devices: 1 });
    const pushes = await apnsRequests();
    expect(pushes.map(({ aps }) => aps)).toMatchObject([
      {
        event: 'start',
        'attributes-type': 'OrderAttributes',
        attributes: { order: '17' },
        'content-state': { step: 1 },
        alert: start.alert,
        'input-push-token': 1,
      },
    ]);
    expect(await events()).toEqual(['push.live_activity_started ann']);
    expect(await liveActivities.start(scope, { ...start, userIds: ['bob'] })).toMatchObject({
      sendId: null,
      devices: 0,
    });
  });

  it('an update before any token is kept, replaced by newer ones, and sent to the first device', async () => {
    const { liveActivities } = world.beckon;
    for (const step of [1, 2])
      expect(await liveActivities.update(world.scope, 'order-17', { contentState: { step } })).toMatchObject({
        isPending: true,
        activities: [],
      });
    await liveActivities.registerToken(world.scope, registration);
    await liveActivities.registerToken(world.scope, { ...registration, pushToken: 'cd'.repeat(32) });
    expect((await apnsRequests()).map(({ aps }) => aps['content-state'])).toEqual([{ step: 2 }]);
  });

  it('a dead token ends the activity on its device only', async () => {
    const { beckon, scope } = world;
    const { liveActivities } = beckon;
    await beckon.tokens.register(scope, { token: 'fcm:ann', platform: 'android', userId: 'ann' });
    await liveActivities.registerToken(scope, registration);
    await liveActivities.registerToken(scope, { ...registration, pushToken: 'sandbox-dead-1' });
    await liveActivities.update(scope, 'order-17', { contentState: { step: 2 } });
    await beckon.worker.drain();
    const statuses = (await liveActivities.list(scope)).data.map(({ status }) => status).sort();
    expect(statuses).toEqual(['active', 'invalidated']);
    expect(await events()).toEqual([
      'push.live_activity_invalidated ann',
      'push.live_activity_started ann',
      'push.live_activity_started ann',
      'push.live_activity_updated ann',
    ]);
    await beckon.events.identify(scope, { userId: 'ann', traits: {} });
    expect((await beckon.profiles.get(scope, 'ann')).tokens).toMatchObject([{ isActive: true }]);
    const next = await liveActivities.update(scope, 'order-17', { contentState: { step: 3 } });
    expect((await beckon.sends.get(scope, 'push', next.sendId ?? '')).tokenCount).toBe(1);
  });

  it('a device whose activity token changes is updated by the new token', async () => {
    const { beckon, scope } = world;
    const register = async (activityId: string | undefined, byte: string) =>
      (await beckon.liveActivities.registerToken(scope, { ...registration, activityId, pushToken: byte.repeat(32) }))
        .activity;
    const startEvents = async () => {
      const sent = await beckon.liveActivities.update(scope, 'order-17', { contentState: {} });
      const { data } = await beckon.sends.messages(scope, 'push', sent.sendId ?? '');
      return data.map(({ address }) => address).sort();
    };
    // The app updated meanwhile: its first registration had no activity id.
    const first = await register(undefined, '01');
    for (const byte of ['01', '02', '03']) expect(await register('phone', byte)).toMatchObject({ id: first?.id });
    await register('tablet', '04');
    expect(await startEvents()).toEqual(['03'.repeat(32), '04'.repeat(32)]);
    expect(await register('phone', '05')).toMatchObject({ id: first?.id, updates: 1 });
    expect(await startEvents()).toEqual(['04'.repeat(32), '05'.repeat(32)]);
  });

  it('an activity with a new token survives the death of its old token', async () => {
    const { beckon, scope } = world;
    const { liveActivities } = beckon;
    const register = (pushToken: string) =>
      liveActivities.registerToken(scope, { ...registration, activityId: 'phone', pushToken });
    const status = async () => (await liveActivities.list(scope)).data.map((one) => one.status);
    const update = (step: number) => liveActivities.update(scope, 'order-17', { contentState: { step } });
    await register('sandbox-dead-1');
    await update(1);
    await register('sandbox-dead-2');
    await beckon.worker.drain();
    expect(await status()).toEqual(['active']);
    expect(await events()).toEqual(['push.live_activity_started ann']);
    await update(2);
    await beckon.worker.drain();
    expect(await status()).toEqual(['invalidated']);
    expect(await update(3)).toMatchObject({ isPending: true });
    await register(TOKEN);
    expect(await status()).toEqual(['active']);
    expect((await apnsRequests()).map(({ aps }) => aps['content-state'])).toContainEqual({ step: 3 });
  });

  it('two concurrent updates get two timestamps', async () => {
    const { beckon, scope } = world;
    await beckon.liveActivities.registerToken(scope, registration);
    const update = (step: number) => beckon.liveActivities.update(scope, 'order-17', { contentState: { step } });
    await Promise.all([1, 2, 3].map(update));
    const stamps = (await apnsRequests()).map(({ aps }) => aps['timestamp']);
    expect(new Set(stamps).size).toBe(3);
  });

  it('activities are listed per environment, stale after their date and ended when the system ended them', async () => {
    const { beckon, scope, other, clock } = world;
    const { liveActivities } = beckon;
    await liveActivities.registerToken(scope, registration);
    await liveActivities.registerToken(scope, {
      ...registration,
      userId: 'bob',
      externalId: 'match',
      activityType: 'M',
    });
    const staleDate = new Date(clock.now().getTime() + 60_000).toISOString();
    for (const never of ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59-12:00'])
      await expect(liveActivities.update(scope, 'match', { contentState: {}, staleDate: never })).rejects.toMatchObject(
        { details: { fieldErrors: { staleDate: [expect.any(String)] } } },
      );
    await liveActivities.update(scope, 'match', { contentState: {}, staleDate });
    expect((await liveActivities.list(scope, { userId: 'bob' })).data).toMatchObject([{ status: 'active' }]);
    clock.advance(60_000);
    expect((await liveActivities.list(scope, { activityType: 'M' })).data).toMatchObject([{ status: 'stale' }]);
    const standing = async (status: 'active' | 'stale') =>
      (await liveActivities.list(scope, { status })).data.map((one) => [one.externalId, one.status]);
    expect(await standing('stale')).toEqual([['match', 'stale']]);
    expect(await standing('active')).toEqual([[registration.externalId, 'active']]);
    expect((await liveActivities.list(other)).data).toEqual([]);
    clock.advance(12 * 3_600_000);
    await beckon.worker.drain();
    expect((await liveActivities.list(scope, { status: 'ended' })).data).toHaveLength(2);
  });

  it('alert texts are made storable in both databases', async () => {
    const { beckon, scope } = world;
    const { liveActivities } = beckon;
    const alert = { title: 'half \ud83d', body: 'none \0' };
    await liveActivities.update(scope, 'order-17', { contentState: {}, alert });
    await liveActivities.registerToken(scope, registration);
    await liveActivities.registerToken(scope, { ...registration, kind: 'push_to_start', pushToken: 'cd'.repeat(32) });
    await liveActivities.start(scope, { ...start, userIds: ['ann'], alert });
    const kept = { title: 'half \ufffd', body: 'none \ufffd' };
    expect((await apnsRequests()).map(({ aps }) => aps['alert'])).toEqual([kept, kept]);
  });

  it('activities are rejected without APNs, and so is an invalid token', async () => {
    const { liveActivities } = world.beckon;
    const refused = { code: 'PROVIDER_NOT_CONFIGURED' };
    await expect(liveActivities.update(world.other, 'order-17', { contentState: {} })).rejects.toMatchObject(refused);
    await expect(liveActivities.start(world.other, { ...start, userIds: ['ann'] })).rejects.toMatchObject(refused);
    for (const pushToken of ['sandbox-dead-1', '../x', 'ab'])
      await expect(liveActivities.registerToken(world.other, { ...registration, pushToken })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      });
  });
});
