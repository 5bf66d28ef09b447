import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS, openService, type Service, type World } from './world.ts';

const VERSION = /^v1,/;

describe('webhooks', () => {
  let service: Service;
  let world: World;
  beforeAll(async () => {
    service = await openService();
  });
  beforeEach(async () => {
    world = await service.world();
  });
  afterAll(() => service.close());

  const hook = (more: object = {}) =>
    world.beckon.webhooks.create(world.prod, { url: world.hook, events: ['user.identified'], ...more });
  const identify = async (userId: string, more: object = {}) => {
    await world.beckon.events.identify(world.prod, { userId, traits: { name: userId }, ...more });
    await world.pass();
  };
  const delivered = () => world.received.map(({ body }) => JSON.parse(body).data.userId);
  const deliveries = async (id: string) => (await world.beckon.webhooks.deliveries(world.prod, id)).data;
  /** Which of the secrets signed a request. */
  const signersOf = (secrets: readonly string[], at = world.received.length - 1): number[] => {
    const one = world.received[at];
    if (!one) throw new Error('nothing was received');
    const { headers, body } = one;
    const signatures = String(headers['webhook-signature'])
      .split(' ')
      .map((signature) => signature.replace(VERSION, ''));
    const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    return secrets.flatMap((secret, index) => {
      const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
      return signatures.includes(createHmac('sha256', key).update(content).digest('base64')) ? [index] : [];
    });
  };

  it('a webhook gets each event once, signed over its id, its time and its body', async () => {
    const { secret } = await hook();
    await identify('ann', { messageId: 'm1' });
    await identify('ann', { messageId: 'm1' }).catch(() => undefined);
    await world.pass(HOUR_MS);
    expect(delivered()).toEqual(['ann']);
    expect(signersOf([secret])).toEqual([0]);
    const seconds = Number(world.received[0]?.headers['webhook-timestamp']);
    expect(seconds).toBeGreaterThan(0);
  });

  it('a webhook is signed with both secrets during a rotation, and then with the new one', async () => {
    const { id, secret } = await hook();
    const next = await world.beckon.webhooks.rotateSecret(world.prod, id, { graceSeconds: 3_600 });
    await identify('ann');
    expect(signersOf([secret, next.secret])).toEqual([0, 1]);
    world.clock.advance(HOUR_MS);
    await identify('ben');
    expect(signersOf([secret, next.secret])).toEqual([1]);
  });

  it('a webhook is retried after 30 seconds, 2 minutes, 10 minutes, an hour and 6 hours, and then no more', async () => {
    world.answers.receiver = () => 500;
    const { id } = await hook();
    await identify('ann');
    const waits = [30_000, 2 * MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS];
    for (const [at, wait] of waits.entries()) {
      await world.pass(wait - 15_000);
      expect(world.received).toHaveLength(at + 1);
      await world.pass(15_000 + 10_000);
      expect(world.received).toHaveLength(at + 2);
    }
    await world.pass(5 * DAY_MS);
    expect(world.received).toHaveLength(6);
    expect(await deliveries(id)).toMatchObject([{ status: 'failed', attemptCount: 6 }]);
  });

  it('every attempt has the same id and body', async () => {
    const answers = [500, 200];
    world.answers.receiver = () => answers.shift() ?? 200;
    await hook();
    await identify('ann');
    await world.pass(MINUTE_MS);
    const [first, second] = world.received;
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(second?.body).toBe(first?.body);
  });

  it.each([408, 429, 503])('a delivery answered %i is retried', async (status) => {
    const answers = [status];
    world.answers.receiver = () => answers.shift() ?? 200;
    await hook();
    await identify('ann');
    await world.pass(MINUTE_MS);
    expect(delivered()).toEqual(['ann', 'ann']);
  });

  it.each([302, 400, 404])('a delivery answered %i fails without a retry', async (status) => {
    world.answers.receiver = () => status;
    const { id } = await hook();
    await identify('ann');
    await world.pass(DAY_MS);
    expect(world.received).toHaveLength(1);
    expect(await deliveries(id)).toMatchObject([{ status: 'failed' }]);
  });

  it('a 410 disables a webhook, and it gets nothing while it is disabled', async () => {
    world.answers.receiver = () => 410;
    const { id } = await hook();
    await identify('ann');
    expect(await world.beckon.webhooks.get(world.prod, id)).toMatchObject({ isActive: false, disabledReason: 'gone' });
    world.answers.receiver = () => 200;
    await identify('ben');
    expect(delivered()).toEqual(['ann']);
  });

  it('a failing webhook does not delay others', async () => {
    world.answers.receiver = ({ path }) => (path.endsWith('/bad') ? 500 : 200);
    await hook({ url: `${world.hook}/bad` });
    await hook({ url: `${world.hook}/good` });
    await identify('ann');
    await identify('ben');
    expect(world.received.filter(({ path }) => path.endsWith('/good'))).toHaveLength(2);
  });

  it('a webhook cannot use a private address, neither when it is created nor when it posts', async () => {
    for (const url of ['http://10.0.0.1/', 'http://169.254.169.254/', 'https://[::1]/', 'ftp://shop.test/'])
      await expect(hook({ url })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    const { id } = await hook();
    await world.beckon.events.identify(world.prod, { userId: 'ann', traits: { a: 1 } });
    const strict = await world.open({ outbound: {} });
    await strict.worker.drain();
    await world.pass(DAY_MS);
    expect(world.received).toEqual([]);
    expect(await deliveries(id)).toMatchObject([{ status: 'failed', reason: 'blocked_address' }]);
  });

  it('a finished delivery can be replayed, and a running one cannot', async () => {
    world.answers.receiver = () => 500;
    const { id } = await hook();
    await identify('ann');
    const [{ id: delivery } = { id: '' }] = await deliveries(id);
    await expect(world.beckon.webhooks.replay(world.prod, delivery)).rejects.toMatchObject({ code: 'CONFLICT' });
    world.answers.receiver = () => 200;
    await world.pass(MINUTE_MS);
    await world.beckon.webhooks.replay(world.prod, delivery);
    await world.pass();
    expect(delivered()).toEqual(['ann', 'ann', 'ann']);
  });
});
