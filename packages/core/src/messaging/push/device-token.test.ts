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
  ])('takes a token for what its shape says (%#)', (token, platform) => {
    expect(platformOf(token)).toBe(platform);
  });
});

describe('deviceToken', () => {
  it('keeps tokens of gateways as they are', () => {
    expect(deviceToken(hex(64), 'ios')).toEqual({ ok: true, platform: 'ios', token: hex(64) });
    expect(deviceToken('fcm:token-1', 'android')).toEqual({ ok: true, platform: 'android', token: 'fcm:token-1' });
  });

  it.each(['ExponentPushToken[abc]', 'ExpoPushToken[abc]'])('refuses %s and names the webhook step', (token) => {
    for (const platform of ['ios', 'android', 'web', undefined] as const) {
      const read = deviceToken(token, platform);
      expect(read).toMatchObject({ ok: false, problem: expect.stringContaining('webhook step') });
    }
  });

  it.each(['', 'a b', 'a\nb', 'caf\u00e9', 'a\u0000b', 'x'.repeat(MAX_TOKEN_CHARACTERS + 1)])(
    'refuses what no gateway gives out (%#)',
    (token) => {
      expect(deviceToken(token, 'android').ok).toBe(false);
    },
  );

  it('takes a token of the greatest length', () => {
    expect(deviceToken('x'.repeat(MAX_TOKEN_CHARACTERS), 'android').ok).toBe(true);
  });

  it('refuses a subscription of another platform than web', () => {
    expect(deviceToken(subscriptionJson({}), 'ios').ok).toBe(false);
  });

  it('gives one spelling of a subscription, whatever else it holds and however it is written', () => {
    const spaced = JSON.stringify(JSON.parse(subscriptionJson({})), null, 2);
    const one = deviceToken(subscriptionJson({}), 'web');
    expect(deviceToken(spaced, 'web')).toEqual(one);
    expect(one).toMatchObject({ ok: true, platform: 'web' });
    expect(one.ok && Object.keys(JSON.parse(one.token))).toEqual(['endpoint', 'keys']);
  });
});

describe('tokenKey', () => {
  it('is the same for an APNs token in either case', () => {
    expect(tokenKey('o', hex(64).toUpperCase())).toBe(tokenKey('o', hex(64)));
  });

  it('differs for tokens of Android that differ in case', () => {
    expect(tokenKey('o', 'fcm:Token')).not.toBe(tokenKey('o', 'fcm:token'));
  });

  it('is the endpoint of a subscription: its keys may change', () => {
    const other = Buffer.alloc(16, 1).toString('base64url');
    expect(tokenKey('o', subscriptionJson({ auth: other }))).toBe(tokenKey('o', subscriptionJson({})));
    const elsewhere = subscriptionJson({ endpoint: 'https://push.example.com/send/abd' });
    expect(tokenKey('o', elsewhere)).not.toBe(tokenKey('o', subscriptionJson({})));
  });

  it('differs for one device in two orgs', () => {
    expect(tokenKey('o', 'fcm:token')).not.toBe(tokenKey('p', 'fcm:token'));
  });

  it('is of one length, so that an index holds it', () => {
    const long = subscriptionJson({ endpoint: `https://push.example.com/${'x'.repeat(2_000)}` });
    expect([tokenKey('o', 'a'), tokenKey('o', hex(200)), tokenKey('o', long)].map(({ length }) => length)).toEqual([
      64, 64, 64,
    ]);
  });
});
