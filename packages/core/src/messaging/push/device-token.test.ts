import { describe, expect, it } from 'vitest';
import { subscriptionJson } from '../../../test/support/push/subscription.ts';
import { deviceToken, MAX_TOKEN_CHARACTERS, platformOf, tokenKey } from './device-token.ts';

const hex = (length: number): string => 'a1'.repeat(length / 2);

describe('platformOf', () => {
  it.each([
    [hex(64), 'ios'],
    [hex(64).toUpperCase(), 'ios'],
    [hex(160), 'ios'],
    [hex(62), 'android'],
    [`${hex(64)}a`, 'android'],
    [`${hex(64)}:x`, 'android'],
    ['dQw4w9WgXcQ:APA91bHun4MxP5egoKMwt2KZFBaFUH-1RYqx', 'android'],
    [subscriptionJson({}), 'web'],
  ])('platformOf tells the platform by the format of a token (%#)', (token, platform) => {
    expect(platformOf(token)).toBe(platform);
  });
});

describe('deviceToken', () => {
  it('tokens of APNs and FCM are kept unchanged', () => {
    expect(deviceToken(hex(64), 'ios')).toEqual({ ok: true, platform: 'ios', token: hex(64) });
    expect(deviceToken('fcm:token-1', 'android')).toEqual({ ok: true, platform: 'android', token: 'fcm:token-1' });
  });

  it.each(['ExponentPushToken[abc]', 'ExpoPushToken[abc]'])(
    '%s is rejected with a pointer to the webhook step',
    (token) => {
      for (const platform of ['ios', 'android', 'web', undefined] as const) {
        const read = deviceToken(token, platform);
        expect(read).toMatchObject({ ok: false, problem: expect.stringContaining('webhook step') });
      }
    },
  );

  it.each(['', 'a b', 'a\nb', 'caf\u00e9', 'a\u0000b', 'x'.repeat(MAX_TOKEN_CHARACTERS + 1)])(
    'deviceToken rejects what no gateway issues (%#)',
    (token) => {
      expect(deviceToken(token, 'android').ok).toBe(false);
    },
  );

  it('a token of the maximum length is accepted', () => {
    expect(deviceToken('x'.repeat(MAX_TOKEN_CHARACTERS), 'android').ok).toBe(true);
  });

  it('a subscription is rejected for platforms other than web', () => {
    expect(deviceToken(subscriptionJson({}), 'ios').ok).toBe(false);
  });

  it('a subscription has one canonical form, whatever its formatting and extra keys', () => {
    const spaced = JSON.stringify(JSON.parse(subscriptionJson({})), null, 2);
    const one = deviceToken(subscriptionJson({}), 'web');
    expect(deviceToken(spaced, 'web')).toEqual(one);
    expect(one).toMatchObject({ ok: true, platform: 'web' });
    expect(one.ok && Object.keys(JSON.parse(one.token))).toEqual(['endpoint', 'keys']);
  });
});

describe('tokenKey', () => {
  it('an APNs token has one key in upper and lower case', () => {
    expect(tokenKey('o', hex(64).toUpperCase())).toBe(tokenKey('o', hex(64)));
  });

  it('Android tokens that differ in case have different keys', () => {
    expect(tokenKey('o', 'fcm:Token')).not.toBe(tokenKey('o', 'fcm:token'));
  });

  it('the key of a subscription is its endpoint, because its keys may change', () => {
    const other = Buffer.alloc(16, 1).toString('base64url');
    expect(tokenKey('o', subscriptionJson({ auth: other }))).toBe(tokenKey('o', subscriptionJson({})));
    const elsewhere = subscriptionJson({ endpoint: 'https://push.example.com/send/abd' });
    expect(tokenKey('o', elsewhere)).not.toBe(tokenKey('o', subscriptionJson({})));
  });

  it('one device in two organizations has two keys', () => {
    expect(tokenKey('o', 'fcm:token')).not.toBe(tokenKey('p', 'fcm:token'));
  });

  it('keys have one length that fits an index', () => {
    const long = subscriptionJson({ endpoint: `https://push.example.com/${'x'.repeat(2_000)}` });
    expect([tokenKey('o', 'a'), tokenKey('o', hex(200)), tokenKey('o', long)].map(({ length }) => length)).toEqual([
      64, 64, 64,
    ]);
  });
});
