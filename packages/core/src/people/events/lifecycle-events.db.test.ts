import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { geofenceWorld } from '../../../test/support/push/geofences/world.ts';
import { unchecked } from '../../../test/support/unchecked.ts';
import type { EventRecord } from './answers.generated.ts';
import type { CatalogName } from './catalog.ts';

const TOKEN = 'ab'.repeat(32);
const HOUR = 3_600_000;
const NOBODY = '0192f0c1-0000-7000-8000-000000000000';
const PUSH = { title: 'Hi', body: 'There' };
const url = 'https://receiver.example/hook';

describe('events derived from sends and messages', () => {
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

  const register = (userId: string, token = TOKEN) =>
    world.beckon.tokens.register(world.scope, { userId, token, platform: 'ios' });
  const push = (body: Record<string, unknown>) => world.beckon.push.send(world.scope, unchecked({ ...PUSH, ...body }));
  const later = () => new Date(world.clock.now().getTime() + HOUR).toISOString();
  const pages = async (
    limit: number,
    query: { readonly from?: Date; readonly to?: Date } = {},
    scope = world.scope,
  ) => {
    const all: EventRecord[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await world.beckon.events.list(scope, { ...query, limit, cursor });
      expect(page.data.length).toBe(page.pagination.hasMore ? limit : page.data.length);
      all.push(...page.data);
      cursor = page.pagination.nextCursor;
    }
    return all;
  };
  const named = async (name: string) =>
    (await pages(50))
      .filter(({ eventType }) => eventType === name)
      .map(({ userId, properties }) => [userId, properties]);
  const hear = (...events: CatalogName[]) => world.beckon.webhooks.create(world.scope, { url, events });
  const told = async (webhookId: string) =>
    (await world.beckon.webhooks.deliveries(world.scope, webhookId)).data.map(({ eventType, eventId }) => ({
      eventType,
      eventId,
    }));

  it('a cancelled push that was scheduled for one user raises push.cancelled once, with the user', async () => {
    await world.beckon.events.identify(world.scope, { userId: 'ann', traits: {} });
    await register('ann');
    const { id: webhook } = await hear('push.cancelled');
    const { id } = await push({ userIds: ['ann'], scheduledFor: later() });
    await world.beckon.sends.cancel(world.scope, 'push', id);
    await world.beckon.sends.cancel(world.scope, 'push', id);
    expect(await named('push.cancelled')).toEqual([['ann', { sendId: id }]]);
    expect(await told(webhook)).toMatchObject([{ eventType: 'push.cancelled' }]);
    const history = await world.beckon.profiles.events(world.scope, 'ann', {});
    expect(history.data.map(({ eventType }) => eventType)).toEqual(['push.cancelled', 'user.identified']);
  });

  it('a cancelled push that was scheduled for several users raises push.cancelled once, of nobody', async () => {
    const { id } = await push({ userIds: ['ann', 'bob'], scheduledFor: later() });
    await world.beckon.sends.cancel(world.scope, 'push', id);
    expect(await named('push.cancelled')).toEqual([[null, { sendId: id }]]);
  });

  it('a cancelled push with open messages raises push.cancelled for each of them and none for the send', async () => {
    await register('ann');
    await register('bob', 'cd'.repeat(32));
    const { id } = await push({ userIds: ['ann', 'bob'] });
    await world.beckon.sends.cancel(world.scope, 'push', id);
    expect(
      (await named('push.cancelled')).map(([userId, properties]) => [userId, Object.keys(properties ?? {})]),
    ).toEqual(
      expect.arrayContaining([
        ['ann', ['sendId', 'messageId']],
        ['bob', ['sendId', 'messageId']],
      ]),
    );
    expect(await named('push.cancelled')).toHaveLength(2);
  });

  it('a push to an audience without members raises push.suppressed with no_recipients', async () => {
    const { beckon, scope } = world;
    const { id: webhook } = await hear('push.suppressed');
    const audience = await beckon.audiences.create(scope, { name: 'Empty', kind: 'static' });
    const { id } = await push({ audienceId: audience.id });
    await beckon.worker.drain();
    expect(await beckon.sends.get(scope, 'push', id)).toMatchObject({
      status: 'suppressed',
      errorCode: 'no_recipients',
    });
    expect(await named('push.suppressed')).toEqual([[null, { sendId: id, reason: 'no_recipients' }]]);
    expect(await told(webhook)).toHaveLength(1);
  });

  it('a push with an A/B test to an audience without members raises push.suppressed too', async () => {
    const { beckon, scope } = world;
    const audience = await beckon.audiences.create(scope, { name: 'Empty', kind: 'static' });
    const variants = [
      { key: 'a', title: 'A', weight: 50 },
      { key: 'b', title: 'B', weight: 50 },
    ];
    const test = await beckon.abTests.create(scope, 'push', { name: 'Titles', variants, metric: { type: 'open' } });
    const { id } = await push({ audienceId: audience.id, abTestId: test.id });
    await beckon.worker.drain();
    expect(await named('push.suppressed')).toEqual([[null, { sendId: id, reason: 'no_recipients' }]]);
  });

  it('a push to an unknown user raises push.suppressed of its message alone', async () => {
    const { id } = await push({ userIds: ['nobody-known'] });
    await world.beckon.worker.drain();
    expect(await named('push.suppressed')).toMatchObject([
      ['nobody-known', { sendId: id, reason: 'no_token', messageId: expect.any(String) }],
    ]);
  });

  it('emails and SMS that are cancelled before they have messages raise nothing', async () => {
    const { beckon, scope } = world;
    const mail = await beckon.email.send(scope, {
      to: 'ann@example.com',
      subject: 'Hi',
      text: 'x',
      scheduledFor: later(),
    });
    const text = await beckon.sms.send(scope, { to: '+14155550100', body: 'x', scheduledFor: later() });
    for (const [channel, sent] of [
      ['email', mail],
      ['sms', text],
    ] as const)
      if ('id' in sent) await beckon.sends.cancel(scope, channel, sent.id);
    expect(await pages(50)).toEqual([]);
  });

  it('a workflow that waits for push.cancelled starts for the user of a cancelled scheduled push', async () => {
    const { beckon, scope } = world;
    await register('ann');
    const steps = [{ type: 'update_profile', config: { set: { cancelled: true } } }] as const;
    await beckon.workflows.create(scope, {
      name: 'Cancelled',
      trigger: { eventType: 'push.cancelled' },
      isActive: true,
      steps,
    });
    const { id } = await push({ userIds: ['ann'], scheduledFor: later() });
    await beckon.sends.cancel(scope, 'push', id);
    await beckon.worker.drain();
    expect((await beckon.runs.list(scope, {})).data).toMatchObject([{ userId: 'ann', status: 'completed' }]);
  });

  it('events derived from sends are listed in one order with event rows, each once, and can be fetched', async () => {
    const { beckon, scope, clock } = world;
    await register('ann');
    await hear('push.sent', 'push.send_requested');
    for (let step = 0; step < 4; step += 1) {
      await beckon.events.track(scope, { module: 'app', eventType: `step ${step}`, userId: 'ann' });
      await push({ userIds: ['ann', 'nobody-known'], tokens: step === 2 ? ['cd'.repeat(32)] : undefined });
      if (step % 2 === 1) clock.advance(5);
      await beckon.worker.drain();
      const scheduled = await push({ userIds: ['ann', 'bob'], scheduledFor: later() });
      await beckon.sends.cancel(scope, 'push', scheduled.id);
    }
    const [newest] = (await beckon.sends.list(scope, 'push', { status: 'sent' })).data;
    const messages = newest ? (await beckon.sends.messages(scope, 'push', newest.id)).data : [];
    for (const { id: messageId, status } of messages)
      if (status === 'sent' && newest) await beckon.push.trackDelivered(scope, { sendId: newest.id, messageId });
    const whole = await pages(200);
    const ids = whole.map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted().toReversed());
    expect(new Set(ids).size).toBe(ids.length);
    const names = new Set(whole.map(({ eventType }) => eventType));
    for (const name of ['push.sent', 'push.delivered', 'push.suppressed', 'push.cancelled', 'step 0'])
      expect(names).toContain(name);
    for (const limit of [1, 2, 3, 7]) expect((await pages(limit)).map(({ id }) => id)).toEqual(ids);
    for (const event of whole) expect(await beckon.events.get(scope, event.id)).toMatchObject(event);
    const at = new Date(clock.now().getTime() - 5);
    const inTime = (from: Date | null, to: Date | null) =>
      whole.filter(({ receivedAt }) => (!from || receivedAt >= from) && (!to || receivedAt < to)).map(({ id }) => id);
    expect((await pages(2, { from: at })).map(({ id }) => id)).toEqual(inTime(at, null));
    expect((await pages(2, { to: at })).map(({ id }) => id)).toEqual(inTime(null, at));
  });

  it('derived events belong to one environment and disappear with an erased profile', async () => {
    const { beckon, scope, other } = world;
    await register('ann');
    await push({ userIds: ['ann'] });
    await beckon.worker.drain();
    const [sent] = (await pages(50)).filter(({ eventType }) => eventType === 'push.sent');
    if (!sent) throw new Error('nothing was sent');
    expect(await pages(50, {}, other)).toEqual([]);
    await expect(beckon.events.get(other, sent.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await beckon.profiles.erase(scope, 'ann');
    await beckon.worker.drain();
    expect((await pages(50)).filter(({ userId }) => userId === 'ann')).toEqual([]);
    await expect(beckon.events.get(scope, sent.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('an event that only webhooks were told of can be fetched by the id of its delivery', async () => {
    const { id: webhook } = await hear('push.send_requested', 'push.sent');
    await push({ tokens: [TOKEN] });
    await world.beckon.worker.drain();
    const deliveries = await told(webhook);
    expect(deliveries.map(({ eventType }) => eventType).sort()).toEqual(['push.send_requested', 'push.sent']);
    for (const { eventType, eventId } of deliveries)
      expect(await world.beckon.events.get(world.scope, eventId)).toMatchObject({
        id: eventId,
        eventType,
        module: 'push',
        userId: null,
        source: 'system',
      });
  });

  it('an unknown id is NOT_FOUND, whatever its form', async () => {
    for (const id of [
      NOBODY,
      'nothing',
      '\0',
      'ffffffff-ffff-7fff-bfff-ffffffffffff',
      '00000000-0000-0000-0000-000000000000',
    ])
      await expect(world.beckon.events.get(world.scope, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
