import { describe, expect, it } from 'vitest';
import { pushMessage, uuidOf } from '../../../../test/support/transports/push-message.ts';
import type { PushMessage } from '../port.ts';
import { fcmMessage, reservedDataKey } from './payload.ts';

const message = (changes: Partial<PushMessage>, channel?: string) =>
  JSON.parse(fcmMessage(pushMessage({ token: 'token', platform: 'android', ...changes }), channel));
const ids = { serviceSendId: uuidOf('send'), serviceMessageId: uuidOf('message') };

describe('the message to FCM', () => {
  it('a minimal FCM message holds only title, body and the ids of the service', () => {
    expect(message({})).toEqual({
      token: 'token',
      notification: { title: 'Hello', body: 'World' },
      data: ids,
      android: { priority: 'high', ttl: '3600s', notification: { tag: ids.serviceMessageId } },
    });
  });

  it("FCM data values are strings, and a caller's data cannot override the ids", () => {
    const data = {
      url: 'https://example.test/ü',
      nested: { a: [1, 'ü'] },
      count: 1,
      on: true,
      none: null,
      serviceSendId: 'x',
    };
    expect(message({ data }).data).toEqual({
      url: 'https://example.test/ü',
      nested: '{"a":[1,"ü"]}',
      count: '1',
      on: 'true',
      none: 'null',
      ...ids,
    });
  });

  it('a push with actions is data only and contains everything the app needs to show it', () => {
    const actions = [{ id: 'yes', title: 'Yes' }];
    const sent = message({
      actions,
      imageUrl: 'https://example.test/i.png',
      data: { title: 'of the caller' },
      sound: 'a',
    });
    expect(sent).not.toHaveProperty('notification');
    expect(sent.android).not.toHaveProperty('notification');
    expect(sent.data).toEqual({
      title: 'of the caller',
      actions: JSON.stringify(actions),
      serviceTitle: 'Hello',
      serviceBody: 'World',
      serviceImageUrl: 'https://example.test/i.png',
      ...ids,
    });
  });

  it('a push without visible content is data only', () => {
    expect(message({ title: null, body: null, priority: 'normal' })).toEqual({
      token: 'token',
      data: ids,
      android: { priority: 'normal', ttl: '3600s' },
    });
  });

  it('image, sound and badge without title and body stay data only', () => {
    const sent = message({ title: null, body: null, imageUrl: 'https://example.test/i.png', sound: 'a', badge: 1 });
    expect(sent).toEqual({ token: 'token', data: ids, android: { priority: 'high', ttl: '3600s' } });
  });

  it('an FCM message carries every field that Android supports', () => {
    const sent = message({ badge: 2, sound: 'ping', collapseKey: 'k', imageUrl: 'https://example.test/i.png' });
    expect(sent.notification.image).toBe('https://example.test/i.png');
    expect(sent.android).toEqual({
      priority: 'high',
      ttl: '3600s',
      collapse_key: 'k',
      notification: { tag: 'k', sound: 'ping', notification_count: 2 },
    });
  });

  it('a message without a collapse key uses its own id as tag, so a duplicate replaces the first', () => {
    const { android } = message({});
    expect(android).toMatchObject({ notification: { tag: ids.serviceMessageId } });
    expect(android).not.toHaveProperty('collapse_key');
    const withActions = message({ actions: [{ id: 'a', title: 'A' }], collapseKey: 'k' });
    expect(withActions.data.serviceTag).toBe('k');
  });

  it('a critical alert has high priority and the configured channel', () => {
    const criticalAlert = { soundName: 'siren', volumeRatio: 1 };
    const { android } = message({ criticalAlert, priority: 'normal' }, 'alarms');
    expect(android).toMatchObject({ priority: 'high', notification: { channel_id: 'alarms' } });
    const { data } = message({ criticalAlert, actions: [{ id: 'a', title: 'A' }] }, 'alarms');
    expect(data.serviceChannelId).toBe('alarms');
    expect(message({}, 'alarms').android.notification).not.toHaveProperty('channel_id');
  });

  it.each([
    [0, '0s'],
    [2_419_200, '2419200s'],
    [9_999_999, '2419200s'],
    [-1, '0s'],
  ])('lives %d s as %s', (ttlSeconds, ttl) => {
    expect(message({ ttlSeconds }).android.ttl).toBe(ttl);
  });
});

describe('reservedDataKey', () => {
  it.each(['from', 'message_type', 'gcm.notification.title', 'google.sent_time'])('reservedDataKey finds %s', (key) => {
    expect(reservedDataKey({ fine: 1, [key]: 2 })).toBe(key);
  });

  it.each(['fromage', 'message_types', 'Google.x', 'googleMapsUrl', 'google', 'gcm', 'gcm.n.e', 'my-gcm', 'url'])(
    'reservedDataKey allows %s',
    (key) => {
      expect(reservedDataKey({ [key]: 1 })).toBeNull();
    },
  );
});
