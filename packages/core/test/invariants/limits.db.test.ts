import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CallBucket, DEFINITION_CAPS, isBeckonError } from '../../src/index.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, openService, type Service, type World } from './world.ts';

const ANN = 'ann@example.com';
const QUIET = { enabled: true, start: '22:00', end: '08:00' };

describe('limits', () => {
  let service: Service;
  let world: World;
  beforeAll(async () => {
    service = await openService();
  });
  beforeEach(async () => {
    world = await service.world();
  });
  afterAll(() => service.close());

  const cap = (rule: object = {}) =>
    world.beckon.settings.update(world.prod, 'email', {
      frequencyCap: {
        enabled: true,
        rules: [{ channel: 'email', max: 2, per: { n: 1, unit: 'day' }, ...rule }],
      },
    });
  const quiet = (more: object = {}) =>
    world.beckon.settings.update(world.prod, 'email', {
      ...{ orgDefaultTimezone: 'UTC', quietHours: { ...QUIET, ...more } },
    });
  /** Advances to the next time that a clock in UTC shows this. */
  const until = async (time: string) => {
    const now = world.clock.now();
    const to = new Date(`${now.toISOString().slice(0, 10)}T${time}:00.000Z`).getTime();
    await world.pass((to - now.getTime() + DAY_MS) % DAY_MS);
  };
  const marketing = (more: object = {}) => world.mail({ to: ANN, class: 'marketing', ...more });

  it('a user gets no more marketing messages than the frequency cap allows', async () => {
    await cap();
    for (let at = 0; at < 4; at += 1) await marketing();
    await world.pass();
    expect(world.handed).toHaveLength(2);
    await marketing({ to: 'ben@example.com' });
    await world.pass();
    expect(world.handed).toHaveLength(3);
    await world.pass(DAY_MS);
    await marketing();
    await world.pass();
    expect(world.handed).toHaveLength(4);
  });

  it('a message that its provider rejects does not count for a frequency cap', async () => {
    await cap({ max: 1 });
    const answers = [{ result: 'failed', code: '500', message: 'No.' } as const];
    world.answers.provider = () => answers.shift() ?? { result: 'accepted', providerId: 'x' };
    await marketing();
    await world.pass();
    const second = await marketing();
    await world.pass();
    expect(await world.messageOf('email', second)).toMatchObject({ status: 'sent' });
  });

  it('transactional messages ignore frequency caps and quiet hours of marketing', async () => {
    await cap({ max: 1 });
    await quiet();
    await until('23:00');
    for (let at = 0; at < 3; at += 1) await world.mail({ to: ANN, class: 'transactional' });
    await world.pass();
    expect(world.handed).toHaveLength(3);
  });

  it('marketing is deferred in quiet hours, and sent at their end', async () => {
    await quiet();
    await until('22:00');
    const id = await marketing();
    await world.pass();
    expect(await world.messageOf('email', id)).toMatchObject({ status: 'deferred', reason: 'quiet_hours' });
    await world.pass(9 * HOUR_MS);
    await world.pass(59 * MINUTE_MS);
    expect(world.handed).toEqual([]);
    await world.pass(MINUTE_MS);
    expect(world.handed).toHaveLength(1);
    expect(world.handed[0]?.at.toISOString()).toContain('T08:00:00');
  });

  it('quiet hours suppress messages if the project says so', async () => {
    await quiet({ behavior: 'suppress' });
    await until('23:00');
    const id = await marketing();
    await world.pass();
    expect(await world.messageOf('email', id)).toMatchObject({ status: 'suppressed', reason: 'quiet_hours' });
  });

  it("quiet hours use the user's time zone", async () => {
    await quiet();
    await world.beckon.events.identify(world.prod, { userId: 'ann', traits: { email: ANN } });
    await world.beckon.profiles.update(world.prod, 'ann', { timezone: 'Asia/Tokyo' });
    await until('15:00');
    const id = await world.mail({ userIds: ['ann'], class: 'marketing' });
    await world.pass();
    expect(await world.messageOf('email', id)).toMatchObject({ status: 'deferred' });
  });

  it('a repeated idempotency key returns the first response, and another body is rejected', async () => {
    const body = { to: ANN, subject: 's', text: 't' };
    const call = async (more: object = {}) =>
      world.idOf(await world.beckon.email.send(world.prod, { ...body, ...more }, { idempotencyKey: 'k' }));
    const id = await call();
    world.clock.advance(DAY_MS - 1);
    expect(await call()).toBe(id);
    await expect(call({ text: 'another' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await world.pass();
    expect(world.handed).toHaveLength(1);
    world.clock.advance(1);
    expect(await call()).not.toBe(id);
  });

  it('two concurrent requests with one idempotency key send once', async () => {
    const body = { to: ANN, subject: 's', text: 't' };
    const second = await world.open();
    const there = await second.tenancy.scope(world.prod);
    const calls = [
      ...[1, 2, 3].map(() => world.beckon.email.send(world.prod, body, { idempotencyKey: 'k' })),
      ...[1, 2, 3].map(() => second.email.send(there, body, { idempotencyKey: 'k' })),
    ];
    await Promise.allSettled(calls);
    await world.pass();
    expect(world.handed).toHaveLength(1);
  });

  it('a rate limit admits its burst at once, and more as it refills', async () => {
    const { calls } = world.beckon.limits;
    const { orgId, projectId } = world.prod;
    const bucket: CallBucket = await calls.bucketOf({ kind: 'secret', network: '203.0.113.7', orgId, projectId });
    const admitted = async () => {
      for (let count = 0; ; count += 1)
        try {
          await calls.take(bucket);
        } catch (error) {
          if (!isBeckonError(error, 'RATE_LIMITED')) throw error;
          return count;
        }
    };
    expect(await admitted()).toBe(200);
    world.clock.advance(3_000);
    expect(await admitted()).toBe(10);
  });

  it('a plan opens its features and no others', async () => {
    const { orgId } = world.prod;
    const scheduledFor = new Date(world.clock.now().getTime() + HOUR_MS).toISOString();
    await world.beckon.plans.set(orgId, 'free');
    await expect(marketing({ scheduledFor })).rejects.toMatchObject({ code: 'tier_required' });
    const template = () => world.beckon.templates.create(world.prod, 'sms', { name: 'T', body: 'Hello' });
    await expect(template()).rejects.toMatchObject({ code: 'tier_required' });
    // This plan names neither: it includes the features of the plans before it.
    await world.beckon.plans.set(orgId, 'growth');
    await template();
    await marketing({ scheduledFor });
    await expect(world.beckon.plans.require({ orgId }, 'sso')).rejects.toMatchObject({ code: 'tier_required' });
    await world.pass(2 * HOUR_MS);
    expect(world.handed).toHaveLength(1);
  });

  it('definitions cannot exceed their limits', async () => {
    const { max } = DEFINITION_CAPS.webhooks;
    const add = () => world.beckon.webhooks.create(world.prod, { url: world.hook, events: ['user.identified'] });
    for (let at = 0; at < max; at += 1) await add();
    await expect(add()).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('a cursor is bound to the filter of its list', async () => {
    for (const userId of ['ann', 'ben'])
      await world.beckon.events.identify(world.prod, { userId, traits: { email: `${userId}@example.com` } });
    const id = await world.mail({ userIds: ['ann', 'ben'] });
    await world.pass();
    const list = (more: object) => world.beckon.sends.messages(world.prod, 'email', id, { limit: 1, ...more });
    const first = await list({});
    const { data, pagination } = await list({ cursor: first.pagination.nextCursor });
    expect([...first.data, ...data].map(({ userId }) => userId).toSorted()).toEqual(['ann', 'ben']);
    expect(pagination.hasMore).toBe(false);
    await expect(list({ cursor: first.pagination.nextCursor, status: 'sent' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });
});

describe('event quota', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService({ plans: [{ name: 'tiny', gates: [], eventsPerMonth: 5, retentionDays: 1 }] });
  });
  afterAll(() => service.close());

  it('the event quota of a month holds for concurrent senders', async () => {
    const world = await service.world();
    await world.beckon.plans.set(world.prod.orgId, 'tiny');
    const event = (userId: string) => ({ module: 'm', eventType: 'seen', userId });
    const calls = Array.from({ length: 9 }, (_, at) => world.beckon.events.track(world.prod, event(`u${at}`)));
    const done = (await Promise.allSettled(calls)).filter(({ status }) => status === 'fulfilled');
    expect(done).toHaveLength(5);
    expect((await world.beckon.events.list(world.prod)).data).toHaveLength(5);
    await expect(world.beckon.events.track(world.prod, event('x'))).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      details: { reason: 'quota' },
    });
    await world.beckon.events.track(world.other, event('x'));
    world.clock.advance(31 * DAY_MS);
    await world.beckon.events.track(world.prod, event('x'));
  });
});
