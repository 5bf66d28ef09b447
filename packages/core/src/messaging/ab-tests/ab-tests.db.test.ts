import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { unchecked } from '../../../test/support/unchecked.ts';
import type { Beckon } from '../../app/api.ts';
import { createBeckon } from '../../app/create.ts';
import type { HostTransport, SendOutcome, SmsMessage } from '../../delivery/transports/port.ts';
import type { OutboxMessage } from '../../delivery/transports/sandbox/answers.generated.ts';
import { bucketOf } from '../../foundation/ab-bucket.ts';
import type { Channel } from '../../foundation/channel.ts';
import { type VirtualClock, virtualClock } from '../../foundation/clock.ts';
import type { Scope } from '../../foundation/scope.ts';
import { newMasterKey } from '../../foundation/secrets.ts';
import type { AbTest } from './answers.generated.ts';

const NOBODY = '01890000-0000-7000-8000-000000000000';
const variants = [
  { key: 'a', weight: 50, body: 'A' },
  { key: 'b', weight: 50, body: 'B' },
];
const people = Array.from({ length: 12 }, (_, at) => `user_${at}`);

describe('A/B tests', () => {
  let database: TestDatabase;
  let beckon: Beckon;
  let clock: VirtualClock;
  let scope: Scope;
  let other: Scope;
  /** Answers of the one `prod` provider, and the messages that it got. */
  let outcomes: SendOutcome[];
  let sentBodies: string[];
  beforeEach(async () => {
    clock = virtualClock('2026-03-01T10:00:00.000Z');
    database = await openTestDatabase({ clock });
    outcomes = [];
    sentBodies = [];
    const pigeon: HostTransport<SmsMessage> = {
      name: 'pigeon',
      maxInFlight: 1,
      send: async ({ body }) => {
        sentBodies.push(body);
        return outcomes.shift() ?? { result: 'accepted', providerId: null };
      },
      close: async () => undefined,
    };
    const transports = { sms: { name: 'pigeon', make: () => pigeon } };
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), clock, transports });
    const org = await beckon.tenancy.createOrg({ name: 'Acme' });
    const project = await beckon.tenancy.createProject({ orgId: org.id, name: 'App' });
    const names = { orgId: org.id, projectId: project.id };
    scope = await beckon.tenancy.scope({ ...names, environment: 'test' });
    other = await beckon.tenancy.scope({ ...names, environment: 'prod' });
  });
  afterEach(async () => {
    await beckon.close();
    await database.close();
  });

  const device = (userId: string, token = `fcm:${userId}`) =>
    beckon.tokens.register(scope, { token, platform: 'android', userId });
  const push = async (abTestId: string, more: object = {}) => {
    const body = { userIds: people, title: 'T', body: 'Own', abTestId, ...more };
    const answer = await beckon.push.send(scope, unchecked(body));
    if ('dryRun' in answer) throw new Error('this was a dry run');
    return answer;
  };
  const content = (one: OutboxMessage): Readonly<Record<string, unknown>> => unchecked(one.content);
  const bodies = async (sendId: string) => {
    const { data } = await beckon.outbox.list(scope, { limit: 200 });
    return new Map(data.filter((one) => one.sendId === sendId).map((one) => [one.userId, content(one)['body']]));
  };
  const variantsOf = async (channel: Channel, sendId: string) => {
    const { data } = await beckon.sends.messages(scope, channel, sendId);
    return new Map(data.map(({ userId, variant }) => [userId, variant]));
  };
  const expectedVariants = (test: AbTest) =>
    new Map(people.map((userId) => [userId, bucketOf(test.id, userId) < 50 ? 'a' : 'b'] as const));
  const refusal = (reason: string) => ({ code: 'CONFLICT', details: { reason } });

  it('importing a workflow step with an unknown test, or with fields that hide its variants, gives a warning', async () => {
    const test = { name: 'T', variants, metric: { type: 'click' } } as const;
    const { id } = await beckon.abTests.create(other, 'sms', test);
    const steps = [
      { type: 'send_sms', config: { body: 'b', localizedBody: { es: 'B' }, abTestId: id } },
      { type: 'send_push', config: { title: 't', abTestId: id } },
      { type: 'send_sms', config: { body: 'b', abTestId: id } },
    ];
    const workflow = { name: 'A', description: null, isActive: false, trigger: { eventType: 'e' }, steps };
    const bundle = unchecked({ version: 1, exportedAt: '2026-01-01T00:00:00.000Z', workflows: [workflow] });
    const codes = async (from: Scope) =>
      (await beckon.workflows.importBundle(from, bundle, { dryRun: true })).warnings
        .filter(({ code }) => code === 'unknown_ab_test' || code === 'hidden_variants')
        .map(({ path, code }) => `${path} ${code}`);
    expect(await codes(other)).toEqual([
      'steps.0.config.localizedBody hidden_variants',
      'steps.1.config.abTestId unknown_ab_test',
    ]);
    expect(await codes(scope)).toHaveLength(3);
  });

  it('a test can be created, listed, paused, resumed and completed, and is then final', async () => {
    const test = await beckon.abTests.create(scope, 'push', { name: 'T', variants });
    expect(test).toMatchObject({ status: 'running', channel: 'push', winnerKey: null, assignedAt: null, variants });
    const second = await beckon.abTests.create(scope, 'push', { name: 'U', variants });
    await beckon.abTests.create(scope, 'email', { name: 'V', variants: [{ key: 'a', weight: 100 }] });
    const update = (body: object) => beckon.abTests.update(scope, 'push', test.id, body);
    expect(await update({ status: 'paused', name: 'P' })).toMatchObject({ status: 'paused', name: 'P' });
    const listed = async (query: object) => {
      const { data, pagination } = await beckon.abTests.list(scope, 'push', query);
      return [data.map(({ name }) => name), pagination.total];
    };
    expect(await listed({ count: true })).toEqual([['U', 'P'], 2]);
    expect(await listed({ status: 'paused' })).toEqual([['P'], undefined]);
    const { pagination } = await beckon.abTests.list(scope, 'push', { limit: 1 });
    expect(await listed({ limit: 1, cursor: pagination.nextCursor })).toEqual([['P'], undefined]);
    expect(await update({ status: 'running' })).toMatchObject({ status: 'running' });
    const changed = [{ ...variants[0], weight: 100 }];
    expect(await update({ variants: changed })).toMatchObject({ variants: changed });
    await expect(update({ status: 'completed', winnerKey: 'b' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await beckon.abTests.complete(scope, 'push', test.id, { winnerKey: 'a' })).toMatchObject({
      status: 'completed',
      winnerKey: 'a',
      completedAt: clock.now(),
    });
    await expect(update({ status: 'running' })).rejects.toMatchObject(refusal('final'));
    await expect(beckon.abTests.complete(scope, 'push', test.id)).rejects.toMatchObject(refusal('final'));
    expect((await beckon.abTests.update(scope, 'push', second.id, { status: 'completed' })).winnerKey).toBeNull();
    for (const [where, channel, id] of [
      [other, 'push', test.id],
      [scope, 'email', test.id],
      [scope, 'push', NOBODY],
    ] as const) {
      await expect(beckon.abTests.get(where, channel, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(beckon.abTests.stats(where, channel, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });

  it('a user has one variant on all devices and in all sends, and statistics count it', async () => {
    for (const userId of people) await device(userId);
    await device('user_0', 'fcm:second');
    const test = await beckon.abTests.create(scope, 'push', { name: 'T', variants });
    const first = await push(test.id);
    expect(first.abTestId).toBe(test.id);
    await beckon.worker.drain();
    const expected = expectedVariants(test);
    expect(new Set(expected.values())).toEqual(new Set(['a', 'b']));
    expect(await variantsOf('push', first.id)).toEqual(expected);
    const sentBodies = new Map([...expected].map(([userId, key]) => [userId, key.toUpperCase()]));
    expect(await bodies(first.id)).toEqual(sentBodies);
    const second = await push(test.id);
    await beckon.worker.drain();
    expect(await bodies(second.id)).toEqual(sentBodies);
    expect(await beckon.abTests.get(scope, 'push', test.id)).toMatchObject({ assignedAt: clock.now() });
    for (const body of [{ variants: variants.toReversed() }, { metric: { type: 'click' } }] as const)
      await expect(beckon.abTests.update(scope, 'push', test.id, body)).rejects.toMatchObject(refusal('immutable'));
    expect(await beckon.abTests.update(scope, 'push', test.id, { variants, name: 'N' })).toMatchObject({ name: 'N' });

    const { data } = await beckon.sends.messages(scope, 'push', second.id, { userId: 'user_1' });
    const opened = { sendId: second.id, messageId: data[0]?.id ?? '' };
    for (let times = 0; times < 2; times += 1) await beckon.push.trackOpen(scope, opened);
    const stats = await beckon.abTests.stats(scope, 'push', test.id);
    const key = expected.get('user_1');
    const count = (of: string) => [...expected.values()].filter((one) => one === of).length;
    const devices = expected.get('user_0');
    expect(stats).toMatchObject({ leader: key, significant: false, isPartial: false, srm: { warning: false } });
    expect(stats.variants).toMatchObject(
      ['a', 'b'].map((of) => ({
        key: of,
        assigned: count(of),
        reached: count(of),
        sent: 2 * (count(of) + (devices === of ? 1 : 0)),
        suppressed: 0,
        opened: of === key ? 2 : 0,
        uniqueOpened: of === key ? 1 : 0,
        converted: of === key ? 1 : 0,
      })),
    );
  });

  it("a paused or completed test leaves the send's content unchanged, with or without a winner", async () => {
    await device('user_0');
    const test = await beckon.abTests.create(scope, 'push', { name: 'T', variants });
    const sentBodies = async () => {
      const { id } = await push(test.id, { userIds: ['user_0'] });
      await beckon.worker.drain();
      return [(await bodies(id)).get('user_0'), (await variantsOf('push', id)).get('user_0')];
    };
    const [key] = expectedVariants(test).values();
    expect(await sentBodies()).toEqual([key?.toUpperCase(), key]);
    await beckon.abTests.update(scope, 'push', test.id, { status: 'paused' });
    expect(await sentBodies()).toEqual(['Own', null]);
    await beckon.abTests.update(scope, 'push', test.id, { status: 'running' });
    expect(await sentBodies()).toEqual([key?.toUpperCase(), key]);
    await beckon.abTests.complete(scope, 'push', test.id, { winnerKey: 'a' });
    expect(await sentBodies()).toEqual(['Own', null]);
  });

  it('a send can only name a test of its own channel and environment', async () => {
    const test = await beckon.abTests.create(scope, 'push', { name: 'T', variants });
    const theirs = await beckon.abTests.create(other, 'email', { name: 'T', variants: [{ key: 'a', weight: 100 }] });
    const unknown = { code: 'VALIDATION_ERROR', details: { fieldErrors: { abTestId: expect.anything() } } };
    for (const abTestId of [test.id, theirs.id, NOBODY, 'x']) {
      const mail = beckon.email.send(scope, { to: 'ann@example.com', subject: 's', text: 't', abTestId });
      await expect(mail).rejects.toMatchObject(unknown);
      await expect(beckon.sms.send(scope, { to: '+14155550123', body: 't', abTestId })).rejects.toMatchObject(unknown);
    }
    await expect(push(theirs.id)).rejects.toMatchObject(unknown);
    expect((await beckon.sends.list(scope, 'email')).data).toEqual([]);
  });

  it('a variant replaces either HTML body of an email, and copies have the same content', async () => {
    const html = [
      { key: 'a', weight: 50, subject: 'A', html: '<p>A</p>' },
      { key: 'b', weight: 50, subject: 'B', html: '<p>B</p>' },
    ];
    const test = await beckon.abTests.create(scope, 'email', { name: 'T', variants: html });
    const to = 'ann@example.com';
    const key = bucketOf(test.id, to) < 50 ? 'A' : 'B';
    const cc = ['bob@example.com', 'cid@example.com', 'dee@example.com', 'eve@example.com'];
    const body = { to, cc, subject: 'Own', bodyHtml: '<p>Own</p>', text: 'Text', abTestId: test.id };
    const send = await beckon.email.send(scope, body);
    await beckon.worker.drain();
    const { data } = await beckon.outbox.list(scope);
    expect(data.map(content)).toMatchObject(
      cc.concat(to).map(() => ({ subject: key, html: `<p>${key}</p>`, text: 'Text' })),
    );
    const id = 'id' in send ? send.id : '';
    const sentMessages = (await beckon.sends.messages(scope, 'email', id)).data;
    expect(sentMessages.map(({ role, variant }) => [role, variant])).toEqual([
      ['to', key.toLowerCase()],
      ...cc.map(() => ['cc', null]),
    ]);
    expect(
      (await beckon.abTests.stats(scope, 'email', test.id)).variants.map(({ assigned }) => assigned).sort(),
    ).toEqual([0, 1]);
  });

  it('a retried message keeps its variant, and drops it if the test was paused meanwhile', async () => {
    const test = await beckon.abTests.create(other, 'sms', { name: 'T', variants });
    const later = { result: 'retry', code: 'busy', message: 'Busy.', processed: 'no' } as const;
    const to = '+14155550123';
    const key = bucketOf(test.id, to) < 50 ? 'a' : 'b';
    outcomes.push(later, later);
    const send = await beckon.sms.send(other, { to, body: 'Own', abTestId: test.id });
    const id = 'id' in send ? send.id : '';
    const tried = async () => {
      await beckon.worker.drain();
      clock.advance(60_000);
      const [message] = (await beckon.sends.messages(other, 'sms', id)).data;
      return [message?.status, message?.variant];
    };
    expect(await tried()).toEqual(['queued', key]);
    expect(await tried()).toEqual(['queued', key]);
    await beckon.abTests.update(other, 'sms', test.id, { status: 'paused' });
    expect(await tried()).toEqual(['sent', null]);
    expect(sentBodies).toEqual([key.toUpperCase(), key.toUpperCase(), 'Own']);
    const stats = await beckon.abTests.stats(other, 'sms', test.id);
    expect(stats.variants.map(({ assigned }) => assigned)).toEqual([0, 0]);
  });

  it('a dry run and an explanation show the variant', async () => {
    await device('user_1');
    const test = await beckon.abTests.create(scope, 'push', { name: 'T', variants });
    const key = expectedVariants(test).get('user_1') ?? '';
    const body = { userIds: ['user_1'], title: 'T', body: 'Own', abTestId: test.id } as const;
    const dry = await beckon.push.send(scope, { ...body, dryRun: true });
    expect(dry).toMatchObject({ messages: [{ content: { body: key.toUpperCase() } }] });
    expect((await beckon.abTests.get(scope, 'push', test.id)).assignedAt).toBeNull();
    const send = await push(test.id, body);
    const explained = async () => {
      const [message] = (await beckon.sends.messages(scope, 'push', send.id)).data;
      const { explanation } = await beckon.sends.message(scope, 'push', message?.id ?? '');
      return explanation.gates.find(({ gate }) => gate === 'rendering')?.evidence;
    };
    expect(await explained()).toMatchObject({ abTest: 'running', variant: key, bucket: bucketOf(test.id, 'user_1') });
    expect((await beckon.abTests.get(scope, 'push', test.id)).assignedAt).toBeNull();
    await beckon.worker.drain();
    expect(await explained()).toEqual({ variant: key });
  });

  it('events of users within the window count once per user', async () => {
    const metric = { type: 'event', eventType: 'paid', windowHours: 2 } as const;
    await beckon.events.track(scope, { module: 'shop', eventType: 'paid', userId: 'user_6' });
    const test = await beckon.abTests.create(scope, 'push', { name: 'T', variants, metric });
    const paid = (userId: string, more: object = {}) =>
      beckon.events.track(scope, { module: 'shop', eventType: 'paid', userId, ...more });
    for (const userId of people) await device(userId);
    await paid('user_0');
    await push(test.id);
    await beckon.worker.drain();
    await paid('user_6');
    clock.advance(3_600_000);
    for (const userId of ['user_1', 'user_1', 'nobody']) await paid(userId);
    await paid('user_2', { eventType: 'looked' });
    await paid('user_3', { timestamp: '2026-03-01T09:59:59.999Z' });
    clock.advance(3_600_001);
    await paid('user_4');
    await paid('user_5', { timestamp: '2026-03-01T12:00:00.000Z' });
    const { variants: sentMessages } = await beckon.abTests.stats(scope, 'push', test.id);
    const expected = expectedVariants(test);
    for (const { key, converted } of sentMessages)
      expect(converted).toBe(['user_1', 'user_5', 'user_6'].filter((userId) => expected.get(userId) === key).length);
  });

  it("a workflow step assigns the variant to the run's user and ignores an unknown test", async () => {
    await device('user_1');
    const test = await beckon.abTests.create(scope, 'push', { name: 'T', variants });
    const step = (abTestId: string) => ({ type: 'send_push' as const, config: { body: 'Own', abTestId } });
    const trigger = { eventType: 'asked' };
    const steps = [step(test.id), step(NOBODY)];
    await beckon.workflows.create(scope, { name: 'W', isActive: true, trigger, steps });
    await beckon.events.track(scope, { module: 'm', eventType: 'asked', userId: 'user_1' });
    await beckon.worker.drain();
    const { data } = await beckon.outbox.list(scope);
    expect(data.map((one) => content(one)['body']).sort()).toEqual(
      [expectedVariants(test).get('user_1')?.toUpperCase(), 'Own'].sort(),
    );
  });
});
