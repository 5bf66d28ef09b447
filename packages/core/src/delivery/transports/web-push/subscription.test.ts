import { describe, expect, it } from 'vitest';
import { parseSubscription } from './subscription.ts';

describe('parseSubscription', () => {
  const p256dh = Buffer.alloc(65, 9).fill(4, 0, 1).toString('base64url');
  const auth = Buffer.alloc(16, 1).toString('base64url');
  const good = { endpoint: 'https://push.test/send/abc', expirationTime: null, keys: { p256dh, auth } };
  const parse = (value: unknown, rules?: Parameters<typeof parseSubscription>[1]) =>
    parseSubscription(JSON.stringify(value), rules);

  it('a parsed subscription keeps only endpoint and keys', () => {
    expect(parse({ ...good, more: 1 })).toEqual({
      ok: true,
      subscription: { endpoint: good.endpoint, keys: { p256dh, auth } },
    });
  });

  it('padded keys and keys in the other base64 alphabet are equal to the plain ones', () => {
    const standard = (text: string): string => Buffer.from(text, 'base64url').toString('base64');
    expect(parse({ ...good, keys: { p256dh: standard(p256dh), auth: standard(auth) } })).toEqual(parse(good));
  });

  it.each([
    ['http', { ...good, endpoint: 'http://push.test/' }],
    ['a URL that runs code', { ...good, endpoint: 'javascript:alert(1)' }],
    ['a user name', { ...good, endpoint: 'https://secret-user@push.test/' }],
    ['no URL', { ...good, endpoint: 'push.test' }],
    ['a long URL', { ...good, endpoint: `https://push.test/${'a'.repeat(2_048)}` }],
    ['an endpoint of the time before VAPID', { ...good, endpoint: 'https://android.googleapis.com/gcm/send/abc' }],
    ['the same in capitals', { ...good, endpoint: 'HTTPS://ANDROID.googleapis.com/gcm/send/abc' }],
    ['a compressed point', { ...good, keys: { auth, p256dh: Buffer.alloc(33, 2).toString('base64url') } }],
    [
      'a point that does not begin with 4',
      { ...good, keys: { auth, p256dh: Buffer.alloc(65, 5).toString('base64url') } },
    ],
    ['a short secret', { ...good, keys: { p256dh, auth: Buffer.alloc(15).toString('base64url') } }],
    ['a long secret', { ...good, keys: { p256dh, auth: Buffer.alloc(17).toString('base64url') } }],
    ['a key that is no base64', { ...good, keys: { p256dh: '!!!', auth } }],
    ['no keys', { endpoint: good.endpoint }],
    ['a number', 7],
    ['null', null],
  ])('calls %s malformed, without repeating it', (_, value) => {
    const parsed = parse(value);
    expect(parsed).toEqual({ ok: false, reason: 'malformed', problem: expect.any(String) });
    expect(JSON.stringify(parsed)).not.toContain('secret-user');
  });

  it('text that is not JSON is malformed', () => {
    expect(parseSubscription('{')).toMatchObject({ ok: false, reason: 'malformed' });
  });

  it("hosts and ports outside the operator's list are refused", () => {
    expect(parse(good, { allowedHosts: ['push.test'] })).toMatchObject({ ok: true });
    expect(parse(good, { allowedHosts: ['*.push.test'] })).toMatchObject({ ok: false, reason: 'refused' });
    expect(parse({ ...good, endpoint: 'https://push.test:22/' })).toMatchObject({ ok: false, reason: 'refused' });
  });
});
