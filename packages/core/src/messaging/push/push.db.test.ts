import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { subscriptionJson } from '../../../test/support/push/subscription.ts';
import { unchecked } from '../../../test/support/unchecked.ts';
import type { Beckon } from '../../app/api.ts';
import { createBeckon } from '../../app/create.ts';
import { virtualClock } from '../../foundation/clock.ts';
import type { Scope } from '../../foundation/scope.ts';
import { newMasterKey } from '../../foundation/secrets.ts';
import type { Send } from '../sends/answers.generated.ts';

describe('push', () => {
  const clock = virtualClock('2026-03-01T10:00:00.000Z');
  const ran: string[] = [];
  let builds = 0;
  let database: TestDatabase;
  let beckon: Beckon;
  let scope: Scope;
  beforeEach(async () => {
    database = await openTestDatabase();
    const observer = {
      statement: (id: string) => ran.push(id),
      built: () => {
        builds += 1;
      },
    };
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), clock }, { observer });
    const org = await beckon.tenancy.createOrg({ name: 'Acme' });
    const project = await beckon.tenancy.createProject({ orgId: org.id, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId: org.id, projectId: project.id, environment: 'test' });
  });
  afterEach(async () => {
    await beckon.close();
    await database.close();
  });

  const device = async (token: string, more: object = {}): Promise<string> =>
    (await beckon.tokens.register(scope, { token, platform: 'android', userId: 'ann', ...more })).token.id;
  const send = (body: object): Promise<Send> => beckon.push.send(scope, unchecked({ title: 'Hello', ...body }));
  const ended = async (id: string) => {
    await beckon.worker.drain();
    const messages = (await beckon.sends.messages(scope, 'push', id)).data;
    return { send: await beckon.sends.get(scope, 'push', id), messages };
  };

  it('with reactivateOnRegister a device that registers again after a logout is reached', async () => {
    const id = await device('fcm:1');
    const tokenState = async () => {
      await device('fcm:1');
      const { messages } = await ended((await send({ userIds: ['ann'] })).id);
      return messages.map(({ status, reason }) => reason ?? status);
    };
    await beckon.tokens.delete(scope, id);
    expect((await beckon.settings.get(scope, 'push')).reactivateOnRegister).toBe(false);
    expect(await tokenState()).toEqual(['token_inactive']);
    await expect(
      beckon.settings.update(scope, 'push', { reactivateOnRegister: unchecked('yes') }),
    ).rejects.toMatchObject({
      details: { fieldErrors: { reactivateOnRegister: expect.anything() } },
    });
    await beckon.settings.update(scope, 'push', { reactivateOnRegister: true });
    expect(await tokenState()).toEqual(['sent']);
    await beckon.tokens.delete(scope, id);
    await beckon.settings.update(scope, 'push', { reactivateOnRegister: null });
    expect(await tokenState()).toEqual(['token_inactive']);
  });

  it('a push goes to every device of a user and is rendered for the user', async () => {
    await beckon.events.identify(scope, { userId: 'ann', traits: { name: 'Ann' } });
    await device('fcm:1');
    await device('ab'.repeat(32), { platform: 'ios', apnsEnvironment: 'sandbox' });
    await device(subscriptionJson({}), { platform: 'web' });
    const { id, tokenCount, status } = await send({ userIds: ['ann'], body: 'Hi {{trait.name}}', data: { a: 1 } });
    expect([status, tokenCount]).toEqual(['queued', 3]);
    const { send: after, messages } = await ended(id);
    expect(after).toMatchObject({ status: 'sent', counts: { targeted: 3, sent: 3 } });
    expect(messages.map(({ platform, userId }) => [platform, userId])).toEqual([
      ['android', 'ann'],
      ['ios', 'ann'],
      ['web', 'ann'],
    ]);
    const caught = (await beckon.outbox.list(scope, { channel: 'push' })).data;
    expect(caught.map(({ sendId, content }) => [sendId, 'body' in content && content.body])).toEqual(
      Array(3).fill([id, 'Hi Ann']),
    );
    expect(caught.map(({ messageId }) => messageId).sort()).toEqual(messages.map((message) => message.id).sort());
  });

  it('a suppressed message gives the reason per user', async () => {
    await beckon.tokens.delete(scope, await device('fcm:1'));
    const { messages, send: after } = await ended((await send({ userIds: ['ann', 'bob'] })).id);
    expect(messages.map(({ userId, reason, address }) => [userId, reason, address])).toEqual([
      ['ann', 'token_inactive', null],
      ['bob', 'no_token', null],
    ]);
    expect(after.status).toBe('suppressed');
  });

  it('raw tokens are sent to unchanged, once each', async () => {
    await beckon.tokens.delete(scope, await device('fcm:1'));
    const { messages } = await ended((await send({ tokens: ['fcm:1', 'fcm:new', 'fcm:1'] })).id);
    expect(messages.map(({ address, status, reason }) => [address, status, reason])).toEqual([
      ['fcm:1', 'sent', null],
      ['fcm:new', 'sent', null],
      ['fcm:1', 'suppressed', 'duplicate'],
    ]);
  });

  it('a device that logs out after acceptance is not reached', async () => {
    const tokenId = await device('fcm:1');
    const { id } = await send({ userIds: ['ann'] });
    await beckon.tokens.delete(scope, tokenId);
    expect((await ended(id)).messages).toMatchObject([{ status: 'suppressed', reason: 'token_inactive' }]);
  });

  it('a device that another user took over after acceptance is not reached', async () => {
    await device('fcm:1');
    const { id } = await send({ userIds: ['ann'] });
    await device('fcm:1', { userId: 'bob' });
    expect((await ended(id)).messages).toMatchObject([{ status: 'suppressed', reason: 'token_inactive' }]);
  });

  it('a token that its provider reports as dead becomes inactive and raises an event', async () => {
    await beckon.events.identify(scope, { userId: 'ann', traits: {} });
    const tokenId = await device('sandbox-dead-1');
    await device('fcm:2');
    const { send: after } = await ended((await send({ userIds: ['ann'] })).id);
    expect(after).toMatchObject({ status: 'sent', counts: { sent: 1, failed: 1 } });
    const { tokens } = await beckon.profiles.get(scope, 'ann');
    expect(tokens?.map(({ token, isActive }) => [token, isActive])).toEqual([
      ['fcm:2', true],
      ['sandbox-dead-1', false],
    ]);
    const [event] = (await beckon.profiles.events(scope, 'ann')).data;
    expect(event).toMatchObject({
      eventType: 'push.token_invalidated',
      source: 'system',
      properties: { tokenId, platform: 'android' },
    });
    const again = await ended((await send({ userIds: ['ann'] })).id);
    expect(again.messages).toMatchObject([{ address: 'fcm:2', status: 'sent' }]);
  });

  it('a device of an anonymous user follows the user after identify', async () => {
    const { token } = await beckon.tokens.register(scope, { token: 'fcm:1', platform: 'android', anonymousId: 'a1' });
    expect(token).toMatchObject({ userId: null, anonymousId: 'a1' });
    await beckon.events.identify(scope, { userId: 'ann', anonymousId: 'a1', traits: {} });
    expect((await beckon.profiles.get(scope, 'ann')).tokens).toMatchObject([{ id: token.id, userId: 'ann' }]);
    const later = { token: 'fcm:2', platform: 'android', anonymousId: 'a1' } as const;
    expect((await beckon.tokens.register(scope, later)).token.userId).toBe('ann');
    expect((await ended((await send({ userIds: ['ann'] })).id)).messages).toHaveLength(2);
  });

  it('`platforms` restricts a send', async () => {
    await device('fcm:1');
    await device('ab'.repeat(32), { platform: 'ios' });
    const { messages } = await ended((await send({ userIds: ['ann'], platforms: ['ios'] })).id);
    expect(messages).toMatchObject([{ platform: 'ios', status: 'sent' }]);
  });

  it('device reports are stored on their message', async () => {
    await device('fcm:1');
    const { id } = await send({ userIds: ['ann'] });
    const { messages } = await ended(id);
    const messageId = messages[0]?.id;
    await beckon.push.trackDelivered(scope, { sendId: id, messageId });
    clock.advance(60_000);
    await beckon.push.trackOpen(scope, { sendId: id, messageId, clickAction: 'buy' });
    expect((await ended(id)).messages).toMatchObject([
      { status: 'delivered', openedAt: clock.now(), clickedAt: clock.now(), clickAction: 'buy' },
    ]);
    expect((await beckon.sends.get(scope, 'push', id)).counts).toMatchObject({
      delivered: 1,
      opened: 1,
      uniqueOpened: 1,
      clicked: 1,
      uniqueClicked: 1,
    });
  });

  it('acceptance builds no SQL and needs as many statements for one device as for fifty', async () => {
    await device('fcm:0');
    for (let at = 0; at < 50; at += 1) await device(`fcm:b${at}`, { userId: 'bob' });
    await send({ userIds: ['ann'] });
    const cost = async (userId: string): Promise<number> => {
      ran.length = 0;
      builds = 0;
      await send({ userIds: [userId] });
      expect(builds).toBe(0);
      return ran.length;
    };
    const few = await cost('ann');
    expect(await cost('bob')).toBe(few);
    expect(few).toBeLessThan(8);
  });
});
