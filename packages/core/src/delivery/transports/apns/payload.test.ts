import { describe, expect, it } from 'vitest';
import { HANDED_OVER, pushMessage, uuidOf } from '../../../../test/support/transports/push-message.ts';
import type { PushMessage } from '../port.ts';
import { apnsHeaders, apnsPayload } from './payload.ts';

const payload = (changes: Partial<PushMessage>) => JSON.parse(apnsPayload(pushMessage({ token: 'aa', ...changes })));
const headers = (changes: Partial<PushMessage>) =>
  apnsHeaders(pushMessage({ token: 'aa', ...changes }), 'com.example.app');
const ids = { serviceSendId: uuidOf('send'), serviceMessageId: uuidOf('message') };

describe('the payload of APNs', () => {
  it('a minimal APNs payload holds only title, body and the ids of the service', () => {
    expect(payload({})).toEqual({ aps: { alert: { title: 'Hello', body: 'World' } }, data: ids });
  });

  it('an APNs payload carries every part of a full message', () => {
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

  it("a caller's data cannot override the ids of the service", () => {
    const data = { serviceSendId: 'mine', serviceMessageId: 'mine', imageUrl: 'kept' };
    expect(payload({ data, imageUrl: 'https://example.test/i.png' }).data).toEqual({ ...ids, imageUrl: 'kept' });
  });

  it('a critical alert has a sound with a volume between 0 and 1', () => {
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

  it('a payload without a critical alert has no critical level', () => {
    expect(payload({ interruptionLevel: 'critical' }).aps).not.toHaveProperty('interruption-level');
  });

  it('the category depends on the action ids alone', () => {
    const category = (...actions: readonly string[]) =>
      payload({ actions: actions.map((id) => ({ id, title: `${Math.floor(id.length / 2)}` })) }).aps.category;
    expect(category('a', 'b')).toBe(category('a', 'b'));
    expect(new Set([category('a', 'b'), category('b', 'a'), category('ab'), category('a')]).size).toBe(4);
  });

  it('a push without visible content is a background update and has no alert keys', () => {
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
  it('an alert has the alert headers', () => {
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

  it('no time to live means no storage, and normal priority is 5', () => {
    expect(headers({ ttlSeconds: 0, priority: 'normal' })).toMatchObject({
      'apns-expiration': '0',
      'apns-priority': '5',
    });
  });

  it('a critical alert has priority 10 for every message priority', () => {
    const criticalAlert = { soundName: 'siren.caf', volumeRatio: 1 };
    expect(headers({ criticalAlert, priority: 'normal' })['apns-priority']).toBe('10');
  });

  it('a short collapse key is sent unchanged, and a long one becomes a stable hash', () => {
    const id = (collapseKey: string) => headers({ collapseKey })['apns-collapse-id'];
    expect(id('k'.repeat(64))).toBe('k'.repeat(64));
    for (const key of ['k'.repeat(65), 'schlüssel', 'a\r\nb', 'a b', '']) {
      expect(id(key)).toMatch(/^bk_[0-9a-f]{16}$/);
      expect(id(key)).toBe(id(key));
    }
    expect(id('ä')).not.toBe(id('ö'));
  });
});
