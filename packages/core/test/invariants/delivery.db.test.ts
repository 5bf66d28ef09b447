import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SendOutcome } from '../../src/index.ts';
import { HOUR_MS, MINUTE_MS, openService, type Service, type World } from './world.ts';

const ANN = 'ann@example.com';
const PHONE = '+15005550007';
const retry = (processed: 'no' | 'unknown', more: object = {}): SendOutcome => ({
  ...{ result: 'retry', code: 'busy', message: 'Later.', processed },
  ...more,
});

describe('delivery', () => {
  let service: Service;
  let world: World;
  beforeAll(async () => {
    service = await openService();
  });
  beforeEach(async () => {
    world = await service.world();
  });
  afterAll(() => service.close());
  const hours = async (count: number) => {
    for (let hour = 0; hour < count; hour += 1) await world.pass(HOUR_MS);
  };

  it('an accepted message is handed to its provider once', async () => {
    const id = await world.mail({ to: ANN });
    await world.pass();
    await hours(5);
    expect(world.handed).toHaveLength(1);
    expect(await world.beckon.sends.get(world.prod, 'email', id)).toMatchObject({
      status: 'sent',
      counts: { targeted: 1, sent: 1 },
    });
  });

  it('of two workers only one hands a message to its provider', async () => {
    const other = await world.open();
    for (let at = 0; at < 10; at += 1) await world.mail({ to: `${at}@example.com` });
    await Promise.all([world.pass(), other.worker.drain()]);
    await world.pass();
    expect(world.handed.map(({ to }) => to).toSorted()).toEqual(
      Array.from({ length: 10 }, (_, at) => `${at}@example.com`),
    );
  });

  it('an accepted send survives the end of the process before it was processed', async () => {
    const other = await world.open();
    await other.email.send(await other.tenancy.scope(world.prod), { to: ANN, subject: 's', text: 't' });
    await other.close();
    await world.pass();
    expect(world.handed).toMatchObject([{ to: ANN }]);
  });

  it('an SMS with an unknown result is not repeated', async () => {
    world.answers.provider = () => retry('unknown');
    const id = await world.text({ to: PHONE });
    await world.pass();
    await hours(4);
    expect(world.handed).toHaveLength(1);
    expect(await world.messageOf('sms', id)).toMatchObject({ status: 'failed' });
  });

  it('an SMS that the provider did not accept is repeated', async () => {
    const answers = [retry('no')];
    world.answers.provider = () => answers.shift() ?? { result: 'accepted', providerId: 'x' };
    const id = await world.text({ to: PHONE });
    await world.pass();
    await hours(2);
    expect(world.handed).toHaveLength(2);
    expect(await world.messageOf('sms', id)).toMatchObject({ status: 'sent' });
  });

  it('a message fails after its sixth attempt', async () => {
    world.answers.provider = () => retry('no');
    const id = await world.mail({ to: ANN });
    await world.pass();
    await hours(7);
    expect(world.handed).toHaveLength(6);
    expect(await world.messageOf('email', id)).toMatchObject({ status: 'failed', errorCode: 'busy', attempt: 6 });
  });

  it('the wait grows before each further attempt', async () => {
    world.answers.provider = () => retry('no');
    await world.mail({ to: ANN });
    await world.pass();
    for (let second = 0; second < 45; second += 1) await world.pass(1_000);
    const times = world.handed.map(({ at }) => at.getTime());
    const waits = times.slice(1).map((time, at) => time - (times[at] ?? 0));
    expect(waits).toHaveLength(5);
    // Sixteen times the first wait, whatever part of it is random.
    expect(waits.at(-1)).toBeGreaterThanOrEqual(10_000);
  });

  it('a provider is not called again before its Retry-After', async () => {
    const answers = [retry('no', { retryAfterMs: 30 * MINUTE_MS })];
    world.answers.provider = () => answers.shift() ?? { result: 'accepted', providerId: 'x' };
    await world.mail({ to: ANN });
    await world.pass();
    await world.pass(MINUTE_MS);
    await world.pass(28 * MINUTE_MS);
    expect(world.handed).toHaveLength(1);
    await hours(1);
    expect(world.handed).toHaveLength(2);
  });

  it('a message that its provider rejects for good ends, and a bounce differs from other rejections', async () => {
    const refuse = (address?: 'bounced'): SendOutcome => ({
      ...{ result: 'failed', code: '550', message: 'No.' },
      ...(address && { address }),
    });
    world.answers.provider = ({ to }) => refuse(to === ANN ? 'bounced' : undefined);
    const ids = [await world.mail({ to: ANN }), await world.mail({ to: 'ben@example.com' })] as const;
    await world.pass();
    await hours(3);
    expect(world.handed).toHaveLength(2);
    expect(await world.messageOf('email', ids[0])).toMatchObject({ status: 'bounced', errorCode: '550' });
    expect(await world.messageOf('email', ids[1])).toMatchObject({ status: 'failed', errorCode: '550' });
  });

  it('a rejected credential stops calls to the provider, and costs its messages no attempt', async () => {
    world.answers.provider = () => ({ result: 'credential', code: '401', message: 'Key?' });
    const first = await world.mail({ to: ANN });
    await world.pass();
    for (let at = 0; at < 3; at += 1) await world.mail({ to: `${at}@example.com` });
    await world.pass();
    expect(world.handed).toHaveLength(1);
    expect(await world.messageOf('email', first)).toMatchObject({ status: 'queued', attempt: 0 });
    await world.pass(HOUR_MS);
    // One message tests whether the credential is accepted again.
    expect(world.handed).toHaveLength(2);
    world.answers.provider = () => ({ result: 'accepted', providerId: 'x' });
    await hours(2);
    expect(world.handed).toHaveLength(6);
  });

  it('other messages continue if a provider throws for one', async () => {
    world.answers.provider = ({ to }) => {
      if (to === ANN) throw new Error('broken');
      return { result: 'accepted', providerId: 'x' };
    };
    const id = await world.mail({ to: ANN });
    const other = await world.mail({ to: 'ben@example.com' });
    await world.pass();
    expect(await world.messageOf('email', id)).toMatchObject({ status: 'queued', errorCode: 'transport_threw' });
    expect(await world.messageOf('email', other)).toMatchObject({ status: 'sent' });
  });

  it('a scheduled send is sent at its time and not before, and a cancelled one never', async () => {
    const scheduledFor = new Date(world.clock.now().getTime() + HOUR_MS).toISOString();
    await world.mail({ to: ANN, scheduledFor });
    const cancelled = await world.mail({ to: 'ben@example.com', scheduledFor });
    await world.pass(59 * MINUTE_MS);
    expect(world.handed).toEqual([]);
    await world.beckon.sends.cancel(world.prod, 'email', cancelled);
    await world.pass(MINUTE_MS);
    await hours(1);
    expect(world.handed).toMatchObject([{ to: ANN }]);
    expect(await world.beckon.sends.get(world.prod, 'email', cancelled)).toMatchObject({ status: 'cancelled' });
  });

  it('a sent send cannot be cancelled', async () => {
    const id = await world.mail({ to: ANN });
    await world.pass();
    await expect(world.beckon.sends.cancel(world.prod, 'email', id)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('a send emails each address once, whoever has it', async () => {
    for (const userId of ['ann', 'anna'])
      await world.beckon.events.identify(world.prod, { userId, traits: { email: ANN } });
    const id = await world.mail({ userIds: ['ann', 'anna'] });
    await world.pass();
    expect(world.handed).toHaveLength(1);
    expect(await world.beckon.sends.get(world.prod, 'email', id)).toMatchObject({
      status: 'sent',
      counts: { targeted: 2, sent: 1 },
    });
  });

  it('a send counts each of its messages', async () => {
    world.answers.provider = ({ to }) =>
      to === ANN ? { result: 'failed', code: '500', message: 'No.' } : { result: 'accepted', providerId: 'x' };
    for (const userId of ['ann', 'ben', 'cat'])
      await world.beckon.events.identify(world.prod, { userId, traits: { email: `${userId}@example.com` } });
    const id = await world.mail({ userIds: ['ann', 'ben', 'cat'] });
    await world.pass();
    expect((await world.beckon.sends.get(world.prod, 'email', id)).counts).toMatchObject({
      targeted: 3,
      sent: 2,
      failed: 1,
      queued: 0,
    });
  });
});
