import { describe, expect, it } from 'vitest';
import { pushMessage, uuidOf } from '../../../../test/support/transports/push-message.ts';
import type { PushMessage } from '../port.ts';
import { fcmMessage, reservedDataKey } from './payload.ts';

const message = (changes: Partial<PushMessage>, channel?: string) =>
  JSON.parse(fcmMessage(pushMessage({ token: 'token', platform: 'android', ...changes }), channel));
const ids = { serviceSendId: uuidOf('send'), serviceMessageId: uuidOf('message') };

describe('the message to FCM', () => {
  it('holds title, body and the ids of the service, and nothing that was not asked for', () => {
    expect(message({})).toEqual({
      token: 'token',
      notification: { title: 'Hello', body: 'World' },
      data: ids,
      android: { priority: 'high', ttl: '3600s', notification: { tag: ids.serviceMessageId } },
    });
  });

  it('makes strings of all values of data, and lets the caller name none of the ids', () => {
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

  it('shows nothing by itself when it has actions, and gives the app all that it needs to', () => {
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

  it('is data alone when nothing is to be shown', () => {
    expect(message({ title: null, body: null, priority: 'normal' })).toEqual({
      token: 'token',
      data: ids,
      android: { priority: 'normal', ttl: '3600s' },
    });
  });

  it('is data alone for the app although an image, a sound and a badge were asked for', () => {
    const sent = message({ title: null, body: null, imageUrl: 'https://example.test/i.png', sound: 'a', badge: 1 });
    expect(sent).toEqual({ token: 'token', data: ids, android: { priority: 'high', ttl: '3600s' } });
  });

  it('carries what Android has a word for', () => {
    const sent = message({ badge: 2, sound: 'ping', collapseKey: 'k', imageUrl: 'https://example.test/i.png' });
    expect(sent.notification.image).toBe('https://example.test/i.png');
    expect(sent.android).toEqual({
      priority: 'high',
      ttl: '3600s',
      collapse_key: 'k',
      notification: { tag: 'k', sound: 'ping', notification_count: 2 },
    });
  });

  it('is shown under its own id where it names no key, so that a second copy replaces the first', () => {
    const { android } = message({});
    expect(android).toMatchObject({ notification: { tag: ids.serviceMessageId } });
    expect(android).not.toHaveProperty('collapse_key');
    const withActions = message({ actions: [{ id: 'a', title: 'A' }], collapseKey: 'k' });
    expect(withActions.data.serviceTag).toBe('k');
  });

  it('sends a critical alert in haste and through the configured channel', () => {
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
  it.each(['from', 'message_type', 'gcm.notification.title', 'google.sent_time'])('finds %s', (key) => {
    expect(reservedDataKey({ fine: 1, [key]: 2 })).toBe(key);
  });

  it.each(['fromage', 'message_types', 'Google.x', 'googleMapsUrl', 'google', 'gcm', 'gcm.n.e', 'my-gcm', 'url'])(
    'lets %s pass',
    (key) => {
      expect(reservedDataKey({ [key]: 1 })).toBeNull();
    },
  );
});
