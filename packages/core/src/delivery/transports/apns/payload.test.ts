import { describe, expect, it } from 'vitest';
import { HANDED_OVER, pushMessage, uuidOf } from '../../../../test/support/transports/push-message.ts';
import type { PushMessage } from '../port.ts';
import { apnsHeaders, apnsPayload } from './payload.ts';

const payload = (changes: Partial<PushMessage>) => JSON.parse(apnsPayload(pushMessage({ token: 'aa', ...changes })));
const headers = (changes: Partial<PushMessage>) =>
  apnsHeaders(pushMessage({ token: 'aa', ...changes }), 'com.example.app');
const ids = { serviceSendId: uuidOf('send'), serviceMessageId: uuidOf('message') };

describe('the payload of APNs', () => {
  it('holds title, body and the ids of the service, and nothing that was not asked for', () => {
    expect(payload({})).toEqual({ aps: { alert: { title: 'Hello', body: 'World' } }, data: ids });
  });

  it('carries every part of a full message', () => {
    const full = payload({
      data: { url: 'https://example.test/a', nested: { a: [1] } },
      actions: [{ id: 'yes', title: 'Yes', url: 'https://example.test/yes' }],
      interruptionLevel: 'time-sensitive',
      threadId: 'thread',
      badge: 3,
      sound: 'ping.caf',
      imageUrl: 'https://example.test/i.png',
    });
    expect(full).toEqual({
      aps: {
        alert: { title: 'Hello', body: 'World' },
        badge: 3,
        sound: 'ping.caf',
        'thread-id': 'thread',
        'interruption-level': 'time-sensitive',
        category: expect.stringMatching(/^bk_[0-9a-f]{16}$/),
        'mutable-content': 1,
      },
      data: {
        url: 'https://example.test/a',
        nested: { a: [1] },
        imageUrl: 'https://example.test/i.png',
        actions: [{ id: 'yes', title: 'Yes', url: 'https://example.test/yes' }],
        ...ids,
      },
    });
  });

  it('does not let the caller name the ids of the service', () => {
    const data = { serviceSendId: 'mine', serviceMessageId: 'mine', imageUrl: 'kept' };
    expect(payload({ data, imageUrl: 'https://example.test/i.png' }).data).toEqual({ ...ids, imageUrl: 'kept' });
  });

  it('makes a critical alert of a sound with a volume between 0 and 1', () => {
    const critical = (volumeRatio: number) =>
      payload({
        criticalAlert: { soundName: 'siren.caf', volumeRatio },
        sound: 'ping.caf',
        interruptionLevel: 'passive',
      }).aps;
    expect(critical(0.4)).toMatchObject({
      sound: { critical: 1, name: 'siren.caf', volume: 0.4 },
      'interruption-level': 'critical',
    });
    expect([critical(7).sound.volume, critical(-1).sound.volume]).toEqual([1, 0]);
  });

  it('has no critical level without a critical alert', () => {
    expect(payload({ interruptionLevel: 'critical' }).aps).not.toHaveProperty('interruption-level');
  });

  it('names a category by the ids of the actions alone', () => {
    const category = (...actions: readonly string[]) =>
      payload({ actions: actions.map((id) => ({ id, title: `${Math.floor(id.length / 2)}` })) }).aps.category;
    expect(category('a', 'b')).toBe(category('a', 'b'));
    expect(new Set([category('a', 'b'), category('b', 'a'), category('ab'), category('a')]).size).toBe(4);
  });

  it('is for the app alone when nothing is to be shown, and has nothing of an alert', () => {
    const silent = { title: null, body: null } as const;
    const asked = {
      ...silent,
      interruptionLevel: 'time-sensitive',
      threadId: 'thread',
      imageUrl: 'https://example.test/i.png',
      actions: [{ id: 'a', title: 'A' }],
    } as const;
    expect(payload(silent)).toEqual({ aps: { 'content-available': 1 }, data: ids });
    expect(payload(asked)).toEqual({ aps: { 'content-available': 1 }, data: { actions: asked.actions, ...ids } });
    expect(headers(asked)).toMatchObject({ 'apns-push-type': 'background', 'apns-priority': '5' });
    expect(headers(silent)).toMatchObject({ 'apns-push-type': 'background', 'apns-priority': '5' });
  });
});

describe('the headers of APNs', () => {
  it('are those of an alert', () => {
    expect(headers({})).toEqual({
      'apns-id': uuidOf('message'),
      'apns-topic': 'com.example.app',
      'apns-push-type': 'alert',
      'apns-priority': '10',
      'apns-expiration': `${HANDED_OVER.getTime() / 1000 + 3_600}`,
      // A second copy replaces the first.
      'apns-collapse-id': uuidOf('message'),
    });
  });

  it('ask for no storage without a time to live, and for less haste with a normal priority', () => {
    expect(headers({ ttlSeconds: 0, priority: 'normal' })).toMatchObject({
      'apns-expiration': '0',
      'apns-priority': '5',
    });
  });

  it('ask for haste with a critical alert, whatever the priority', () => {
    const criticalAlert = { soundName: 'siren.caf', volumeRatio: 1 };
    expect(headers({ criticalAlert, priority: 'normal' })['apns-priority']).toBe('10');
  });

  it('hold a collapse key as it is where it fits, and else one that is equal for equal keys', () => {
    const id = (collapseKey: string) => headers({ collapseKey })['apns-collapse-id'];
    expect(id('k'.repeat(64))).toBe('k'.repeat(64));
    for (const key of ['k'.repeat(65), 'schlüssel', 'a\r\nb', 'a b', '']) {
      expect(id(key)).toMatch(/^bk_[0-9a-f]{16}$/);
      expect(id(key)).toBe(id(key));
    }
    expect(id('ä')).not.toBe(id('ö'));
  });
});
