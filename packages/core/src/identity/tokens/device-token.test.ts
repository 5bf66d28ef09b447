import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEVICE_TOKEN_MS, type DeviceClaims, deviceTokens } from './device-token.ts';

const NOW = Date.parse('2026-11-29T12:00:00.000Z');
const newKey = new Uint8Array(32).fill(1);
const oldKey = new Uint8Array(32).fill(2);
const claims: DeviceClaims = {
  scopeId: 7,
  userId: '019aced0-0000-7000-8000-000000000001',
  deviceId: '019aced0-0000-7000-8000-000000000002',
  expiresAtMs: NOW + DEVICE_TOKEN_MS,
};
const tokens = deviceTokens([newKey, oldKey]);

describe('device tokens', () => {
  it('a device token names its scope, user, device and expiry', () => {
    const token = tokens.sign(claims);
    expect(token).toMatch(/^dt_[\w-]{98}$/);
    expect(tokens.read(token, NOW)).toEqual(claims);
  });

  it('a device token expires after 90 days', () => {
    const token = tokens.sign(claims);
    expect(tokens.read(token, NOW + 90 * 86_400_000 - 1)).toEqual(claims);
    expect(tokens.read(token, NOW + 90 * 86_400_000)).toBeNull();
  });

  it('a token of an older key is valid, and a token of a foreign key is not', () => {
    expect(tokens.read(deviceTokens([oldKey]).sign(claims), NOW)).toEqual(claims);
    expect(tokens.read(deviceTokens([new Uint8Array(32)]).sign(claims), NOW)).toBeNull();
  });

  it('an id that is no UUID in lower case is rejected', () => {
    for (const id of ['ada', '', claims.userId.toUpperCase(), `${claims.userId}0`]) {
      expect(() => tokens.sign({ ...claims, userId: id })).toThrow(RangeError);
      expect(() => tokens.sign({ ...claims, deviceId: id })).toThrow(RangeError);
    }
  });

  it('any other value is refused without an exception', () => {
    const token = tokens.sign(claims);
    const values = [
      undefined,
      null,
      7,
      {},
      '',
      'dt_',
      `${token}A`,
      token.slice(0, -1),
      ` ${token}`,
      `${token}\n`,
      token.slice(3),
    ];
    for (const value of values) expect(tokens.read(value, NOW)).toBeNull();
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(tokens.read(`dt_${text}`, NOW)).toBeNull();
      }),
    );
  });

  it('no change of a single character makes another valid device token', () => {
    const token = tokens.sign(claims);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    for (let at = 3; at < token.length; at += 1)
      for (const character of alphabet) {
        const changed = `${token.slice(0, at)}${character}${token.slice(at + 1)}`;
        if (changed !== token) expect(tokens.read(changed, NOW)).toBeNull();
      }
  });
});
