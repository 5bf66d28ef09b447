import { describe, expect, it } from 'vitest';
import { checkWebPush, generateVapidKeys } from './settings.ts';

describe('checkWebPush', () => {
  const fields = (settings: Parameters<typeof checkWebPush>[0]) => checkWebPush(settings).map(({ field }) => field);

  it('a generated VAPID key pair is valid', async () => {
    const keys = await generateVapidKeys();
    for (const subject of ['mailto:ops@shop.test', 'https://shop.test/contact'])
      expect(checkWebPush({ ...keys, subject })).toEqual([]);
  });

  it('a VAPID key of the wrong length, alphabet or curve is refused', async () => {
    const keys = { ...(await generateVapidKeys()), subject: 'mailto:ops@shop.test' };
    expect(fields({ ...keys, publicKey: '' })).toEqual(['publicKey']);
    expect(fields({ ...keys, publicKey: `${keys.publicKey}=` })).toEqual(['publicKey']);
    expect(fields({ ...keys, publicKey: Buffer.alloc(65, 5).toString('base64url') })).toEqual(['publicKey']);
    expect(fields({ ...keys, privateKey: keys.privateKey.slice(2) })).toEqual(['privateKey']);
    expect(fields({ ...keys, privateKey: Buffer.alloc(32).toString('base64url') })).toEqual(['privateKey']);
    expect(fields({ ...keys, privateKey: Buffer.alloc(32, 255).toString('base64url') })).toEqual(['privateKey']);
  });

  it('a private VAPID key of another pair is refused', async () => {
    const [one, other] = [await generateVapidKeys(), await generateVapidKeys()];
    expect(fields({ ...one, privateKey: other.privateKey, subject: 'mailto:a@b.test' })).toEqual(['privateKey']);
  });

  it.each([
    '',
    'ops@shop.test',
    'mailto:',
    'mailto:ops',
    'http://shop.test/',
    'https://localhost/',
    'mailto:a@localhost',
  ])('refuses "%s" as a subject', async (subject) => {
    expect(fields({ ...(await generateVapidKeys()), subject })).toEqual(['subject']);
  });
});
