import { Webhook as StandardWebhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rowId } from '../../test/support/row-ids.ts';
import type { Answer } from '../../test/support/webhooks/receiver.ts';
import { openWorld, type World } from '../../test/support/webhooks/world.ts';
import { write } from '../database/commit/write-set.ts';
import { virtualClock } from '../foundation/clock.ts';
import { isBeckonError } from '../foundation/errors.ts';
import { newMasterKey } from '../foundation/secrets.ts';
import type { WebhookInput } from './api.ts';
import { deliveryWrites } from './deliver/publish.ts';
import { otherDueTargets } from './deliver/store.ts';
import { webhookStatements } from './statements.ts';

const HOUR_MS = 3_600_000;

describe('webhooks', () => {
  let world: World;
  let database: World['database'];
  let beckon: World['beckon'];
  let scope: World['scope'];
  let receiver: World['receiver'];
  let answer: () => Answer;
  let statements: string[];
  // The public verifier looks at the machine's clock.
  const clock = virtualClock(new Date());

  beforeEach(async () => {
    clock.set(new Date());
    answer = () => ({ status: 200 });
    statements = [];
    world = await openWorld(clock, () => answer(), { statement: (id) => statements.push(id) });
    ({ database, beckon, scope, receiver } = world);
  });
  afterEach(() => world.close());

  const hook = (more: Partial<WebhookInput> = {}) =>
    beckon.webhooks.create(scope, { url: receiver.url, events: ['user.identified'], ...more });
  const identify = (userId: string) => beckon.events.identify(scope, { userId, traits: { plan: 'pro' } });
  const onlyDelivery = async (id: string) => {
    const [first, ...more] = (await beckon.webhooks.deliveries(scope, id)).data;
    expect(more).toEqual([]);
    return beckon.webhooks.delivery(scope, first?.id ?? '');
  };
  const refused = async (work: Promise<unknown>): Promise<string> => {
    const error = await work.catch((reason: unknown) => reason);
    if (isBeckonError(error, 'CONFLICT')) return `409 ${error.details?.reason}`;
    return error instanceof Error && 'code' in error ? String(error.code) : 'done';
  };

  it('a webhook is created, listed, updated and deleted, and shows its secret once', async () => {
    const { secret, ...made } = await hook({ description: 'Shop', headers: { 'X-Team': '7' } });
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
    const { orgId, projectId } = scope;
    expect(made).toMatchObject({ isActive: true, isPulled: false, headers: { 'x-team': '7' }, projectId });
    expect(await beckon.webhooks.get(scope, made.id)).toEqual(made);
    const changed = await beckon.webhooks.update(scope, made.id, { events: ['sms.failed'], description: null });
    expect(changed).toMatchObject({ url: made.url, events: ['sms.failed'], description: null, headers: made.headers });
    expect((await beckon.webhooks.list(scope, { count: true })).pagination).toMatchObject({ total: 1, hasMore: false });
    expect((await beckon.webhooks.list(scope)).data).toEqual([changed]);
    const kept = JSON.stringify(await database.storage.db.select().from(database.tables.webhooks));
    for (const plain of [secret.slice(6), 'x-team']) expect(kept).not.toContain(plain);

    const prod = await beckon.tenancy.scope({ orgId, projectId, environment: 'prod' });
    expect((await beckon.webhooks.list(prod)).data).toEqual([]);
    expect(await refused(beckon.webhooks.get(prod, made.id))).toBe('NOT_FOUND');
    expect(await refused(beckon.webhooks.update(prod, made.id, {}))).toBe('NOT_FOUND');
    expect(await beckon.webhooks.delete(scope, made.id)).toEqual(changed);
    expect(await refused(beckon.webhooks.delete(scope, made.id))).toBe('NOT_FOUND');
    for (const url of ['http://10.0.0.1/', 'https://[::1]/', 'ftp://shop.test/', 'https://a:b@shop.test/'])
      expect(await refused(hook({ url }))).toBe('VALIDATION_ERROR');
  });

  it('a webhook receives events, signed, with its custom headers', async () => {
    const { id, secret } = await hook({ headers: { Authorization: 'Bearer t' } });
    await identify('ann');
    await beckon.worker.drain();
    const [told] = receiver.got;
    if (!told) throw new Error('nothing was told');
    const body = JSON.parse(told.body);
    expect(body.data).toEqual({ userId: 'ann', traits: { plan: 'pro' }, changedTraits: ['plan'] });
    expect(body.event).toMatchObject({ type: 'user.identified', environment: 'test', orgId: scope.orgId });
    expect((await beckon.events.list(scope)).data.map((event) => event.id)).toEqual([body.event.id]);
    expect(told.headers).toMatchObject({ authorization: 'Bearer t', 'webhook-id': body.event.id });
    const verify = (key: string, { body: text, headers } = told) =>
      new StandardWebhook(key).verify(text, {
        'webhook-id': String(headers['webhook-id']),
        'webhook-timestamp': String(headers['webhook-timestamp']),
        'webhook-signature': String(headers['webhook-signature']),
      });
    expect(() => verify(secret)).not.toThrow();
    expect(await onlyDelivery(id)).toMatchObject({
      ...{ status: 'delivered', eventId: body.event.id, body: told.body, attemptCount: 1, nextAttemptAt: null },
      attempts: [{ trigger: 'schedule', status: 200, response: 'ok', error: null }],
    });

    // Both secrets sign while the older one is being replaced, whichever master key seals them.
    const { secret: newer } = await beckon.webhooks.rotateSecret(scope, id, { graceSeconds: 60 });
    await beckon.close();
    beckon = await world.open(`${newMasterKey()},${world.masterKey}`);
    await beckon.secrets.rotateMasterKey();
    scope = await beckon.tenancy.scope({ orgId: scope.orgId, projectId: scope.projectId, environment: 'test' });
    await identify('ann');
    await beckon.worker.drain();
    for (const key of [secret, newer]) expect(() => verify(key, receiver.got[1])).not.toThrow();
    clock.advance(60_000);
    await identify('ann');
    await beckon.worker.drain();
    expect(() => verify(newer, receiver.got[2])).not.toThrow();
    expect(() => verify(secret, receiver.got[2])).toThrow();
  });

  it('a failed delivery is retried on the schedule and by replay, with the same bytes', async () => {
    answer = () => ({ status: 503, body: 'busy' });
    const { id } = await hook();
    await identify('ann');
    const start = clock.now().getTime();
    const seconds: number[] = [];
    for (;;) {
      const before = receiver.got.length;
      await beckon.worker.drain();
      expect(receiver.got.length).toBe(before + 1);
      seconds.push((clock.now().getTime() - start) / 1_000);
      const { nextAttemptAt, status } = await onlyDelivery(id);
      if (nextAttemptAt === null) break;
      expect(status).toBe('pending');
      clock.set(new Date(nextAttemptAt.getTime() - 1));
      expect(await beckon.worker.drain()).toBe(0);
      clock.advance(1);
    }
    expect(seconds).toEqual([0, 30, 150, 750, 4_350, 25_950]);
    expect(new Set(receiver.got.map(({ body, headers }) => `${headers['webhook-id']} ${body}`)).size).toBe(1);
    expect(new Set(receiver.got.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(6);
    const failed = await onlyDelivery(id);
    expect(failed).toMatchObject({ status: 'failed', reason: 'exhausted', attemptCount: 6 });
    expect((await beckon.webhooks.get(scope, id)).failingSince).toEqual(new Date(start));

    expect(await beckon.webhooks.replay(scope, failed.id)).toMatchObject({ status: 'pending', attemptCount: 0 });
    expect(await refused(beckon.webhooks.replay(scope, failed.id))).toBe('409 in_progress');
    answer = () => ({ status: 200 });
    await beckon.worker.drain();
    const { status, attempts } = await onlyDelivery(id);
    expect([status, attempts.map(({ trigger }) => trigger).at(-1), attempts.length]).toEqual([
      'delivered',
      'manual',
      7,
    ]);
    expect((await beckon.webhooks.get(scope, id)).failingSince).toBeNull();
    expect(receiver.got.at(-1)?.body).toBe(receiver.got[0]?.body);
  });

  it.each([
    [429, '86400'],
    [429, '1'],
    [503, 'Fri, 31 Dec 9999 23:59:59 GMT'],
  ])('are told again after 30 seconds, whatever Retry-After a receiver answers with %i (%s)', async (status, wait) => {
    answer = () => ({ status, headers: { 'retry-after': wait } });
    const { id } = await hook();
    await identify('ann');
    await beckon.worker.drain();
    expect((await onlyDelivery(id)).nextAttemptAt).toEqual(new Date(clock.now().getTime() + 30_000));
    clock.advance(30_000);
    await beckon.worker.drain();
    expect((await onlyDelivery(id)).nextAttemptAt).toEqual(new Date(clock.now().getTime() + 120_000));
  });

  it.each(['https://localhost/', 'https://LOCALHOST.:8443/x', 'http://shop.localhost/', 'http://[::ffff:0:7f00:1]/'])(
    'are refused at creation and at a change of URL where they lead to %s',
    async (url) => {
      await beckon.close();
      beckon = await world.open(world.masterKey, { outbound: {} });
      scope = await beckon.tenancy.scope({ ...scope });
      const made = await hook({ url: 'https://shop.example/hook' });
      for (const work of [hook({ url }), beckon.webhooks.update(scope, made.id, { url })]) {
        const error = await work.catch((reason: unknown) => reason);
        expect(error).toMatchObject({
          code: 'VALIDATION_ERROR',
          details: { fieldErrors: { url: [expect.any(String)] } },
        });
      }
    },
  );

  it('a webhook is disabled after a 410 or 120 hours without success, and recovers missed events later', async () => {
    answer = () => ({ status: 410 });
    const { id } = await hook();
    for (const userId of ['ann', 'bob', 'eve']) await identify(userId);
    await beckon.worker.drain();
    expect(await beckon.webhooks.get(scope, id)).toMatchObject({ isActive: false, disabledReason: 'gone' });
    // What was on its way went out beside it or was cancelled; what happens from now on is not kept.
    await identify('later');
    await beckon.worker.drain();
    const { data } = await beckon.webhooks.deliveries(scope, id);
    expect(data.length).toBe(3);
    for (const { status } of data) expect(['failed', 'cancelled']).toContain(status);
    const [first] = data;
    for (const work of [
      () => beckon.webhooks.test(scope, id),
      () => beckon.webhooks.replay(scope, first?.id ?? ''),
      () => beckon.webhooks.recover(scope, id, { since: new Date(0).toISOString() }),
    ])
      expect(await refused(work())).toBe('VALIDATION_ERROR');

    expect(await beckon.webhooks.update(scope, id, { isActive: true })).toMatchObject({ disabledReason: null });
    answer = () => ({ status: 200 });
    const told = receiver.got.length;
    const since = first?.createdAt.toISOString() ?? '';
    const behind = { since, until: '9999-12-31T23:59:59-12:00' };
    await expect(beckon.webhooks.recover(scope, id, behind)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await beckon.webhooks.recover(scope, id, { since, until: since })).toEqual({ recovered: 0, hasMore: false });
    const from = new Date(clock.now().getTime() - HOUR_MS).toISOString();
    clock.advance(1);
    expect(await beckon.webhooks.recover(scope, id, { since: from })).toEqual({ recovered: 3, hasMore: false });
    await beckon.worker.drain();
    expect(receiver.got.length).toBe(told + 3);
    // What was taken is not told again, nor what happened before.
    expect(await beckon.webhooks.recover(scope, id, { since: from })).toMatchObject({ recovered: 0 });
    answer = () => ({ status: 400 });
    await identify('ann');
    await beckon.worker.drain();
    clock.advance(1);
    const now = clock.now().toISOString();
    expect(await beckon.webhooks.recover(scope, id, { since: now })).toMatchObject({ recovered: 0 });
    answer = () => ({ status: 200 });
    await identify('ann');
    await beckon.worker.drain();

    answer = () => ({ status: 400 });
    await identify('ann');
    await beckon.worker.drain();
    clock.advance(120 * HOUR_MS - 1);
    await identify('ann');
    await beckon.worker.drain();
    expect((await beckon.webhooks.get(scope, id)).isActive).toBe(true);
    clock.advance(1);
    await identify('ann');
    await beckon.worker.drain();
    expect(await beckon.webhooks.get(scope, id)).toMatchObject({ isActive: false, disabledReason: 'failing' });
  });

  it('a webhook can be tested, and deleted during a retry; erased users and old deliveries are deleted', async () => {
    const { id } = await hook();
    const { id: testId } = await beckon.webhooks.test(scope, id);
    await beckon.worker.drain();
    expect(await beckon.webhooks.delivery(scope, testId)).toMatchObject({
      status: 'delivered',
      eventType: 'webhook.test',
    });
    expect(JSON.parse(receiver.got[0]?.body ?? '').data).toEqual({ webhookId: id, url: receiver.url, test: true });

    answer = () => ({ status: 500 });
    for (const userId of ['ann', 'bob']) await identify(userId);
    await beckon.worker.drain();
    await beckon.profiles.erase(scope, 'ann');
    await beckon.worker.drain();
    const { data } = await beckon.webhooks.deliveries(scope, id, { eventType: 'user.identified', count: true });
    expect(data.length).toBe(1);
    const kept = JSON.stringify(await database.storage.db.select().from(database.tables.webhookBodies));
    expect([kept.includes('bob'), kept.includes('ann')]).toEqual([true, false]);

    const [last] = data;
    const told = receiver.got.length;
    await beckon.webhooks.update(scope, id, { isActive: false });
    clock.advance(30_000);
    await beckon.worker.drain();
    const off = { status: 'cancelled', reason: 'disabled', attemptCount: 1 };
    expect(await beckon.webhooks.delivery(scope, last?.id ?? '')).toMatchObject(off);
    await beckon.webhooks.update(scope, id, { isActive: true });
    await beckon.webhooks.replay(scope, last?.id ?? '');
    await beckon.webhooks.delete(scope, id);
    await beckon.worker.drain();
    expect(receiver.got.length).toBe(told);
    expect(await beckon.webhooks.delivery(scope, last?.id ?? '')).toMatchObject({
      status: 'cancelled',
      reason: 'deleted',
    });
    clock.advance(30 * 24 * HOUR_MS - 30_000);
    await beckon.worker.drain();
    expect((await database.storage.db.select().from(database.tables.webhookDeliveries)).length).toBe(2);
    clock.advance(1);
    await beckon.worker.drain();
    expect(await database.storage.db.select().from(database.tables.webhookDeliveries)).toEqual([]);
  });

  it('events without a user are delivered, client events with a catalog name are not', async () => {
    const events = ['push.sent', 'push.failed', 'user.identified'] as const;
    const { id } = await hook({ events: [...events], isPulled: true, url: 'http://localhost:3000/' });
    statements.length = 0;
    await beckon.events.track(scope, { module: 'push', eventType: 'push.sent', userId: 'ann' });
    expect(statements.filter((one) => one.startsWith('webhooks.'))).toEqual(['webhooks.active']);
    await beckon.push.send(scope, { tokens: ['fcm:unregistered'], title: 'Hello' });
    await beckon.worker.drain();
    const held = await onlyDelivery(id);
    expect(held).toMatchObject({ eventType: 'push.sent', status: 'held', nextAttemptAt: null, attempts: [] });
    expect(JSON.parse(held.body).data).not.toHaveProperty('userId');
    expect(await refused(beckon.webhooks.replay(scope, held.id))).toBe('409 in_progress');
    // A terminal that was closed leaves it behind for a day.
    clock.advance(24 * HOUR_MS + 1);
    await beckon.worker.drain();
    expect((await beckon.webhooks.list(scope)).data).toEqual([]);
  });

  it('each of two webhooks receives an event once, however often it is planned', async () => {
    // What was remembered of the project is forgotten with the first of them.
    await identify('early');
    const ids = [(await hook()).id, (await hook()).id];
    const item = { userId: 'ann', traits: { plan: 'pro' }, messageId: 'once' };
    for (let time = 0; time < 2; time += 1) await refused(beckon.events.identify(scope, item));
    await beckon.worker.drain();
    expect(receiver.got.length).toBe(2);
    for (const id of ids) expect((await onlyDelivery(id)).status).toBe('delivered');
    const rows = await database.storage.db.select().from(database.tables.webhookDeliveries);
    expect(new Set(rows.map(({ eventId }) => eventId)).size).toBe(1);
  });

  it('a recovery redelivers missed events in their order, 50 a second', async () => {
    const { storage, tables } = database;
    const { id } = await hook();
    const hot = webhookStatements(tables);
    const start = clock.now().getTime();
    const failed = Array.from({ length: 120 }, (_, at) => at).flatMap((at) => {
      const event = {
        id: rowId(`e${at}`),
        type: 'user.identified',
        person: null,
        properties: {},
        at: new Date(start + at),
      };
      const [body, ...told] = deliveryWrites(hot, scope, event, [{ id, isPulled: false }]);
      return [
        ...(body ? [body] : []),
        ...told.map((tell) => ({ ...tell, row: { ...tell.row, status: 'failed', dueAt: null } })),
      ];
    });
    await storage.commit({ writes: failed });
    clock.advance(1_000);
    const since = new Date(start + 10).toISOString();
    expect(await beckon.webhooks.recover(scope, id, { since })).toEqual({ recovered: 110, hasMore: false });
    const seconds: number[] = [];
    let cursor: string | undefined;
    do {
      const page = await beckon.webhooks.deliveries(scope, id, { limit: 50, status: 'pending', cursor });
      for (const { nextAttemptAt } of page.data)
        seconds.push(((nextAttemptAt?.getTime() ?? 0) - start - 1_000) / 1_000);
      cursor = page.pagination.nextCursor ?? undefined;
    } while (cursor !== undefined);
    const times = (count: number, second: number) => Array.from({ length: count }, () => second);
    expect(seconds).toEqual([...times(10, 2), ...times(50, 1), ...times(50, 0)]);
    const window = { from: new Date(start), to: new Date(start + 10), count: true };
    const before = await beckon.webhooks.deliveries(scope, id, window);
    expect([before.pagination.total, before.data.every(({ status }) => status === 'failed')]).toEqual([10, true]);
  });

  it('due deliveries of other webhooks are noticed', async () => {
    const { storage, tables } = database;
    const [first, second] = [(await hook()).id, (await hook()).id];
    const behind = otherDueTargets(storage, tables);
    expect(await behind(new Set())).toBe(false);
    await identify('ann');
    const all = new Set([first, second]);
    expect([await behind(all), await behind(new Set([first])), await behind(new Set([second]))]).toEqual([
      false,
      true,
      true,
    ]);
    // Behind what was not looked at there may be anybody.
    expect([await otherDueTargets(storage, tables, 2)(all), await otherDueTargets(storage, tables, 3)(all)]).toEqual([
      true,
      false,
    ]);
    await beckon.worker.drain();
    expect(await behind(new Set())).toBe(false);
  });

  it('a delivery planned twice stays one row and keeps what its worker wrote', async () => {
    const { storage, tables } = database;
    const { id } = await hook({ isActive: false });
    const hot = webhookStatements(tables);
    const event = { id: rowId('event'), type: 'user.identified', person: null, properties: {}, at: clock.now() };
    const writes = deliveryWrites(hot, scope, event, [{ id, isPulled: false }]);
    for (let time = 0; time < 2; time += 1) await storage.commit({ writes });
    const { status, createdAt, ...given } = await onlyDelivery(id);
    expect(status).toBe('pending');
    const key = { scopeId: scope.scopeId, id: given.id };
    const state = { status: 'delivered', reason: null, trigger: 'schedule', attempts: 1, attemptLog: [] } as const;
    const late = write(hot.finish, { ...key, fence: 7, ...state, finishedAt: createdAt, dueAt: null });
    await storage.commit({ writes: [late] });
    expect((await onlyDelivery(id)).status).toBe('pending');

    // Of two workers that find it failing the first one's moment stays.
    for (const failingSince of [createdAt, new Date(createdAt.getTime() + HOUR_MS)])
      await storage.commit({ writes: [write(hot.failing, { ...key, id, failingSince })] });
    expect((await beckon.webhooks.get(scope, id)).failingSince).toEqual(createdAt);
  });
});
