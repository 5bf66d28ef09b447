import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { backupDatabase } from '../../src/index.ts';
import { HOUR_MS, openService, type Service, type World } from './world.ts';

const ANN = 'ann@example.com';
const PHONE = '+15005550007';

describe('privacy and consent', () => {
  let service: Service;
  let world: World;
  beforeAll(async () => {
    service = await openService();
  });
  beforeEach(async () => {
    world = await service.world();
  });
  afterAll(() => service.close());

  const identify = (userId = 'ann', more: object = {}) =>
    world.beckon.events.identify(world.prod, {
      ...{ userId, traits: { email: `${userId}@example.com`, phone: PHONE, ...more } },
    });
  const sent = async (body: object = {}) => {
    const id = await world.mail({ userIds: ['ann'], class: 'marketing', ...body });
    await world.pass();
    const { status, reason } = await world.messageOf('email', id);
    return reason ?? status;
  };

  it('a suppressed address gets no email, however it is written', async () => {
    await identify('ann', { email: 'Ann@Example.com' });
    await world.beckon.suppressions.add(world.prod, 'email', {
      address: 'aNN@example.com',
      reason: 'complained_address',
    });
    for (const kind of ['marketing', 'transactional']) expect(await sent({ class: kind })).toBe('complained_address');
    expect(world.handed).toEqual([]);
    await world.beckon.suppressions.remove(world.prod, 'email', { address: ANN });
    expect(await sent()).toBe('sent');
  });

  it('a bounced address gets no more email, and a number that opted out no more SMS', async () => {
    world.answers.provider = ({ channel }) => ({
      ...{ result: 'failed', code: '550', message: 'No.' },
      address: channel === 'email' ? 'bounced' : 'opted_out',
    });
    await identify();
    await sent();
    await world.text({ to: PHONE });
    await world.pass();
    expect(world.handed).toHaveLength(2);
    world.answers.provider = () => ({ result: 'accepted', providerId: 'x' });
    expect(await sent()).toBe('bounced_address');
    const text = await world.text({ to: PHONE });
    await world.pass();
    expect(await world.messageOf('sms', text)).toMatchObject({ status: 'suppressed' });
    expect(world.handed).toHaveLength(2);
  });

  it('an unsubscribed user gets no marketing, but still transactional messages', async () => {
    await identify();
    await world.beckon.subscriptions.update(world.prod, 'ann', { email: { subscribed: false } });
    expect(await sent()).toBe('unsubscribed');
    expect(world.handed).toEqual([]);
    expect(await sent({ class: 'transactional' })).toBe('sent');
    await world.beckon.subscriptions.update(world.prod, 'ann', { email: { subscribed: true } });
    expect(await sent()).toBe('sent');
  });

  it('opting out of a category stops that category and no other', async () => {
    await identify();
    await world.beckon.subscriptions.update(world.prod, 'ann', { email: { categories: { news: false } } });
    expect(await sent({ category: 'news' })).toBe('unsubscribed');
    expect(await sent({ category: 'offers' })).toBe('sent');
  });

  it('an unsubscribe link stops all marketing to an address, waiting messages included, and a forged link does nothing', async () => {
    const { beckon, test } = world;
    const mail = { to: ANN, from: 'us@example.com', class: 'marketing' } as const;
    await world.mail(mail, test);
    const scheduledFor = new Date(world.clock.now().getTime() + HOUR_MS).toISOString();
    const later = await world.mail({ ...mail, scheduledFor }, test);
    await world.pass();
    const [caught] = (await beckon.outbox.list(test, { channel: 'email' })).data;
    const [, token = ''] = /unsubscribe\/([\w-]+)>/.exec(JSON.stringify(caught?.content)) ?? [];
    // No part of a changed token is trusted.
    const forged = `${token.slice(0, -6)}${token.endsWith('AAAAAA') ? 'BBBBBB' : 'AAAAAA'}`;
    await beckon.subscriptions.changeByLink(forged, { kind: 'unsubscribe' }).catch(() => undefined);
    expect(await beckon.subscriptions.ofLink(token)).toMatchObject({ isSubscribedToAny: true });
    await beckon.subscriptions.changeByLink(token, { kind: 'unsubscribe' });
    await world.pass(HOUR_MS);
    expect(await world.messageOf('email', later, test)).toMatchObject({ status: 'suppressed' });
  });

  it('trait values are escaped in the HTML of emails, and the template is not', async () => {
    await identify('ann', { name: '<script>alert("1")</script>' });
    await sent({ text: undefined, html: '<p>Hello {{trait.name}}</p>' });
    expect(world.handed[0]?.text).toContain('<p>Hello &lt;script&gt;');
    expect(world.handed[0]?.text).not.toContain('<script>');
  });

  it('placeholders in trait values are not rendered', async () => {
    await identify('ann', { name: '{{trait.secret}}', secret: 'hidden' });
    await sent({ text: 'Hello {{trait.name}}{{trait.none | default: "there"}}' });
    expect(world.handed[0]?.text).toContain('Hello {{trait.secret}}');
    expect(world.handed[0]?.text).not.toContain('hidden');
  });

  it('erasing a user deletes all their data, and none of others', async () => {
    const { beckon, prod } = world;
    const userId = `zebra-${prod.projectId}`;
    await beckon.webhooks.create(prod, { url: world.hook, events: ['user.identified'], isPulled: true });
    await beckon.events.track(prod, {
      module: 'm',
      eventType: 'seen',
      anonymousId: `${userId}-browser`,
      messageId: userId,
    });
    await beckon.events.identify(prod, {
      ...{ userId, anonymousId: `${userId}-browser`, traits: { email: `${userId}@example.com` } },
    });
    await identify('ben');
    await beckon.email.send(prod, { userIds: [userId], subject: userId, text: 't' }, { idempotencyKey: userId });
    await beckon.email.send(prod, { userIds: [userId, 'ben'], subject: 's', text: 't' });
    const scheduledFor = new Date(world.clock.now().getTime() + HOUR_MS).toISOString();
    await beckon.email.send(prod, { userIds: [userId, 'ben'], subject: 's', text: 't', scheduledFor });
    await beckon.suppressions.add(prod, 'email', { address: `${userId}@example.com` });
    await world.pass();
    const kept = async (name: string) => {
      const file = join(world.folder, `${prod.projectId}.${name}`);
      await backupDatabase({ db: world.url, file });
      return (await readFile(file)).toString('latin1').split(userId).length - 1;
    };
    expect(await kept('before')).toBeGreaterThan(5);
    const { erasureId } = await beckon.profiles.erase(prod, userId);
    await world.pass();
    expect(await beckon.profiles.erasure(prod, erasureId)).toMatchObject({ status: 'done' });
    await expect(beckon.profiles.get(prod, userId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await kept('after')).toBe(0);
    await world.pass(HOUR_MS);
    expect(world.handed.filter(({ to }) => to === 'ben@example.com')).toHaveLength(2);
    expect((await beckon.profiles.get(prod, 'ben')).userId).toBe('ben');
  });
});
