import { calculateJwkThumbprint } from 'jose';
import { describe, expect, it } from 'vitest';
import { issuerOf, jwkSetOf, openIdConfiguration } from './jwks.ts';
import { generateSigningKey, keyImporter, publicJwkOf, SIGNING_ALGS, thumbprintOf } from './signing-key.ts';

describe('signing keys', () => {
  it.each(SIGNING_ALGS)('the kid of a new %s key is the thumbprint that jose calculates', async (alg) => {
    const { kid, publicJwk, privateJwk } = await generateSigningKey(alg);
    expect(kid).toBe(await calculateJwkThumbprint({ ...publicJwk }));
    expect(kid).toMatch(/^[\w-]{43}$/);
    expect(publicJwk).not.toHaveProperty('d');
    expect(privateJwk).toMatchObject({ ...publicJwk, d: expect.any(String) });
  });

  it('the thumbprint is that of the example in RFC 7638', () => {
    const n =
      '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw';
    const example = { kty: 'RSA', n, e: 'AQAB', alg: 'RS256', kid: '2011-04-29' };
    const jwk = publicJwkOf('RS256', example);
    expect(jwk && thumbprintOf(jwk)).toBe('NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs');
  });

  it('a JWK without a member of its thumbprint, or of another type, is no key', async () => {
    for (const alg of SIGNING_ALGS) {
      const { publicJwk } = await generateSigningKey(alg);
      expect(publicJwkOf(alg, publicJwk)).toEqual(publicJwk);
      for (const name of Object.keys(publicJwk))
        for (const value of [undefined, null, 7, ''])
          expect(publicJwkOf(alg, { ...publicJwk, [name]: value })).toBeNull();
      for (const other of SIGNING_ALGS) if (other !== alg) expect(publicJwkOf(other, publicJwk)).toBeNull();
    }
  });

  it('a key is imported once', async () => {
    const importer = keyImporter();
    const key = await generateSigningKey('ES256');
    expect(importer.verificationKey({ ...key })).toBe(importer.verificationKey({ ...key }));
    expect(importer.signingKey({ ...key })).toBe(importer.signingKey({ ...key }));
  });

  it('the cache evicts the least recently used key', async () => {
    const importer = keyImporter(1);
    const [first, second] = [await generateSigningKey('EdDSA'), await generateSigningKey('EdDSA')];
    const imported = importer.verificationKey(first);
    importer.verificationKey(second);
    expect(importer.verificationKey(first)).not.toBe(imported);
  });

  it('a key with another kid, another algorithm or a foreign private part is not imported', async () => {
    const [key, other, edwards] = [
      await generateSigningKey('ES256'),
      await generateSigningKey('ES256'),
      await generateSigningKey('EdDSA'),
    ];
    const importer = keyImporter();
    expect(() => importer.verificationKey({ ...key, kid: other.kid })).toThrow(TypeError);
    expect(() => importer.verificationKey({ ...key, alg: 'EdDSA' })).toThrow(TypeError);
    importer.verificationKey(key);
    expect(() => importer.verificationKey({ ...key, alg: 'EdDSA' })).toThrow(TypeError);
    expect(() => importer.signingKey({ ...key, privateJwk: other.privateJwk })).toThrow(TypeError);
    expect(() => importer.signingKey({ ...key, privateJwk: edwards.privateJwk })).toThrow(TypeError);
    importer.signingKey(key);
    expect(() => importer.signingKey({ ...key, alg: 'RS256' })).toThrow(TypeError);
  });
});

describe('the key set', () => {
  it('the key set never holds a private member', async () => {
    for (const alg of SIGNING_ALGS) {
      const key = await generateSigningKey(alg);
      // Safe: the type allows no private member, and a caller without types could pass one.
      const set = jwkSetOf([{ ...key, publicJwk: key.privateJwk as never }]);
      expect(set).toEqual({ keys: [{ ...key.publicJwk, kid: key.kid, alg, use: 'sig' }] });
    }
  });

  it('the configuration document has the issuer and the URL of the key set', () => {
    for (const publicUrl of ['https://b.example/base', 'https://b.example/base/']) {
      const issuer = issuerOf({ publicUrl, projectId: 'p 1', environment: 'test' });
      expect(issuer).toBe('https://b.example/base/api/v1/auth-service/projects/p%201/test');
      expect(openIdConfiguration(issuer)).toMatchObject({
        issuer,
        jwks_uri: `${issuer}/.well-known/jwks.json`,
        id_token_signing_alg_values_supported: ['ES256', 'EdDSA', 'RS256'],
      });
    }
  });
});
