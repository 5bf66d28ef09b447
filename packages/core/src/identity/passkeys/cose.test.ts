import { describe, expect, it } from 'vitest';
import { type SoftAlgorithm, softAuthenticator } from '../../../test/support/identity/soft-authenticator.ts';
import { algorithmOf } from './cose.ts';

describe('public keys of passkeys', () => {
  it.each([
    ['ES256', -7],
    ['Ed25519', -8],
    ['RS256', -257],
  ] satisfies [SoftAlgorithm, number][])(
    'a key of %s has its algorithm, and no prefix of the key has one',
    (name, algorithm) => {
      const { cose } = softAuthenticator(name);
      expect(algorithmOf(cose)).toBe(algorithm);
      for (let length = 0; length < cose.length; length += 1) expect(algorithmOf(cose.subarray(0, length))).toBeNull();
      expect(algorithmOf(Buffer.concat([cose, Buffer.of(0)]))).toBeNull();
    },
  );

  it('a point that is not on the curve, another algorithm and other CBOR are no keys', () => {
    const { cose } = softAuthenticator();
    const offCurve = Buffer.from(cose);
    offCurve[offCurve.length - 1] = (offCurve.at(-1) ?? 0) ^ 1;
    expect(algorithmOf(offCurve)).toBeNull();
    // ES384 in place of ES256.
    const other = Buffer.from(cose.toString('hex').replace('0326', '033822'), 'hex');
    for (const bytes of [other, Buffer.from('f6', 'hex'), Buffer.from('a10100', 'hex'), Buffer.from('80', 'hex')])
      expect(algorithmOf(bytes)).toBeNull();
  });
});
