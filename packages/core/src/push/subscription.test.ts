import { describe, expect, it } from 'vitest';
import { subscriptionOf } from './subscription.ts';
import { subscriptionJson } from './testing/subscription.ts';

const bytes = (length: number, first = 4): string =>
  Buffer.concat([Buffer.of(first), Buffer.alloc(length - 1, 7)]).toString('base64url');

describe('subscriptionOf', () => {
  it('gives endpoint and keys, the keys as base64url without padding', () => {
    const padded = Buffer.concat([Buffer.of(4), Buffer.alloc(64, 255)]).toString('base64');
    const read = subscriptionOf(subscriptionJson({ p256dh: padded }));
    expect(read).toEqual({
      ok: true,
      subscription: {
        endpoint: 'https://push.example.com/send/abc',
        keys: {
          p256dh: padded.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
          auth: Buffer.alloc(16, 9).toString('base64url'),
        },
      },
    });
  });

  it.each([
    ['a public key of 64 bytes', { p256dh: bytes(64) }, 'p256dh'],
    ['a public key of 66 bytes', { p256dh: bytes(66) }, 'p256dh'],
    ['a compressed point', { p256dh: bytes(65, 2) }, 'p256dh'],
    ['a public key that is no base64', { p256dh: '!!!' }, 'p256dh'],
    ['a secret of 15 bytes', { auth: bytes(15) }, 'auth'],
    ['a secret of 17 bytes', { auth: bytes(17) }, 'auth'],
    ['http', { endpoint: 'http://push.example.com/x' }, 'endpoint'],
    ['a user in the URL', { endpoint: 'https://u:p@push.example.com/x' }, 'endpoint'],
    ['no URL', { endpoint: 'push.example.com' }, 'endpoint'],
    ['a URL that runs code', { endpoint: 'javascript:alert(1)' }, 'endpoint'],
    ['an endpoint that is too long', { endpoint: `https://push.example.com/${'x'.repeat(2_048)}` }, 'endpoint'],
    ['the retired endpoint', { endpoint: 'https://android.googleapis.com/gcm/send/abc' }, 'endpoint'],
    ['the retired endpoint in capitals', { endpoint: 'HTTPS://ANDROID.googleapis.com/gcm/send/abc' }, 'endpoint'],
  ])('refuses %s and says which field it is', (_, change, field) => {
    const read = subscriptionOf(subscriptionJson(change));
    expect(read).toMatchObject({ ok: false, problem: expect.stringContaining(field) });
  });

  it.each(['', 'null', '[]', '{', '{}', '"https://push.example.com"', '{"endpoint":1,"keys":{}}'])(
    'refuses %s, which is no subscription',
    (text) => {
      expect(subscriptionOf(text).ok).toBe(false);
    },
  );

  it('names no value of what it refuses', () => {
    const read = subscriptionOf(subscriptionJson({ endpoint: 'http://canary.example.com', auth: 'canary' }));
    expect(JSON.stringify(read)).not.toContain('canary');
  });
});
