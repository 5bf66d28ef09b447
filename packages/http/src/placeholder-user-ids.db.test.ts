import { type Beckon, createBeckon, newMasterKey, type Scope, virtualClock } from '@beckon/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../core/test/support/database.ts';
import { createHandler, type Handler } from './index.ts';

const PLACEHOLDERS = [
  ...['undefined', 'null', 'NaN', '[object Object]', 'None', 'nil', 'true', 'false', '0', '-1', 'anonymous', 'guest'],
  ...['UNDEFINED', ' Null\t', ' ', '\u2003', '\u0007', '\u00a0undefined'],
];
const KINDS = ['public', 'secret'] as const;
const start = '2026-03-01T10:00:00.000Z';
const MINUTE = 60_000;

describe('placeholder user ids', () => {
  const clock = virtualClock(start);
  const counted: string[] = [];
  const lines: Readonly<Record<string, unknown>>[] = [];
  let database: TestDatabase;
  let beckon: Beckon;
  let handler: Handler;
  let scope: Scope;
  let keys: Readonly<Record<(typeof KINDS)[number], string>>;
  beforeAll(async () => {
    database = await openTestDatabase();
    const silent = () => undefined;
    beckon = await createBeckon({
      ...{ db: database.url, masterKey: newMasterKey(), clock },
      meter: {
        count: (name, by, labels) => {
          if (name === 'placeholders') counted.push(`${by} ${JSON.stringify(labels)}`);
        },
        time: silent,
      },
      log: { info: silent, error: silent, warn: (fields) => lines.push(fields) },
    });
    handler = createHandler(beckon, { clock });
  });
  beforeEach(async () => {
    clock.advance(MINUTE);
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
    const keyOf = async (kind: (typeof KINDS)[number]) =>
      (await beckon.tenancy.createKey({ kind, environment: 'test', grants: [{ orgId, projectId }] })).secret;
    keys = { public: await keyOf('public'), secret: await keyOf('secret') };
    counted.length = 0;
    lines.length = 0;
  });
  afterAll(async () => {
    await beckon.close();
    await database.close();
  });

  const post = async (path: string, kind: (typeof KINDS)[number], body: unknown) => {
    const answer = await handler.fetch(
      new Request(`http://127.0.0.1/api/v1${path}`, {
        method: 'POST',
        headers: { 'x-api-key': keys[kind], 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    );
    // Safe: the envelope of every answer.
    const json = (await answer.json()) as {
      data?: Record<string, unknown>;
      error?: { details?: { fieldErrors?: Record<string, unknown> } };
    };
    return { status: answer.status, data: json.data, fields: Object.keys(json.error?.details?.fieldErrors ?? {}) };
  };
  const event = (fields: object) => ({ module: 'app', eventType: 'seen', ...fields });
  const users = async () => (await beckon.profiles.list(scope)).data.map(({ userId }) => userId);
  const stored = async () =>
    (await beckon.events.list(scope, { limit: 200 })).data.map(({ userId, anonymousId }) => [userId, anonymousId]);

  it.each(KINDS)(
    'a placeholder user id of an event with a %s key is dropped for its anonymousId, and rejected without one',
    async (kind) => {
      for (const userId of PLACEHOLDERS) {
        expect(await post('/events', kind, event({ userId, anonymousId: 'a1' }))).toMatchObject({ status: 200 });
        expect(await post('/events', kind, event({ userId }))).toMatchObject({ status: 400, fields: ['userId'] });
      }
      expect(await stored()).toEqual(PLACEHOLDERS.map(() => [null, 'a1']));
      expect(await users()).toEqual([]);
    },
  );

  it.each([
    ['{ batch }', true],
    ['a bare array', false],
  ])('a placeholder user id in a batch as %s rejects only the events without anonymousId', async (_, isWrapped) => {
    for (const kind of KINDS) {
      const batch = PLACEHOLDERS.flatMap((userId) => [event({ userId }), event({ userId, anonymousId: 'a1' })]);
      const body = isWrapped ? { batch } : batch;
      expect(await post('/events/batch', kind, body)).toMatchObject({
        status: 200,
        data: {
          accepted: PLACEHOLDERS.length,
          rejected: PLACEHOLDERS.map((_, at) => ({
            ...{ index: 2 * at, code: 'VALIDATION_ERROR' },
            fieldErrors: { userId: [expect.stringContaining('placeholder')] },
          })),
        },
      });
    }
    expect(await users()).toEqual([]);
  });

  it.each(KINDS)('identify with a %s key rejects a placeholder user id', async (kind) => {
    for (const userId of PLACEHOLDERS) {
      const body = { userId, anonymousId: 'a1', traits: { name: 'Ann' } };
      expect(await post('/identify', kind, body)).toMatchObject({ status: 400, fields: ['userId'] });
    }
    expect(await users()).toEqual([]);
    expect(await stored()).toEqual([]);
  });

  it('a library call rejects a placeholder user id', async () => {
    await expect(beckon.events.identify(scope, { userId: 'null', traits: {} })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    await expect(beckon.events.track(scope, event({ userId: 'null' }))).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });

  it('an event of an anonymous user whose user id is known belongs to that user', async () => {
    await post('/identify', 'public', { userId: 'ann', anonymousId: 'a1', traits: {} });
    await post('/events', 'public', event({ userId: 'undefined', anonymousId: 'a1', traits: { name: 'Eve' } }));
    expect(await stored()).toEqual([
      ['ann', 'a1'],
      ['ann', 'a1'],
    ]);
    expect((await beckon.profiles.get(scope, 'ann')).traits).toEqual({});
  });

  it('a placeholder anonymousId is no alias: events of strangers do not join one user', async () => {
    await post('/identify', 'public', { userId: 'ann', anonymousId: 'undefined', traits: {} });
    await post('/events', 'public', event({ anonymousId: 'undefined' }));
    expect(await stored()).toEqual([
      [null, 'undefined'],
      ['ann', null],
    ]);
  });

  it('a placeholder user id registers a device without a user, and removes it from its former user', async () => {
    const device = { token: 'fcm:1', platform: 'android' };
    const other = { token: 'fcm:2', platform: 'android' };
    expect(await post('/push/tokens', 'public', { ...device, userId: 'undefined' })).toMatchObject({
      status: 201,
      data: { userId: null, anonymousId: null, isActive: true },
    });
    expect(await post('/push/tokens', 'secret', { ...other, userId: ' NULL ', anonymousId: 'a1' })).toMatchObject({
      data: { userId: null, anonymousId: 'a1' },
    });
    await post('/push/tokens', 'public', { ...device, userId: 'ann' });
    expect(await post('/push/tokens', 'public', { ...device, userId: 'null' })).toMatchObject({
      status: 200,
      data: { userId: null },
    });
    const send = await beckon.push.send(scope, { title: 't', userIds: ['undefined', 'null', 'ann'] });
    if (!('id' in send)) throw new Error('a dry run');
    await beckon.worker.drain();
    expect((await beckon.sends.get(scope, 'push', send.id)).counts).toMatchObject({ sent: 0, suppressed: 3 });
  });

  it('a placeholder user id registers a live activity without a user, and updates reach it', async () => {
    const hook = await beckon.webhooks.create(scope, {
      ...{ url: 'https://hook.example/', isPulled: true, events: ['push.live_activity_updated'] },
    });
    const body = { activityType: 'Order', externalId: 'o1', pushToken: 'ab'.repeat(32) };
    expect(await post('/push/live-activities/start-token', 'public', { ...body, userId: 'undefined' })).toMatchObject({
      data: { activity: { externalId: 'o1', userId: null, status: 'active' } },
    });
    await beckon.liveActivities.update(scope, 'o1', { contentState: { step: 2 } });
    await beckon.worker.drain();
    expect((await beckon.liveActivities.list(scope)).data).toMatchObject([{ userId: null, updates: 1 }]);
    expect((await beckon.webhooks.deliveries(scope, hook.id)).data).toHaveLength(1);
    // The push that was sent is an event without a user.
    expect(await stored()).toEqual([[null, null]]);
    const starter = { ...body, kind: 'push_to_start', userId: 'null' };
    expect(await post('/push/live-activities/start-token', 'public', starter)).toMatchObject({ status: 201 });
    const started = { activityType: 'Order', attributesType: 'Order', attributes: {}, contentState: {} };
    const alert = { title: 't', body: 'b' };
    expect(
      await beckon.liveActivities.start(scope, { ...started, externalId: 'o2', alert, userIds: ['null', 'undefined'] }),
    ).toMatchObject({ devices: 0 });
  });

  it('a placeholder user id reports a geofence for the device, else without a user, and strangers do not silence each other', async () => {
    const hook = await beckon.webhooks.create(scope, {
      ...{ url: 'https://hook.example/', isPulled: true, events: ['geofence.entered'] },
    });
    const { id } = await beckon.geofences.create(scope, { name: 'Shop', lat: 51, lng: 3, radiusMeters: 200 });
    const report = (fields: object) =>
      post('/push/geofences/event', 'public', { geofenceId: id, transition: 'enter', userId: 'undefined', ...fields });
    const { token } = await beckon.tokens.register(scope, { token: 'fcm:1', platform: 'android', userId: 'bob' });
    for (const fields of [{ anonymousId: 'a1' }, { anonymousId: 'a2' }, { tokenId: token.id }, {}, {}])
      expect(await report(fields)).toMatchObject({ status: 200 });
    expect((await stored()).sort()).toEqual([
      [null, 'a1'],
      [null, 'a2'],
      ['bob', null],
    ]);
    expect((await beckon.webhooks.deliveries(scope, hook.id)).data).toHaveLength(5);
  });

  it('a placeholder user id is never added to a static segment, and can be removed from one', async () => {
    const { id } = await beckon.audiences.create(scope, { name: 'List' });
    expect(await post(`/audiences/${id}/members`, 'secret', { userIds: ['ann', 'null'] })).toMatchObject({
      ...{ status: 400, fields: ['userIds.1'] },
    });
    expect(await beckon.audiences.removeMembers(scope, id, { userIds: ['null'] })).toEqual({ removed: 0 });
  });

  it('placeholder user ids are counted in the metric, and logged at most once a minute', async () => {
    const bad = event({ userId: 'undefined', anonymousId: 'a1' });
    // Also reports what other tests left unreported.
    await post('/events', 'public', bad);
    clock.advance(MINUTE);
    [counted.length, lines.length] = [0, 0];
    await post('/events', 'public', bad);
    await post('/events/batch', 'public', [bad, event({ userId: 'null' }), event({ userId: 'ann' })]);
    await post('/identify', 'public', { userId: 'null', traits: {} });
    await post('/push/tokens', 'public', { token: 'fcm:1', platform: 'android', userId: 'null' });
    expect(counted).toEqual([
      '1 {"source":"events"}',
      '2 {"source":"events"}',
      '1 {"source":"identify"}',
      '1 {"source":"tokens"}',
    ]);
    expect(lines).toEqual([{ orgId: scope.orgId, projectId: scope.projectId, bySource: { events: 1 } }]);
    clock.advance(MINUTE);
    await post('/events', 'public', bad);
    expect(lines.slice(1)).toMatchObject([{ bySource: { events: 3, identify: 1, tokens: 1 } }]);
  });
});
